// Where we write something else than Linkerd's service mirror, on purpose. Each row has one in docs/from-linkerd.md.

export interface Difference {
  /** Heading of its row in docs/from-linkerd.md. */
  readonly title: string;
  /** `Kind namespace/name` in the fixture. */
  readonly object: string;
  /** Fields from the top of the object down to the one that differs. */
  readonly path: readonly (string | number)[];
  readonly linkerd: unknown;
  readonly ours: unknown;
}

export const DIFFERENCES: readonly Difference[] = [
  {
    title: '`appProtocol` of a port',
    object: 'Service shop/web-west',
    path: ['spec', 'ports', 0, 'appProtocol'],
    linkerd: undefined,
    ours: 'kubernetes.io/h2c',
  },
];

const isHolder = (value: unknown): value is Record<string | number, unknown> =>
  typeof value === 'object' && value !== null;

const holderOf = (object: object, path: Difference['path']): Record<string | number, unknown> => {
  let holder: unknown = object;
  for (const key of path.slice(0, -1)) holder = isHolder(holder) ? holder[key] : undefined;
  if (!isHolder(holder)) throw new Error(`${path.join('.')}: the fixture has no such field`);
  return holder;
};

/** The object as Linkerd writes it, with our differences patched in. @throws Error when Linkerd does not write what a row says */
export const withDifferences = <T extends object>(name: string, object: T): T => {
  const patched = structuredClone(object);
  for (const { object: where, path, linkerd, ours } of DIFFERENCES) {
    if (where !== name) continue;
    const [holder, field] = [holderOf(patched, path), path.at(-1) ?? ''];
    if (holder[field] !== linkerd)
      throw new Error(`${name} ${path.join('.')}: the fixture has another value`);
    holder[field] = ours;
  }
  return patched;
};
