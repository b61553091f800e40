// Sends one change to the source cluster, again where that can help, and names what became of it.
import { ClusterError, errorText, isRetryable } from '../errors.ts';
import type { Manifest } from '../model/objects.ts';
import type { Change, Create, Reason, Update } from '../model/plan.ts';
import type { Clock, Cluster } from '../ports.ts';

/** Waits between tries, ms: an API server that is away for five seconds (a rolling update) is outlasted. */
const BACKOFF_MS = [250, 500, 1000, 2000, 4000] as const;
/** A server that asks for a longer wait than this is left for the next run. */
const LONGEST_RETRY_AFTER_MS = 10_000;

export type Written =
  | { readonly result: 'applied'; readonly uid: string | undefined }
  | { readonly result: 'conflict'; readonly message: string } // what stands there is not what was seen: read again, plan again
  | { readonly result: 'refused'; readonly reason: Reason; readonly message: string } // the server will not do it
  | { readonly result: 'unanswered'; readonly message: string }; // it did not answer, however often it was asked

export interface WriteContext {
  readonly source: Cluster;
  readonly clock: Clock;
  /** Why no write may start now (lost lease, deadline, stop); undefined: go on. Asked before every request, repeated ones too. */
  readonly hindrance: () => Promise<string | undefined>;
}

/** The owner that is only known now. */
const ownership = ({ ownedBy }: Create | Update, ownerUid: string | undefined): Manifest => {
  if (ownedBy === undefined) return {};
  const uid = ownedBy.uid ?? ownerUid;
  return { ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: ownedBy.name, uid }] };
};

const withMetadata = (manifest: Manifest, more: Manifest): Manifest => ({
  ...manifest,
  metadata: { ...Object(manifest['metadata']), ...more },
});

const send = async (
  { source }: WriteContext,
  change: Change,
  ownerUid: string | undefined,
): Promise<string | undefined> => {
  const { kind, namespace, name } = change;
  switch (change.action) {
    case 'create':
      return (await source.create(kind, namespace, withMetadata(change.body, ownership(change, ownerUid))))
        .meta.uid;
    case 'update': {
      const { resourceVersion } = change;
      const metadata = { ...ownership(change, ownerUid), resourceVersion };
      return (await source.patch(kind, namespace, name, withMetadata(change.patch, metadata))).meta.uid;
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
  if (error.kind === 'notFound' && change.action === 'delete') return { result: 'applied', uid: undefined };
  // A namespace is only asked to be there, whoever made it.
  if (error.kind === 'exists' && change.kind === 'Namespace') return { result: 'applied', uid: undefined };
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
 * @param ownerUid UID of the mirror Service that an earlier change of the group created
 */
export const write = async (
  context: WriteContext,
  change: Change,
  ownerUid: string | undefined,
): Promise<Written> => {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return { result: 'applied', uid: await send(context, change, ownerUid) };
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
