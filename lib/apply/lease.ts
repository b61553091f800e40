// The lock against every other writer of a link: the Lease by which Linkerd's own controllers elect one. Taken only around writes.
import { ClusterError, errorText } from '../errors.ts';
import { leaseName, TARGET_UID } from '../model/labels.ts';
import { microTime } from '../model/microtime.ts';
import type { Lease, Manifest } from '../model/objects.ts';
import type { Clock, Cluster } from '../ports.ts';

/** How long a holder that dies keeps others out, seconds. */
const DURATION_SECONDS = 60;
/** No write starts with less than this left: the longest that a request already sent may still take effect, ms. */
const REQUEST_TIMEOUT_MS = 15_000;

export interface LeaseTerms {
  readonly source: Cluster;
  readonly clock: Clock;
  readonly link: string;
  readonly namespace: string;
  readonly holder: string; // unique per run
  readonly targetUid: string | undefined; // remembered on the Lease: which cluster the link was made for
}

export type Acquired =
  | { readonly kind: 'held'; readonly guard: LeaseGuard }
  | { readonly kind: 'foreign'; readonly message: string }
  /** There is no place for a Lease, so only preconditions keep writers apart. */
  | { readonly kind: 'without'; readonly message: string };

export interface LeaseGuard {
  /** Why no write may start now; renews the Lease when half of it has passed. */
  readonly hindrance: () => Promise<string | undefined>;
  /** Gives the Lease up with an empty holder: never null, which Linkerd's check dereferences. */
  readonly release: () => Promise<void>;
}

const expiry = (lease: Lease): number => lease.renewedAt + lease.durationSeconds * 1000;

/** Who else holds the Lease by the API server's own clock; undefined when nobody does. */
export const foreignHolder = (lease: Lease | undefined, now: number): string | undefined =>
  lease !== undefined && lease.holder !== '' && expiry(lease) > now ? lease.holder : undefined;

/** What a person is told about a Lease that somebody else holds. */
export const heldMessage = (namespace: string, link: string, holder: string): string =>
  `Lease ${namespace}/${leaseName(link)} is held by "${holder}": it writes the mirrors of this link now (Linkerd's own service mirror, another stack, or another run); nothing was written`;

const spec = (terms: LeaseTerms, transitions: number): Manifest => {
  const now = microTime(terms.source.now());
  return {
    holderIdentity: terms.holder,
    leaseDurationSeconds: DURATION_SECONDS,
    acquireTime: now,
    renewTime: now,
    leaseTransitions: transitions,
  };
};

const remembered = ({ targetUid }: LeaseTerms): Manifest =>
  targetUid === undefined ? {} : { annotations: { [TARGET_UID]: targetUid } };

const createLease = (terms: LeaseTerms): Promise<Lease> =>
  terms.source.create('Lease', terms.namespace, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      namespace: terms.namespace,
      name: leaseName(terms.link),
      ...remembered(terms),
    },
    spec: spec(terms, 0),
  });

const takeLease = (terms: LeaseTerms, lease: Lease): Promise<Lease> =>
  terms.source.patch('Lease', terms.namespace, lease.meta.name, {
    metadata: { resourceVersion: lease.meta.resourceVersion, ...remembered(terms) },
    spec: spec(terms, lease.transitions + 1),
  });

const patchSpec = (terms: LeaseTerms, lease: Lease, changed: Manifest): Promise<Lease> =>
  terms.source.patch('Lease', terms.namespace, lease.meta.name, {
    metadata: { resourceVersion: lease.meta.resourceVersion },
    spec: changed,
  });

interface Lost {
  readonly lostTo: string; // '' when nobody holds it
}

/**
 * Changes the Lease that we hold. A conflict may be our own renewal whose answer was lost, or a note that somebody put on it: it is
 * read again, and changed once more while it is ours.
 */
const patchHeld = async (terms: LeaseTerms, lease: Lease, changed: Manifest): Promise<Lease | Lost> => {
  try {
    return await patchSpec(terms, lease, changed);
  } catch (error) {
    if (!(error instanceof ClusterError) || !hasMoved(error)) throw error;
  }
  const found = await terms.source.get('Lease', terms.namespace, lease.meta.name);
  return found?.holder === terms.holder ? patchSpec(terms, found, changed) : { lostTo: found?.holder ?? '' };
};

/** What was seen is not what is there: somebody made, changed or removed it. */
const hasMoved = ({ kind }: ClusterError): boolean =>
  kind === 'conflict' || kind === 'exists' || kind === 'notFound';

const guardOf = (terms: LeaseTerms, taken: Lease): LeaseGuard => {
  const name = `Lease ${terms.namespace}/${leaseName(terms.link)}`;
  let held: Lease | Lost = taken;
  let renewal: Promise<void> | undefined;
  const renew = async (lease: Lease): Promise<void> => {
    try {
      held = await patchHeld(terms, lease, { renewTime: microTime(terms.source.now()) });
    } catch (error) {
      // A renewal that fails is tried again before the next write, until too little of the Lease is left.
      if (!(error instanceof ClusterError)) throw error;
    } finally {
      renewal = undefined;
    }
  };
  const left = (lease: Lease): number => expiry(lease) - terms.source.now();
  return {
    hindrance: async () => {
      if (!('lostTo' in held) && left(held) < (DURATION_SECONDS * 1000) / 2) await (renewal ??= renew(held));
      if ('lostTo' in held)
        return `not started: the ${name} was taken ${held.lostTo === '' ? 'away' : `by "${held.lostTo}"`}`;
      return left(held) < REQUEST_TIMEOUT_MS ? `not started: the ${name} could not be renewed` : undefined;
    },
    release: async () => {
      if ('lostTo' in held) return;
      try {
        await patchHeld(terms, held, { holderIdentity: '' });
      } catch (error) {
        // It ends by itself; the writes are done.
        if (!(error instanceof ClusterError)) throw error;
      }
    },
  };
};

/**
 * Takes the Lease, given what was seen of it. When somebody else moved, or no answer came, it is read once more: an answer that was
 * lost leaves it to us.
 * @throws ClusterError when the API server does not answer or forbids it
 */
export const acquireLease = async (terms: LeaseTerms, seen: Lease | undefined): Promise<Acquired> => {
  let lease = seen;
  for (const isLastTry of [false, true]) {
    const holder = foreignHolder(lease, terms.source.now());
    if (holder !== undefined && holder !== terms.holder)
      return { kind: 'foreign', message: heldMessage(terms.namespace, terms.link, holder) };
    try {
      const taken = lease === undefined ? await createLease(terms) : await takeLease(terms, lease);
      return { kind: 'held', guard: guardOf(terms, taken) };
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      if (error.kind === 'notFound' && lease === undefined)
        return { kind: 'without', message: `no Lease: ${errorText(error)}` };
      if (isLastTry || !(hasMoved(error) || error.kind === 'unreachable')) throw error;
      lease = await terms.source.get('Lease', terms.namespace, leaseName(terms.link));
    }
  }
  throw new Error('unreachable: the last try returns or throws');
};
