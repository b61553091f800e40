// Every metric of the functions, once: what is measured, and the table of it in the docs. CloudWatch charges for each metric, and for
// each of those with the link as dimension as many times as there are links.

export interface MetricRow {
  readonly unit: 'Count' | 'Seconds';
  readonly of: 'deployment' | 'link'; // its dimensions: service, or service and link
  readonly about: string;
}

export const METRICS = {
  LinksSent: { unit: 'Count', of: 'deployment', about: 'links that a tick sent to be reconciled' },
  BrokenLinks: { unit: 'Count', of: 'deployment', about: 'stored links that cannot be used' },
  TimersReset: {
    unit: 'Count',
    of: 'deployment',
    about: 'names whose timer was lost and set anew by a tick',
  },
  AgeOfLastGoodAnswer: {
    unit: 'Seconds',
    of: 'deployment',
    about: 'at each check of a name: how long ago it last resolved to addresses, 0 when it just did',
  },
  AnswersUnknown: {
    unit: 'Count',
    of: 'deployment',
    about: 'checks of a name that told nothing: the resolver was silent or failed',
  },
  AddressChanges: {
    unit: 'Count',
    of: 'deployment',
    about: 'links whose published addresses were changed by a check of a name',
  },
  RejectedAddresses: {
    unit: 'Count',
    of: 'deployment',
    about: 'addresses and hostnames of a gateway that the filter refuses, at each reconcile that finds any',
  },
  ExportedServices: { unit: 'Count', of: 'link', about: 'Services that the target exports' },
  RefusedServices: { unit: 'Count', of: 'link', about: 'those that are refused' },
  Changes: { unit: 'Count', of: 'link', about: 'changes in the source cluster, tried or done' },
  FailedChanges: { unit: 'Count', of: 'link', about: 'those that were not applied' },
  Unobserved: { unit: 'Count', of: 'link', about: 'parts of the clusters that could not be read' },
  RunSeconds: { unit: 'Seconds', of: 'link', about: 'how long a reconcile took' },
  GatewayAddressesReady: { unit: 'Count', of: 'link', about: "the gateway's addresses that take traffic" },
  GatewayAddressesDead: { unit: 'Count', of: 'link', about: 'those that do not answer any more' },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof METRICS;
