// Packs messages into as few requests as SQS allows.

/** Of SendMessageBatch: entries, and bytes of all their bodies together (quotas of SQS; 256 KiB until August 2025). */
const MOST_ENTRIES = 10;
const MOST_BYTES = 1024 * 1024;

export interface Entry {
  readonly body: string;
  readonly delaySeconds: number | undefined;
}

/** In the order given. A body that is too large by itself is a batch by itself: SQS refuses it, and no other message with it. */
export function batchesOf(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const batches: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = Buffer.byteLength(entry.body);
    const batch = batches.at(-1);
    if (batch === undefined || batch.length === MOST_ENTRIES || bytes + size > MOST_BYTES) {
      batches.push([entry]);
      bytes = size;
    } else {
      batch.push(entry);
      bytes += size;
    }
  }
  return batches;
}
