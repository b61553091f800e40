// Changes as a plan lists them, for tests of what walks a plan.
import type { Create, Delete, Stage, Update, WrittenKind } from '../../lib/model/plan.ts';

interface Given {
  readonly kind?: WrittenKind;
  readonly name?: string;
  readonly mirror?: string; // default: the same name
  readonly part?: string; // default: none, the change is about the mirror itself
  readonly stage?: Stage;
  readonly needsEarlier?: boolean;
}

const base = (given: Given) => {
  const { kind = 'Service', name = 'web-west', mirror = name, part, stage, needsEarlier = false } = given;
  const namespace = kind === 'Namespace' ? '' : 'shop';
  return {
    kind,
    namespace,
    name,
    mirror: { namespace, name: mirror },
    ...(part === undefined ? {} : { part: { namespace, name: part } }),
    ...(stage === undefined ? {} : { stage }),
    needsEarlier,
    reasons: [],
  } as const;
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
