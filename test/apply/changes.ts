// Changes as a plan lists them, for tests of what walks a plan.
import type { Create, Delete, Update, WrittenKind } from '../../lib/model/plan.ts';

interface Given {
  readonly kind?: WrittenKind;
  readonly name?: string;
  readonly mirror?: string; // default: the same name
  readonly needsEarlier?: boolean;
}

const base = ({ kind = 'Service', name = 'web-west', mirror = name, needsEarlier = false }: Given) => {
  const namespace = kind === 'Namespace' ? '' : 'shop';
  return { kind, namespace, name, mirror: { namespace, name: mirror }, needsEarlier, reasons: [] } as const;
};

export const aCreate = (given: Given & Pick<Partial<Create>, 'ownedBy'> = {}): Create => {
  const { namespace, name, ...rest } = base(given);
  return {
    action: 'create',
    namespace,
    name,
    ...rest,
    body: { kind: rest.kind, metadata: { namespace, name, labels: { a: 'b' } } },
    ...(given.ownedBy === undefined ? {} : { ownedBy: given.ownedBy }),
  };
};

const SEEN = { uid: 'seen', resourceVersion: '5' } as const;

export const anUpdate = (given: Given & Pick<Partial<Update>, 'ownedBy'> = {}): Update => ({
  action: 'update',
  ...base(given),
  ...SEEN,
  patch: { metadata: { labels: { a: 'c' } } },
  ...(given.ownedBy === undefined ? {} : { ownedBy: given.ownedBy }),
});

export const aDelete = (given: Given = {}): Delete => ({ action: 'delete', ...base(given), ...SEEN });
