// GET of a collection: selectors, pages, consistent snapshots.
import type { Core } from '../core.ts';
import { emptyObject } from '../core.ts';
import { parseFieldSelector } from '../selectors/fields.ts';
import { parseLabelSelector } from '../selectors/labels.ts';
import { badRequest, expired, resourceVersionTooLarge } from '../status.ts';
import type { StatusError } from '../status.ts';
import { decodeContinue, encodeContinue } from '../storage/continue-token.ts';
import type { Position } from '../storage/continue-token.ts';
import type { Entry } from '../storage/entry.ts';
import { checkListOptions } from './options.ts';
import type { Target } from './target.ts';

/** Which objects of a collection a request wants. */
export interface Selection {
  readonly empty: boolean;
  matches(entry: Entry): boolean;
}

export interface Page {
  readonly entries: readonly Entry[];
  readonly resourceVersion: number;
  /** '' on the last page. */
  readonly continueToken: string;
  readonly remaining: number | undefined;
}

const LIST_TOO_OLD = 'The resourceVersion for the provided list is too old.';
const TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter';
const INCONSISTENT = `${TOO_OLD}, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.`;

/** @throws StatusError 400 for selectors that cannot be parsed */
export function selectionOf(target: Target, query: URLSearchParams): Selection {
  const { strategy, namespaced } = target.type;
  const labelText = query.get('labelSelector') ?? '';
  const byLabels = parseLabelSelector(labelText);
  const selectable = Object.keys(strategy.selectableFields(emptyObject(target.type)));
  if (namespaced) selectable.push('metadata.namespace');
  const byFields = parseFieldSelector(target.type, query.get('fieldSelector') ?? '', selectable);
  return {
    empty: labelText === '' && byFields.empty,
    matches: (entry) =>
      byLabels(entry.labels) && (byFields.empty || byFields.matches(strategy.selectableFields(entry.object))),
  };
}

/** One page, or everything when no limit is given. @throws StatusError 400, 410, 422, 504 */
export function listObjects(core: Core, target: Target, query: URLSearchParams): Page {
  checkListOptions(query, false);
  const selection = selectionOf(target, query);
  const position = startOf(query);
  const revision = revisionOf(core, query, position);
  const all = snapshot(core, target, { revision, position });
  // What "any version" gets comes out of a cache, which knows no pages.
  const limit = query.get('resourceVersion') === '0' ? 0 : Number(query.get('limit') ?? 0);
  core.store.observe(target.type.resource);
  return cut({ all, selection, limit, revision, namespace: target.namespace });
}

function startOf(query: URLSearchParams): Position | undefined {
  const token = query.get('continue') ?? '';
  if (token === '') return undefined;
  const position = decodeContinue(token);
  const version = query.get('resourceVersion') ?? '';
  if (version !== '' && version !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  return position;
}

/** A resourceVersion is a number. @param refuse makes the error: its code depends on the verb */
export function parseRevision(text: string, refuse: (message: string) => Error): number {
  if (/^\d*$/.test(text)) return Number(text);
  throw refuse(
    `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`,
  );
}

/** The revision that the list shows: the newest, the one of the first page, or exactly the one asked for. */
function revisionOf(core: Core, query: URLSearchParams, position: Position | undefined): number {
  const { revision: newest } = core.store;
  const asked =
    position?.revision ??
    parseRevision(query.get('resourceVersion') ?? '', (message) =>
      badRequest(`invalid resource version: ${message}`),
    );
  if (asked > newest) throw resourceVersionTooLarge(asked, newest);
  if (position !== undefined) return asked < 0 ? newest : asked;
  return query.get('resourceVersionMatch') === 'Exact' ? asked : newest;
}

function snapshot(
  core: Core,
  { type, namespace }: Target,
  { revision, position }: { revision: number; position: Position | undefined },
): Entry[] {
  const all = core.store.listAt(type.resource, namespace, revision);
  if (all === undefined) throw position === undefined ? expired(LIST_TOO_OLD) : inconsistent(position);
  if (position === undefined) return all;
  const start = namespace === '' ? position.start : `${namespace}/${position.start}`;
  return all.filter(({ key }) => key >= start);
}

/** 410 with a token to go on with, if the caller does not mind that the list changed meanwhile. */
function inconsistent({ start }: Position): StatusError {
  const error = expired(INCONSISTENT);
  Object.assign(error.status.metadata, { continue: encodeContinue({ revision: -1, start }) });
  return error;
}

interface Cut {
  readonly all: readonly Entry[];
  readonly selection: Selection;
  readonly limit: number;
  readonly revision: number;
  readonly namespace: string;
}

/** A full page says that there is more when more follows, whether or not that matches. */
function cut({ all, selection, limit, revision, namespace }: Cut): Page {
  const page: Entry[] = [];
  for (const [index, entry] of all.entries()) {
    if (limit > 0 && page.length === limit) {
      const last = all[index - 1]?.key ?? '';
      const start = `${namespace === '' ? last : last.slice(namespace.length + 1)}\0`;
      return {
        entries: page,
        resourceVersion: revision,
        continueToken: encodeContinue({ revision, start }),
        remaining: selection.empty ? all.length - index : undefined,
      };
    }
    if (selection.matches(entry)) page.push(entry);
  }
  return { entries: page, resourceVersion: revision, continueToken: '', remaining: undefined };
}
