// GET of a collection: selectors, pages, consistent snapshots.
import type { Core } from '../core.ts';
import { emptyObject } from '../core.ts';
import { badRequest, expired, invalid, resourceVersionTooLarge } from '../status.ts';
import type { StatusError } from '../status.ts';
import { invalidValue, forbiddenValue } from '../field-errors.ts';
import type { FieldError } from '../field-errors.ts';
import { decodeContinue, encodeContinue } from '../storage/continue-token.ts';
import type { Position } from '../storage/continue-token.ts';
import type { Entry } from '../storage/entry.ts';
import { parseFieldSelector, parseLabelSelector } from '../selectors.ts';
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

const TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter';
const INCONSISTENT = `${TOO_OLD}, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.`;

/** @throws StatusError 400 for selectors that cannot be parsed */
export function selectionOf(target: Target, query: URLSearchParams): Selection {
  const { strategy } = target.type;
  const labelText = query.get('labelSelector') ?? '';
  const byLabels = parseLabelSelector(labelText);
  const probe = emptyObject(target.type);
  const selectable = [...Object.keys(strategy.selectableFields(probe)), 'metadata.name'];
  if (target.type.namespaced) selectable.push('metadata.namespace');
  const byFields = parseFieldSelector(query.get('fieldSelector') ?? '', selectable);
  return {
    empty: labelText === '' && byFields.empty,
    matches: (entry) =>
      byLabels(entry.labels) && (byFields.empty || byFields.matches(strategy.selectableFields(entry.object))),
  };
}

/** One page, or everything when no limit is given. @throws StatusError 400, 410, 422, 504 */
export function listObjects(core: Core, target: Target, query: URLSearchParams): Page {
  checkOptions(query);
  const selection = selectionOf(target, query);
  const position = startOf(query);
  const revision = revisionOf(core, query, position);
  const all = snapshot(core, target, { revision, position });
  const limit = Number(query.get('limit') ?? 0);
  return cut({ all, selection, limit, revision, namespace: target.namespace });
}

function startOf(query: URLSearchParams): Position | undefined {
  const token = query.get('continue') ?? '';
  if (token === '') return undefined;
  const version = query.get('resourceVersion') ?? '';
  if (version !== '' && version !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  return decodeContinue(token);
}

function checkOptions(query: URLSearchParams): void {
  const errors: FieldError[] = [];
  const match = query.get('resourceVersionMatch') ?? '';
  const version = query.get('resourceVersion') ?? '';
  if (match !== '') {
    if (version === '') {
      errors.push(
        forbiddenValue(
          'resourceVersionMatch',
          'resourceVersionMatch is forbidden unless resourceVersion is provided',
        ),
      );
    }
    if ((query.get('continue') ?? '') !== '') {
      errors.push(
        forbiddenValue('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'),
      );
    }
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', name: 'ListOptions' }, '', errors);
}

/** A resourceVersion is a number; anything else is 400. */
export function parseRevision(text: string): number {
  if (!/^\d*$/.test(text)) {
    throw invalid({ group: '', name: '' }, '', [
      invalidValue('resourceVersion', text, `strconv.ParseUint: parsing "${text}": invalid syntax`),
    ]);
  }
  return Number(text);
}

/** The revision that the list shows: the newest, the one of the first page, or exactly the one asked for. */
function revisionOf(core: Core, query: URLSearchParams, position: Position | undefined): number {
  const { revision: newest } = core.store;
  if (position !== undefined) return position.revision < 0 ? newest : position.revision;
  const asked = parseRevision(query.get('resourceVersion') ?? '');
  if (asked > newest) throw resourceVersionTooLarge(asked, newest);
  return query.get('resourceVersionMatch') === 'Exact' ? asked : newest;
}

function snapshot(
  core: Core,
  { type, namespace }: Target,
  { revision, position }: { revision: number; position: Position | undefined },
): Entry[] {
  const all = core.store.listAt(type.resource, namespace, revision);
  if (all === undefined) throw position === undefined ? expired(TOO_OLD) : inconsistent(position);
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

function cut({ all, selection, limit, revision, namespace }: Cut): Page {
  const page: Entry[] = [];
  for (const [index, entry] of all.entries()) {
    if (!selection.matches(entry)) continue;
    if (limit > 0 && page.length === limit) {
      const last = page.at(-1)?.key ?? '';
      const start = `${namespace === '' ? last : last.slice(namespace.length + 1)}\0`;
      return {
        entries: page,
        resourceVersion: revision,
        continueToken: encodeContinue({ revision, start }),
        remaining: selection.empty ? all.length - index : undefined,
      };
    }
    page.push(entry);
  }
  return { entries: page, resourceVersion: revision, continueToken: '', remaining: undefined };
}
