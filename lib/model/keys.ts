// What one namespaced object is called, and the one comparator that orders such names.

export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/** `namespace/name`, for maps, messages and people. */
export const keyText = (key: ObjectKey): string => `${key.namespace}/${key.name}`;

/** Orders text by code unit, so that every machine sorts alike (localeCompare does not). */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const compareKeys = (a: ObjectKey, b: ObjectKey): number =>
  compareText(a.namespace, b.namespace) || compareText(a.name, b.name);

/** The mirror Service's name for an exported Service (Linkerd's rule). */
export const mirrorName = (service: string, link: string): string => `${service}-${link}`;
