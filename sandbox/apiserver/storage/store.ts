// All objects of one embedded API server, the counter behind their resourceVersions, and who listens to changes.
import type { Key, KubeObject, ResourceType } from '../types.ts';
import { Collection } from './collection.ts';
import type { StoreEvent } from './collection.ts';
import { Entry, keyOf, keyText } from './entry.ts';

type Listener = (event: StoreEvent) => void;

/**
 * Writes here are final: validation, defaults and preconditions are done. Every write takes the next revision and is told to
 * the listeners before it returns.
 */
export class Store {
  readonly #collections: ReadonlyMap<string, { readonly type: ResourceType; readonly all: Collection }>;
  readonly #listeners = new Map<string, Set<Listener>>();
  #revision = 0;

  constructor(types: readonly ResourceType[], historyLimit: number) {
    this.#collections = new Map(
      types.map((type) => [type.resource, { type, all: new Collection(historyLimit) }]),
    );
  }

  /** The revision of the last write, of whatever kind. */
  get revision(): number {
    return this.#revision;
  }

  #of(resource: string): { readonly type: ResourceType; readonly all: Collection } {
    const collection = this.#collections.get(resource);
    if (collection === undefined) throw new Error(`no such resource: ${resource}`);
    return collection;
  }

  get(resource: string, key: Key): Entry | undefined {
    return this.#of(resource).all.get(keyText(key));
  }

  /** In key order; namespace '' means all. */
  list(resource: string, namespace = ''): Entry[] {
    return this.#of(resource).all.list(namespace);
  }

  /** As it was at a revision, or undefined when that is forgotten. */
  listAt(resource: string, namespace: string, revision: number): Entry[] | undefined {
    const { all } = this.#of(resource);
    return revision < all.forgotten ? undefined : all.listAt(namespace, revision);
  }

  /** The events after a revision, or undefined when they are forgotten. */
  since(resource: string, revision: number): StoreEvent[] | undefined {
    const { all } = this.#of(resource);
    return revision < all.forgotten ? undefined : all.since(revision);
  }

  /** The revision up to which a kind's events are forgotten. */
  forgotten(resource: string): number {
    return this.#of(resource).all.forgotten;
  }

  /** Notes that somebody read a kind: what watches of it may now tell as their progress. */
  observe(resource: string): void {
    this.#of(resource).all.progress = this.#revision;
  }

  progress(resource: string): number {
    return this.#of(resource).all.progress;
  }

  /** Creates or replaces. */
  put(resource: string, object: KubeObject): Entry {
    const { type, all } = this.#of(resource);
    const previous = all.get(keyText(keyOf(object)));
    const entry = this.#next(type, object);
    this.#tell(resource, {
      type: previous === undefined ? 'ADDED' : 'MODIFIED',
      revision: entry.revision,
      entry,
      previous,
    });
    return entry;
  }

  /** @throws Error when there is no such object */
  remove(resource: string, key: Key): Entry {
    const { type, all } = this.#of(resource);
    const previous = all.get(keyText(key));
    if (previous === undefined) throw new Error(`no ${resource} ${keyText(key)}`);
    const entry = this.#next(type, previous.object);
    this.#tell(resource, { type: 'DELETED', revision: entry.revision, entry, previous });
    return entry;
  }

  #next(type: ResourceType, object: KubeObject): Entry {
    this.#revision += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#revision) };
    return new Entry(type, { ...object, metadata }, this.#revision);
  }

  #tell(resource: string, event: StoreEvent): void {
    this.#of(resource).all.record(event);
    for (const listener of this.#listeners.get(resource) ?? []) listener(event);
  }

  /** Calls the listener for each later event of a kind; returns what ends it. */
  subscribe(resource: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(resource) ?? new Set();
    this.#listeners.set(resource, listeners.add(listener));
    return () => {
      listeners.delete(listener);
    };
  }

  /** Forgets all history up to a revision (by default: all of it), as a compaction of etcd does. */
  compact(revision = this.#revision): void {
    for (const { all } of this.#collections.values()) all.compact(revision);
  }
}
