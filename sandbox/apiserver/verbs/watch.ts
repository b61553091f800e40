// Watches: events from a resourceVersion on, as lines of JSON.
import type { Core } from '../core.ts';
import { emptyObject } from '../core.ts';
import { expired, plainError } from '../status.ts';
import type { StoreEvent } from '../storage/collection.ts';
import { Entry } from '../storage/entry.ts';
import { checkListOptions } from './options.ts';
import { parseRevision, selectionOf } from './list.ts';
import type { Selection } from './list.ts';
import { apiVersionOf } from './target.ts';
import type { Target } from './target.ts';

/** Without timeoutSeconds a watch ends after 30 to 60 minutes; this is the lower end. Milliseconds. */
const DEFAULT_TIMEOUT = 1_800_000;
/** A bookmark comes this long before the end, when the watch lasts longer. Milliseconds. */
const BOOKMARK_BEFORE_END = 2000;
const INITIAL_EVENTS_END = { 'k8s.io/initial-events-end': 'true' };

export interface WatchRequest {
  readonly core: Core;
  readonly target: Target;
  readonly query: URLSearchParams;
  /** How an object is printed. */
  readonly print: (entry: Entry) => string;
}

export interface WatchSink {
  /** One line, its newline included. */
  readonly write: (line: string) => void;
  readonly end: () => void;
}

/**
 * Writes to the sink until the timeout, an error, or the call of the returned function.
 * @throws StatusError 400 for a request that cannot become a watch; a resourceVersion that is too old is an ERROR event
 */
export function watchObjects({ core, target, query, print }: WatchRequest): (sink: WatchSink) => () => void {
  checkListOptions(query, true);
  const selection = selectionOf(target, query);
  const asked = query.get('resourceVersion') ?? '';
  const revision = parseRevision(asked, plainError);
  const initial = asked === '' || revision === 0 || query.get('sendInitialEvents') === 'true';
  return (sink) =>
    new Watch({ core, target, query, print, selection, sink, from: initial ? undefined : revision }).start();
}

interface WatchState extends WatchRequest {
  readonly selection: Selection;
  readonly sink: WatchSink;
  /** undefined: begin with what is there. */
  readonly from: number | undefined;
}

class Watch {
  readonly #state: WatchState;
  #unsubscribe: () => void = () => undefined;
  readonly #timers: NodeJS.Timeout[] = [];
  /** Nothing up to this revision is sent. */
  #seen = 0;
  /** Where the events end that were there at the start: no bookmark tells of an earlier revision. */
  #begun = 0;

  constructor(state: WatchState) {
    this.#state = state;
  }

  start(): () => void {
    const { core, target, from } = this.#state;
    const stop = (): void => this.#stop();
    if (from === undefined) this.#initialState();
    else {
      this.#seen = from;
      const missed = core.store.since(target.type.resource, from);
      if (missed === undefined) {
        this.#tooOld(from);
        return stop;
      }
      for (const event of missed) this.#send(event);
      this.#seen = Math.max(from, missed.at(-1)?.revision ?? 0);
    }
    this.#begun = this.#seen;
    this.#unsubscribe = core.store.subscribe(target.type.resource, (event) => this.#send(event));
    this.#setTimers();
    return stop;
  }

  #initialState(): void {
    const { core, target, selection, query, print } = this.#state;
    for (const entry of core.store.list(target.type.resource, target.namespace)) {
      if (this.#isWanted(entry, selection)) this.#line('ADDED', print(entry));
    }
    this.#seen = core.store.progress(target.type.resource);
    if (query.get('sendInitialEvents') === 'true') this.#bookmark(INITIAL_EVENTS_END);
  }

  #tooOld(from: number): void {
    const { core, target, sink } = this.#state;
    const oldest = core.store.forgotten(target.type.resource);
    this.#line('ERROR', JSON.stringify(expired(`too old resource version: ${from} (${oldest})`).status));
    sink.end();
  }

  /** A watch of one namespace, or of one name, or of all. */
  #isWanted(entry: Entry, selection: Selection): boolean {
    const { namespace, name } = this.#state.target;
    if (namespace !== '' && entry.namespace !== namespace) return false;
    if (name !== '' && entry.object.metadata.name !== name) return false;
    return selection.matches(entry);
  }

  /** An object that begins or ceases to match the selectors comes as ADDED or DELETED. */
  #send({ type, revision, entry, previous }: StoreEvent): void {
    const { selection, print } = this.#state;
    if (revision <= this.#seen) return;
    const before = previous !== undefined && this.#isWanted(previous, selection);
    const after = type !== 'DELETED' && this.#isWanted(entry, selection);
    if (after) this.#line(before ? 'MODIFIED' : 'ADDED', print(entry));
    else if (before) this.#line('DELETED', print(lastState(previous, revision)));
  }

  /** A bookmark says only what is new: a kind that nobody read or wrote meanwhile gets none. */
  #progress(): void {
    const { core, target } = this.#state;
    if (core.store.progress(target.type.resource) > this.#begun) this.#bookmark();
  }

  #bookmark(annotations?: Record<string, string>): void {
    const { core, target, sink } = this.#state;
    const { metadata: _none, ...empty } = emptyObject(target.type);
    const object = {
      kind: target.type.kind,
      apiVersion: apiVersionOf(target),
      metadata: {
        resourceVersion: String(core.store.progress(target.type.resource)),
        ...(annotations === undefined ? {} : { annotations }),
      },
      ...empty,
    };
    sink.write(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
  }

  #line(type: string, object: string): void {
    this.#state.sink.write(`{"type":"${type}","object":${object}}\n`);
  }

  #setTimers(): void {
    const { query, sink } = this.#state;
    const seconds = Number(query.get('timeoutSeconds') ?? 0);
    const timeout = seconds > 0 ? seconds * 1000 : DEFAULT_TIMEOUT;
    const after = (milliseconds: number, action: () => void): void => {
      this.#timers.push(setTimeout(action, milliseconds).unref());
    };
    after(timeout, () => {
      this.#stop();
      sink.end();
    });
    if (query.get('allowWatchBookmarks') === 'true' && timeout > BOOKMARK_BEFORE_END) {
      after(timeout - BOOKMARK_BEFORE_END, () => this.#progress());
    }
  }

  #stop(): void {
    this.#unsubscribe();
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

/** The state before a deletion, or before it stopped matching, under the revision of that. */
function lastState(previous: Entry | undefined, revision: number): Entry {
  if (previous === undefined) throw new Error('a deletion without a state before it');
  const { object, type } = previous;
  const metadata = { ...object.metadata, resourceVersion: String(revision) };
  return new Entry(type, { ...object, metadata }, revision);
}
