// The functions that are shipped, and what each of them may weigh.

export const FUNCTION_NAMES = ['tick', 'reconcile', 'refresh', 'resync', 'status'] as const;
export type FunctionName = (typeof FUNCTION_NAMES)[number];

export interface Budget {
  readonly zipKB: number; // KB are 1,000 bytes
  /** Packages that the function has no use for; one of them in its bundle is an import gone astray. */
  readonly without: readonly string[];
}

/** What only a function that talks to clusters needs. */
const CLUSTER_PACKAGES = [
  '@kubernetes/client-node',
  'undici',
  '@aws-sdk/client-eks',
  '@aws-sdk/client-sts',
  '@aws-sdk/client-secrets-manager',
] as const;

const DNS_PACKAGES = ['dns-packet'] as const;

/** Above what they weigh now by about a fifth: enough for a new version of a library, too little for a new library. */
export const BUDGETS: Readonly<Record<FunctionName, Budget>> = {
  tick: { zipKB: 200, without: [...CLUSTER_PACKAGES, ...DNS_PACKAGES] },
  reconcile: { zipKB: 800, without: [] },
  refresh: { zipKB: 800, without: [] },
  resync: { zipKB: 800, without: [] },
  status: { zipKB: 200, without: [...CLUSTER_PACKAGES, ...DNS_PACKAGES, '@aws-sdk/client-sqs'] },
};
