// Sends one change to the source cluster, again where that can help, and names what became of it.
import { ClusterError, errorText, isRetryable } from '../errors.ts';
import type { Manifest, ObjectOf, Service } from '../model/objects.ts';
import type { Change, Create, Reason, Update, WrittenKind } from '../model/plan.ts';
import type { Clock, Cluster } from '../ports.ts';
import { type FindAddress, filled } from './fill.ts';

/** Waits between tries, ms: an API server that is away for five seconds (a rolling update) is outlasted. */
const BACKOFF_MS = [250, 500, 1000, 2000, 4000] as const;
/** A server that asks for a longer wait than this is left for the next run. */
const LONGEST_RETRY_AFTER_MS = 10_000;

/** What the API server says of a Service that was written: others refer to it. */
export type Made = Pick<Service, 'clusterIPs'> & { readonly uid: string };

export type Written =
  | { readonly result: 'applied'; readonly made: Made | undefined }
  | { readonly result: 'conflict'; readonly message: string } // what stands there is not what was seen: read again, plan again
  | { readonly result: 'refused'; readonly reason: Reason; readonly message: string } // the server will not do it
  | { readonly result: 'unanswered'; readonly message: string }; // it did not answer, however often it was asked

export interface WriteContext {
  readonly source: Cluster;
  readonly clock: Clock;
  /** Why no write may start now (lost lease, deadline, stop); undefined: go on. Asked before every request, repeated ones too. */
  readonly hindrance: () => Promise<string | undefined>;
}

/** What changes that were applied before this one made. */
export interface Earlier {
  readonly ownerUid: string | undefined; // of the Service that the object belongs to
  readonly made: FindAddress;
}

/** The owner that is only known now. */
const ownership = ({ ownedBy }: Create | Update, ownerUid: string | undefined): Manifest => {
  if (ownedBy === undefined) return {};
  const uid = ownedBy.uid ?? ownerUid;
  return { ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: ownedBy.name, uid }] };
};

/** What of the answer others may refer to. */
const madeOf = (object: ObjectOf[WrittenKind]): Made | undefined =>
  'clusterIPs' in object ? { uid: object.meta.uid, clusterIPs: object.clusterIPs } : undefined;

const withMetadata = (manifest: Manifest, more: Manifest): Manifest => ({
  ...manifest,
  metadata: { ...Object(manifest['metadata']), ...more },
});

const send = async (
  { source }: WriteContext,
  change: Change,
  earlier: Earlier,
): Promise<Made | undefined> => {
  const { kind, namespace, name } = change;
  switch (change.action) {
    case 'create': {
      const body = filled(change.body, earlier.made);
      return madeOf(
        await source.create(kind, namespace, withMetadata(body, ownership(change, earlier.ownerUid))),
      );
    }
    case 'update': {
      const { resourceVersion } = change;
      const metadata = { ...ownership(change, earlier.ownerUid), resourceVersion };
      const patch = filled(change.patch, earlier.made);
      return madeOf(await source.patch(kind, namespace, name, withMetadata(patch, metadata)));
    }
    case 'delete':
      await source.delete(kind, namespace, name, {
        uid: change.uid,
        resourceVersion: change.resourceVersion,
      });
      return undefined;
  }
};

const refusalReason = (error: ClusterError): Reason => {
  if (error.kind === 'notFound' || error.reason === 'NamespaceTerminating') return 'MissingNamespace';
  return error.kind === 'invalid' ? 'InvalidService' : 'Error';
};

/** What an error that no repetition heals means for this change. */
const settled = (change: Change, error: ClusterError): Written => {
  const message = errorText(error);
  if (error.kind === 'notFound' && change.action === 'delete') return { result: 'applied', made: undefined };
  // A namespace is only asked to be there, whoever made it.
  if (error.kind === 'exists' && change.kind === 'Namespace') return { result: 'applied', made: undefined };
  const isMoved =
    error.kind === 'conflict' ||
    error.kind === 'exists' ||
    (error.kind === 'notFound' && change.action === 'update');
  return isMoved
    ? { result: 'conflict', message }
    : { result: 'refused', reason: refusalReason(error), message };
};

const waitBefore = (attempt: number, error: ClusterError): number | undefined => {
  const backoff = BACKOFF_MS[attempt];
  if (backoff === undefined || (error.retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS) return undefined;
  return Math.max(backoff, error.retryAfterMs ?? 0);
};

/**
 * Writes one change. Safe to repeat: a create that was carried out though its answer was lost meets AlreadyExists, an update its own
 * new resourceVersion, a delete nothing; the first two end as a conflict, which reads again and finds nothing left to do.
 *
 * The first request is sent at once: the caller has just asked for hindrances.
 *
 * @param earlier what earlier changes of the same mirror made
 */
export const write = async (context: WriteContext, change: Change, earlier: Earlier): Promise<Written> => {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return { result: 'applied', made: await send(context, change, earlier) };
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      if (!isRetryable(error)) return settled(change, error);
      const wait = waitBefore(attempt, error);
      if (wait === undefined) return { result: 'unanswered', message: errorText(error) };
      await context.clock.sleep(wait);
      const hindrance = await context.hindrance();
      if (hindrance !== undefined)
        return { result: 'unanswered', message: `${errorText(error)}; again ${hindrance}` };
    }
  }
};
