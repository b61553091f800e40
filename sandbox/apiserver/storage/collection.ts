// The objects of one kind: by key, in order, with the history that watches and consistent lists read.
import type { Entry } from './entry.ts';

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  /** The object after the event; for DELETED its last state with the revision of the deletion. */
  readonly entry: Entry;
  readonly previous: Entry | undefined;
}

export class Collection {
  readonly #entries = new Map<string, Entry>();
  readonly #keys: string[] = [];
  readonly #history: StoreEvent[] = [];
  readonly #limit: number;
  /** Events up to this revision may be missing from the history. */
  #forgotten = 0;

  constructor(historyLimit: number) {
    this.#limit = historyLimit;
  }

  /** The revision up to which this kind is known: that of its last event, or of a later list. */
  progress = 0;

  get forgotten(): number {
    return this.#forgotten;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  record(event: StoreEvent): void {
    const { key } = event.entry;
    if (event.type === 'DELETED') {
      this.#entries.delete(key);
      this.#keys.splice(this.#position(key), 1);
    } else {
      if (event.type === 'ADDED') this.#keys.splice(this.#position(key), 0, key);
      this.#entries.set(key, event.entry);
    }
    this.#history.push(event);
    this.progress = event.revision;
    if (this.#history.length > this.#limit)
      this.#forgotten = this.#history.shift()?.revision ?? this.#forgotten;
  }

  /** Forgets the history up to a revision, as a compaction of etcd does. */
  compact(revision: number): void {
    const kept = this.#history.findIndex((event) => event.revision > revision);
    this.#history.splice(0, kept === -1 ? this.#history.length : kept);
    this.#forgotten = Math.max(this.#forgotten, revision);
  }

  /** Index of a key, or where it would go. */
  #position(key: string): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** In key order. */
  list(namespace: string): Entry[] {
    const from = namespace === '' ? 0 : this.#position(`${namespace}/`);
    // '0' follows '/', so this is the first key after all those of the namespace.
    const to = namespace === '' ? this.#keys.length : this.#position(`${namespace}0`);
    const entries: Entry[] = [];
    for (let index = from; index < to; index += 1) {
      const entry = this.#entries.get(this.#keys[index] ?? '');
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  }

  /** The list as it was at a revision that is still remembered. */
  listAt(namespace: string, revision: number): Entry[] {
    const undone = new Map<string, Entry | undefined>();
    for (const { entry, previous } of this.since(revision).toReversed()) undone.set(entry.key, previous);
    if (undone.size === 0) return this.list(namespace);
    const kept = this.list(namespace).filter(({ key }) => !undone.has(key));
    const restored = [...undone.values()].filter(
      (entry): entry is Entry => entry !== undefined && (namespace === '' || entry.namespace === namespace),
    );
    return [...kept, ...restored].toSorted((left, right) => (left.key < right.key ? -1 : 1));
  }

  /** Events after a revision. */
  since(revision: number): StoreEvent[] {
    const first = this.#history.findIndex((event) => event.revision > revision);
    return first === -1 ? [] : this.#history.slice(first);
  }
}
