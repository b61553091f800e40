// A cluster port that fails as told, around the real adapter: errors before a request, answers lost after it, and hooks between.
// What comes through it is frozen, so that a product that alters what it was given fails.
import { ClusterError, type ClusterErrorKind } from '../../lib/errors.ts';
import type { Manifest } from '../../lib/model/objects.ts';
import type { Cluster } from '../../lib/ports.ts';

export interface Fault {
  /** Start of `VERB Kind namespace/name`, e.g. `PATCH Endpoints shop/web-west` or `LIST EndpointSlice`. */
  readonly on: string;
  readonly times?: number; // default: always
  /** error: before the request. lost: the request is carried out, its answer never arrives. */
  readonly fail?: { readonly kind: ClusterErrorKind; readonly when: 'before' | 'lost' };
  /** Runs before the request. */
  readonly hook?: () => Promise<unknown> | void;
  /** Runs when the answer is there, before the product sees it. */
  readonly afterwards?: () => Promise<unknown> | void;
}

/** An answer that the product was given: the value itself, and its text at that moment. */
export interface Given {
  readonly request: string;
  readonly value: unknown;
  readonly text: string | undefined; // undefined: nothing of that name
}

export interface Faults {
  add(fault: Fault): void;
  clear(): void;
  /** Writes wait for each other from now on, and the look is made after each, with its text, whatever became of it. */
  afterEveryWrite(look: (request: string) => Promise<void>): void;
  /** Puts the server's clock forward. */
  passTime(seconds: number): void;
  /** Every request that was started, as text. */
  readonly requests: string[];
  /** What reads and writes answered. */
  readonly given: Given[];
  readonly wrap: (cluster: Cluster, name: string) => Cluster;
}

const frozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) frozen(part);
  return value;
};

export const faultsOf = (): Faults => {
  let rows: { fault: Fault; left: number }[] = [];
  const requests: string[] = [];
  const given: Given[] = [];
  let look: ((request: string) => Promise<void>) | undefined;
  let lastWrite: Promise<unknown> = Promise.resolve();
  let lead = 0; // ms

  const answered = async <T>(request: string, send: () => Promise<T>): Promise<T> => {
    const value = frozen(await send());
    given.push({ request, value, text: JSON.stringify(value) });
    return value;
  };

  const through = async <T>(name: string, request: string, send: () => Promise<T>): Promise<T> => {
    requests.push(request);
    const row = rows.find(({ fault, left }) => left > 0 && request.startsWith(fault.on));
    if (row === undefined) return answered(request, send);
    row.left -= 1;
    const { fail, hook, afterwards } = row.fault;
    await hook?.();
    if (fail?.when !== 'before') {
      const value = await answered(request, send);
      await afterwards?.();
      if (fail === undefined) return value;
    }
    throw new ClusterError(`injected ${fail.kind}`, { kind: fail.kind, request: `${name}: ${request}` });
  };

  /** Alone, and looked at afterwards, when it is a write and somebody looks. */
  const watched = <T>(name: string, request: string, send: () => Promise<T>): Promise<T> => {
    if (look === undefined || !isWrite(request)) return through(name, request, send);
    const after = look;
    const alone = async (): Promise<T> => {
      try {
        return await through(name, request, send);
      } finally {
        await after(request);
      }
    };
    const turn = lastWrite.then(alone);
    lastWrite = turn.catch(() => undefined);
    return turn;
  };

  return {
    requests,
    given,
    afterEveryWrite: (wanted) => {
      look = wanted;
    },
    passTime: (seconds) => {
      lead += seconds * 1000;
    },
    add: (fault) => rows.push({ fault, left: fault.times ?? Infinity }),
    clear: () => {
      rows = [];
    },
    wrap: (cluster, name) => ({
      list: (kind, query) => through(name, `LIST ${kind}`, () => cluster.list(kind, query)),
      get: (kind, namespace, object) =>
        through(name, `GET ${kind} ${namespace}/${object}`, () => cluster.get(kind, namespace, object)),
      create: (kind, namespace, body) =>
        watched(name, `POST ${kind} ${namespace}/${nameIn(body)}`, () =>
          cluster.create(kind, namespace, body),
        ),
      patch: (kind, namespace, object, body) =>
        watched(name, `PATCH ${kind} ${namespace}/${object}`, () =>
          cluster.patch(kind, namespace, object, body),
        ),
      delete: (kind, namespace, object, preconditions) =>
        watched(name, `DELETE ${kind} ${namespace}/${object}`, () =>
          cluster.delete(kind, namespace, object, preconditions),
        ),
      now: () => cluster.now() + lead,
      requests: () => cluster.requests(),
    }),
  };
};

const nameIn = ({ metadata }: Manifest): string =>
  typeof metadata === 'object' && metadata !== null && 'name' in metadata ? String(metadata.name) : '';

const isWrite = (request: string): boolean => /^(POST|PATCH|DELETE) (?!Lease)/.test(request);

/** The writes among requests, Leases apart. */
export const writesIn = (requests: readonly string[]): readonly string[] => requests.filter(isWrite);
