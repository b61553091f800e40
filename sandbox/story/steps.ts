// The story: what happens to the two clusters and the gateway's name, step by step, and what cluster east should hold after each.
import { expectationOf } from './expect.ts';
import type { Expectation } from './mirrors.ts';
import { GATEWAY_HOST } from './objects.ts';

/** What a step may do to the world, and ask of the product. */
export interface Stage {
  /** Changes what the gateway's name resolves to; undefined: the DNS server fails (SERVFAIL). */
  answer(addresses: readonly string[] | undefined): void;
  scaleToZero(service: string): Promise<void>;
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

const text = (addresses: readonly string[]): string => addresses.join(' and ');

export const STEPS: readonly Step[] = [
  {
    title: 'Mirrors appear',
    about: [
      'Cluster west exports web, api (three ports) and search (remote discovery); billing is not exported.',
      `Its gateway has a name and no address: ${GATEWAY_HOST}`,
      `DNS says that this is ${text(FIRST)}.`,
    ],
    act: (stage) => stage.answer(FIRST),
    expected: expectationOf({ addresses: FIRST }),
  },
  {
    title: 'The load balancer moves a node',
    about: [
      `DNS now says ${text(SECOND)}. The name is asked again when its TTL has ended, by a delayed message.`,
    ],
    act: (stage) => stage.answer(SECOND),
    expected: expectationOf({ addresses: SECOND }),
  },
  {
    title: 'The load balancer is replaced: make …',
    about: [
      `DNS now says ${text(THIRD)}: none of the former. The new ones are added at once, the former stay.`,
    ],
    act: (stage) => stage.answer(THIRD),
    expected: expectationOf({ addresses: [...SECOND, ...THIRD] }),
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
    expected: expectationOf({ addresses: THIRD }),
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
    expected: { ...expectationOf({ addresses: THIRD }), untouched: true },
  },
  {
    title: 'A Service is scaled to zero',
    about: ['web has no pod any more. Its mirror is emptied, and keeps its cluster IP.'],
    act: (stage) => stage.scaleToZero('web'),
    expected: expectationOf({ addresses: THIRD, scaledToZero: ['web'] }),
  },
  {
    title: 'A Service is not exported any more',
    about: ['api loses its label. Its mirror goes.'],
    act: (stage) => stage.unexport('api'),
    expected: expectationOf({ addresses: THIRD, scaledToZero: ['web'], unexported: ['api'] }),
  },
];
