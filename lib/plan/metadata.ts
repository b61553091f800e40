// The difference of labels and annotations: what must be set, and what may be dropped.
import { compareText } from '../model/keys.ts';
import type { Manifest, Meta, StringMap } from '../model/objects.ts';

export interface MapDiff {
  /** Merge patch of the map; null drops a key. Empty: nothing to do. */
  readonly patch: Readonly<Record<string, string | null>>;
  readonly reasons: readonly string[];
}

/**
 * Compares a map with the wished one. A key that is not wished is dropped only when its last writer was this product or Linkerd's
 * controller (`droppable`): what other tools put on a mirror stays.
 *
 * @param what `label` or `annotation`, for the reasons
 * @param ignored keys whose presence is no difference
 */
export const diffMap = (
  what: string,
  current: { readonly map: StringMap; readonly droppable: readonly string[] },
  wished: StringMap,
  ignored: readonly string[] = [],
): MapDiff => {
  const patch: Record<string, string | null> = {};
  const reasons: string[] = [];
  for (const key of Object.keys(wished).sort(compareText)) {
    const value = wished[key] ?? '';
    if (current.map[key] === value) continue;
    patch[key] = value;
    reasons.push(`${what} ${key}: ${current.map[key] ?? '(none)'} → ${value}`);
  }
  for (const key of current.droppable.toSorted(compareText)) {
    if (Object.hasOwn(wished, key) || ignored.includes(key) || !Object.hasOwn(current.map, key)) continue;
    patch[key] = null;
    reasons.push(`${what} ${key}: ${current.map[key]} → (none)`);
  }
  return { patch, reasons };
};

const isEmpty = (patch: object): boolean => Object.keys(patch).length === 0;

export interface MetadataPatch {
  readonly labels?: MapDiff['patch'];
  readonly annotations?: MapDiff['patch'];
}

export interface MetadataDiff {
  /** The `metadata` part of a merge patch: only what differs. */
  readonly patch: MetadataPatch;
  readonly reasons: readonly string[];
}

/** @param ignored annotations whose presence is no difference */
export const diffMetadata = (
  { labels: map, annotations, droppable }: Meta,
  wished: { readonly labels: StringMap; readonly annotations: StringMap },
  ignored: readonly string[] = [],
): MetadataDiff => {
  const labels = diffMap('label', { map, droppable: droppable.labels }, wished.labels);
  const current = { map: annotations, droppable: droppable.annotations };
  const notes = diffMap('annotation', current, wished.annotations, ignored);
  return {
    patch: {
      ...(isEmpty(labels.patch) ? {} : { labels: labels.patch }),
      ...(isEmpty(notes.patch) ? {} : { annotations: notes.patch }),
    },
    reasons: [...labels.reasons, ...notes.reasons],
  };
};

/** A merge patch without its empty parts. */
export const withoutEmpty = (patch: Readonly<Record<string, object | undefined>>): Manifest =>
  Object.fromEntries(
    Object.entries(patch).filter(
      ([, part]) => part !== undefined && (Array.isArray(part) || Object.keys(part).length > 0),
    ),
  );
