// The plan of the headless mirror `shop/db-west`, and what tests of it have in common.
import type { DesiredMirror } from '../../lib/model/desired.ts';
import type { LinkDocument } from '../../lib/model/link.ts';
import type { Change, Plan } from '../../lib/model/plan.ts';
import type { SourceSnapshot } from '../../lib/model/snapshot.ts';
import { planFor } from '../../lib/plan/plan.ts';
import { linkOf } from '../support/lab.ts';
import {
  decision,
  desiredPod,
  podEndpoints,
  podService,
  rootEndpoints,
  rootService,
  sourceOf,
} from '../support/model-builders.ts';

export interface Given {
  readonly desired: DesiredMirror;
  readonly source?: SourceSnapshot;
  readonly link?: Partial<LinkDocument>;
  readonly isUnobserved?: boolean;
  readonly others?: Parameters<typeof planFor>[0]['decisions'];
}

const UNOBSERVED = [{ what: 'target EndpointSlices', message: 'timeout' }];

export const plan = ({
  desired,
  source = sourceOf(),
  link,
  isUnobserved = false,
  others = [],
}: Given): Plan =>
  planFor({
    link: linkOf(link),
    decisions: [decision('db', { desired }), ...others],
    source,
    gateway: undefined,
    unobserved: isUnobserved ? UNOBSERVED : [],
    refusals: [],
    forceDeletes: false,
    now: 0,
    covers: () => true,
  });

/** `STAGE action Kind name`, with `after` where the earlier changes have to be applied. */
export const shown = ({ changes }: Plan): readonly string[] =>
  changes.map(
    ({ stage = 0, action, kind, name, needsEarlier }) =>
      `${stage} ${action} ${kind} ${name}${needsEarlier ? ' after' : ''}`,
  );

export const changeOf = ({ changes }: Plan, kind: string, name: string): Change | undefined =>
  changes.find((change) => change.kind === kind && change.name === name);

export const PG = { name: 'pg', protocol: 'TCP', port: 5432 } as const;
export const clusterIPOf = (name: string, family = 'IPv4') => ({
  clusterIPOf: { namespace: 'shop', name: `${name}-west` },
  family,
});

/** A headless mirror in sync, with these pods and their ClusterIPs. */
export const standing = (
  ips: Readonly<Record<string, string>>,
): NonNullable<Parameters<typeof sourceOf>[0]> => ({
  services: [rootService(), ...Object.entries(ips).map(([hostname, ip]) => podService(hostname, ip))],
  endpoints: [rootEndpoints(ips), ...Object.keys(ips).map((hostname) => podEndpoints(hostname))],
});
export const ONE = { 'db-0': '10.96.0.10' };
export const TWO = { 'db-0': '10.96.0.10', 'db-1': '10.96.0.11' };
export const PODS = [desiredPod('db-0'), desiredPod('db-1')];
