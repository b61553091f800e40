// Who may import whom: the layout of the project as one table. `npm run directions` holds it.

/** The folders that are looked at, where they exist. */
export const TOP_FOLDERS = ['functions', 'lib', 'cli', 'sandbox', 'bench', 'scripts', 'test'] as const;

export interface Unit {
  /** other units it may import; a folder's name covers all units below it */
  readonly may: readonly string[];
  /** units it may import types from, and nothing else */
  readonly types?: readonly string[];
  /** the only Node modules it may import; absent: all */
  readonly node?: readonly string[];
}

/** Node modules that compute and do nothing else. */
const COMPUTING = ['node:crypto', 'node:net'];

/** Decides from what it is given: no clock, no network, no files. */
const PURE: Unit = { may: ['lib/model'], types: ['lib/ports.ts'], node: COMPUTING };

/** Talks to one outside thing, so that the core need not know it. Adapters do not know each other. */
const ADAPTER: Unit = {
  may: [
    'lib/ports.ts',
    'lib/errors.ts',
    'lib/model',
    'lib/mistakes.ts',
    'lib/schema.ts',
    'lib/wording.ts',
    'lib/remembered.ts',
    'lib/aws-failures.ts',
  ],
};

const ADAPTERS = [
  'lib/kube',
  'lib/eks',
  'lib/elb',
  'lib/secrets',
  'lib/dns',
  'lib/probe',
  'lib/store',
  'lib/queue',
  'lib/telemetry',
] as const;

/** Composes the adapters by which clusters are reached; decides nothing about mirrors. */
const ACCESS: Unit = {
  may: [
    'lib/access',
    'lib/kube',
    'lib/eks',
    'lib/elb',
    'lib/secrets',
    'lib/ports.ts',
    'lib/errors.ts',
    'lib/model',
  ],
};

/** Puts adapters and the core together, and leaves the deciding to `reconcile`. */
const EDGE: Unit = {
  may: [
    'lib/reconcile.ts',
    'lib/runs',
    'lib/access.ts',
    'lib/model',
    'lib/ports.ts',
    'lib/errors.ts',
    'lib/aws-failures.ts',
    'lib/clock.ts',
    'lib/config.ts',
    'lib/mistakes.ts',
    'lib/schema.ts',
    'lib/wording.ts',
    ...ADAPTERS,
  ],
};

/**
 * functions, cli, sandbox → reconcile → observe, desired, plan, gateway, apply → model.
 * Every module belongs to the unit with the longest matching path; one without a unit is a mistake.
 */
export const UNITS: Readonly<Record<string, Unit>> = {
  functions: EDGE,
  cli: EDGE,
  sandbox: EDGE,

  'lib/reconcile.ts': {
    may: [
      'lib/observe',
      'lib/desired',
      'lib/plan',
      'lib/gateway',
      'lib/apply',
      'lib/report.ts',
      'lib/ports.ts',
      'lib/errors.ts',
      'lib/model',
    ],
  },
  'lib/runs': {
    may: [
      'lib/reconcile.ts',
      'lib/observe',
      'lib/plan',
      'lib/gateway',
      'lib/apply',
      'lib/probing.ts',
      'lib/ports.ts',
      'lib/errors.ts',
      'lib/model',
    ],
  },
  'lib/report.ts': PURE,
  'lib/probing.ts': { may: ['lib/ports.ts', 'lib/model', 'lib/gateway'] },
  'lib/observe': {
    may: ['lib/probing.ts', 'lib/ports.ts', 'lib/errors.ts', 'lib/model', 'lib/gateway'],
  },
  'lib/apply': { may: ['lib/ports.ts', 'lib/errors.ts', 'lib/model'] },
  'lib/desired': PURE,
  'lib/plan': PURE,
  'lib/gateway': PURE,
  'lib/model': { may: [], node: COMPUTING },

  ...Object.fromEntries(ADAPTERS.map((adapter) => [adapter, ADAPTER])),
  'lib/store': { may: [...ADAPTER.may, 'lib/config.ts'] }, // stored link documents
  'lib/access.ts': ACCESS,
  'lib/access': ACCESS,
  'lib/ports.ts': { may: ['lib/model'] },
  'lib/clock.ts': { may: ['lib/ports.ts'] },
  'lib/errors.ts': { may: [] },
  'lib/remembered.ts': { may: ['lib/ports.ts', 'lib/errors.ts'] },
  'lib/aws-failures.ts': { may: ['lib/errors.ts'] },
  'lib/config.ts': {
    may: ['lib/errors.ts', 'lib/mistakes.ts', 'lib/model', 'lib/schema.ts', 'lib/wording.ts'],
  },
  'lib/mistakes.ts': { may: ['lib/schema.ts', 'lib/wording.ts'] },
  'lib/schema.ts': { may: [] },
  'lib/wording.ts': { may: [] },

  scripts: { may: ['lib', 'cli', 'functions', 'sandbox'] },
  bench: { may: ['lib', 'cli', 'functions', 'sandbox', 'scripts', 'test'] },
  test: { may: ['lib', 'cli', 'functions', 'sandbox', 'scripts', 'bench'] },
};

/** The homes of each library: in `lib` one adapter (zod is the language of documents, so it has more). */
export const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  '@aws-crypto/sha256-js': ['lib/eks', 'lib/elb', 'cli'], // cli: signs requests to the status URL
  '@aws-sdk/client-eks': ['lib/eks', 'test'], // test: clients that do not try again
  '@aws-sdk/client-secrets-manager': ['lib/secrets', 'test'],
  '@aws-sdk/client-sts': ['lib/eks', 'test'],
  '@kubernetes/client-node': ['lib/kube'],
  '@smithy/signature-v4': ['lib/eks', 'lib/elb', 'cli'],
  undici: ['lib/kube', 'bench', 'test'], // bench and test: bare clients, to measure and to look past ours
  'dns-packet': ['lib/dns', 'sandbox/dns', 'test'],
  commander: ['cli'],
  yaml: ['cli', 'lib/kube', 'scripts', 'test'], // link files; kubeconfigs; generated docs; scenarios
  'p-limit': ['lib/apply'],
  zod: [
    'lib/model',
    'lib/config.ts',
    'lib/mistakes.ts',
    'lib/schema.ts',
    'lib/store',
    'lib/runs',
    'functions',
    'cli',
    'scripts',
    'test',
  ],
  '@aws-sdk/client-dynamodb': ['lib/store', 'sandbox', 'test'],
  '@aws-sdk/lib-dynamodb': ['lib/store', 'test'],
  '@aws-sdk/client-sqs': ['lib/queue', 'sandbox', 'test'],
  '@aws-sdk/client-lambda': ['cli', 'test'], // the functions that are invoked by hand
  '@aws-lambda-powertools/batch': ['functions'],
  '@aws-lambda-powertools/logger': ['functions'],
  '@aws-lambda-powertools/metrics': ['functions'],
  '@middy/core': ['functions'],
  'aws-lambda': ['functions', 'test'], // types only
  dynalite: ['sandbox'],
  fauxqs: ['sandbox'],
  fflate: ['sandbox', 'scripts', 'test'],
  esbuild: ['scripts', 'test'],
  'oxc-parser': ['scripts'],
  vitest: ['test'],
  'fast-check': ['test'],
};

/** Where the environment may be read. Of the sandbox only its command line may: the files that are not in a folder below. */
export function mayReadEnvironment(path: string): boolean {
  return /^(functions|cli|scripts|bench|test)\/|^sandbox\/[^/]+$/.test(path);
}
