// The story: what happens to the two clusters and the gateway's name, step by step, and what cluster east should hold after each.
import { expectationOf, mirrorName } from './expect.ts';
import type { Expectation } from './mirrors.ts';
import { GATEWAY_HOST } from './objects.ts';

/** What a step may do to the world, and ask of the product. */
export interface Stage {
  /** Changes what the gateway's name resolves to; undefined: the DNS server fails (SERVFAIL). */
  answer(addresses: readonly string[] | undefined): void;
  /** Leaves a Service with these pods. @param pods hostnames, as a StatefulSet gives them */
  scale(service: string, pods: readonly string[]): Promise<void>;
  /** Deletes a Service and makes it again without a ClusterIP. */
  makeHeadless(service: string, pods: readonly string[]): Promise<void>;
  unexport(service: string): Promise<void>;
  /** Resolves when a copy of the last answer would have expired. */
  ttlIsOver(): Promise<void>;
  /** Has the function `resync` run for the link, which asks every name whatever is left of its TTL. */
  resync(): Promise<void>;
  /** What the function `status` says of the gateway's name, such as FRESH or STALE. */
  nameState(): Promise<string>;
  /** What it says is wrong, one line each. */
  complaints(): Promise<readonly string[]>;
}

export interface Step {
  readonly title: string;
  readonly about: readonly string[];
  readonly act: (stage: Stage) => Promise<void> | void;
  readonly expected: Expectation;
  /** What must hold besides, in words and as a question. */
  readonly besides?: { readonly what: string; readonly holds: (stage: Stage) => Promise<boolean> };
}

/** What the gateway's name resolves to before anything happens. */
export const FIRST = ['203.0.113.10', '203.0.113.11'];
const SECOND = ['203.0.113.11', '203.0.113.12'];
/** And when the story is told. */
export const THIRD = ['203.0.113.20', '203.0.113.21'];

const TWO = ['db-0', 'db-1'];
const THREE = [...TWO, 'db-2'];
const ONE = ['db-0'];
const WEB = ['web-0', 'web-1'];

/** Nothing may be written. */
const untouched = (expected: Expectation): Expectation => ({
  ...expected,
  untouched: expected.mirrors.map(({ name }) => name),
});

const text = (addresses: readonly string[]): string => addresses.join(' and ');

/** Steps without look-ups stand between those that wait for one: no name is asked twice in 10 seconds. */
export const STEPS: readonly Step[] = [
  {
    title: 'Mirrors appear',
    about: [
      'Cluster west exports web, api (three ports), search (remote discovery) and db, but not billing.',
      'db is headless, of a StatefulSet with pods db-0 and db-1, and is mirrored pod by pod: db-west lists',
      'each pod by the ClusterIP of a Service of its own, and behind that stands the gateway.',
      `The gateway has a name and no address: ${GATEWAY_HOST}`,
      `DNS says that this is ${text(FIRST)}.`,
    ],
    act: (stage) => stage.answer(FIRST),
    expected: expectationOf({ addresses: FIRST, pods: { db: TWO } }),
  },
  {
    title: 'The StatefulSet grows to three pods',
    about: ['db-2 gets a Service of its own. Those of db-0 and db-1 stay, with their ClusterIPs.'],
    act: (stage) => stage.scale('db', THREE),
    expected: expectationOf({ addresses: FIRST, pods: { db: THREE } }),
  },
  {
    title: 'The load balancer moves a node',
    about: [
      `DNS now says ${text(SECOND)}. The name is asked again when its TTL has ended,`,
      'by a delayed message. db-west is not written: it lists ClusterIPs.',
    ],
    act: (stage) => stage.answer(SECOND),
    expected: { ...expectationOf({ addresses: SECOND, pods: { db: THREE } }), untouched: [mirrorName('db')] },
  },
  {
    title: 'The StatefulSet shrinks to one pod',
    about: ['db-west lists db-0 alone, by the ClusterIP that it had. Then the Services of the others go.'],
    act: (stage) => stage.scale('db', ONE),
    expected: expectationOf({ addresses: SECOND, pods: { db: ONE }, gone: ['db-1', 'db-2'] }),
  },
  {
    title: 'The load balancer is replaced: make …',
    about: [
      `DNS now says ${text(THIRD)}: none of the former.`,
      'The new ones are added at once, the former stay.',
    ],
    act: (stage) => stage.answer(THIRD),
    expected: expectationOf({ addresses: [...SECOND, ...THIRD], pods: { db: ONE } }),
  },
  {
    title: '… before break',
    about: [
      'A second answer without them makes the former leave. `resync` gets it as soon as the TTL is over.',
    ],
    act: async (stage) => {
      await stage.ttlIsOver();
      await stage.resync();
    },
    expected: expectationOf({ addresses: THIRD, pods: { db: ONE } }),
  },
  {
    title: 'Look-ups fail',
    about: ['The DNS server fails from now on, and `resync` asks it. Nothing is written.'],
    act: (stage) => {
      stage.answer(undefined);
      return stage.resync();
    },
    besides: {
      what: 'status calls the answer STALE',
      holds: async (stage) => (await stage.nameState()) === 'STALE',
    },
    expected: untouched(expectationOf({ addresses: THIRD, pods: { db: ONE } })),
  },
  {
    title: 'A Service is scaled to zero',
    about: ['web has no pod any more. Its mirror is emptied, and keeps its cluster IP.'],
    act: (stage) => stage.scale('web', []),
    expected: expectationOf({ addresses: THIRD, pods: { db: ONE }, scaledToZero: ['web'] }),
  },
  {
    title: 'A Service becomes headless',
    about: [
      'web is deleted, and comes back without a ClusterIP, for a StatefulSet. A Service cannot lose its',
      'ClusterIP, so web-west is deleted and made again too.',
    ],
    act: (stage) => stage.makeHeadless('web', WEB),
    expected: expectationOf({ addresses: THIRD, pods: { db: ONE, web: WEB } }),
  },
  {
    title: 'A Service is not exported any more',
    about: ['db loses its label. Its mirror goes, with those of its pods.'],
    act: (stage) => stage.unexport('db'),
    expected: expectationOf({ addresses: THIRD, pods: { web: WEB }, gone: ONE, unexported: ['db'] }),
  },
];
