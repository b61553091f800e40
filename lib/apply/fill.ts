// Puts addresses that were not known when the plan was made into a body.
import type { Manifest } from '../model/objects.ts';
import type { ClusterIPOf } from '../model/plan.ts';

/** The address; undefined: there is none to point to, as a change of its Service was not applied. */
export type FindAddress = (wanted: ClusterIPOf) => string | undefined;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isClusterIPOf = (value: unknown): value is ClusterIPOf => isRecord(value) && 'clusterIPOf' in value;

/** Left out of the list that it stands in. */
const NOTHING = Symbol('nothing');

const fillList = (list: readonly unknown[], find: FindAddress): unknown =>
  list.map((item) => fill(item, find)).filter((item) => item !== NOTHING);

/** A part whose addresses all fell away says nothing any more. */
const isEmptied = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): boolean =>
  Array.isArray(before['addresses']) &&
  before['addresses'].length > 0 &&
  Array.isArray(after['addresses']) &&
  after['addresses'].length === 0;

const fillRecord = (record: Readonly<Record<string, unknown>>, find: FindAddress): unknown => {
  const parts = Object.entries(record).map(([key, value]) => [key, fill(value, find)] as const);
  if (parts.some(([, value]) => value === NOTHING)) return NOTHING;
  const after = Object.fromEntries(parts);
  return isEmptied(record, after) ? NOTHING : after;
};

const fill = (value: unknown, find: FindAddress): unknown => {
  if (isClusterIPOf(value)) return find(value) ?? NOTHING;
  if (Array.isArray(value)) return fillList(value, find);
  return isRecord(value) ? fillRecord(value, find) : value;
};

/**
 * The body with an address in each place that a plan left open. A line without one is left out, and a subset or endpoint whose lines
 * all are with it: so no list ever points to a Service that is not there.
 */
export const filled = (body: Manifest, find: FindAddress): Manifest =>
  Object.fromEntries(Object.entries(body).map(([key, value]) => [key, fill(value, find)]));
