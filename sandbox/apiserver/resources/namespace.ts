// Namespaces: the label with their name, their finalizer and phase.
import type { FieldError } from '../field-errors.ts';
import { invalidValue } from '../field-errors.ts';
import { trusted } from '../json.ts';
import type { KubeObject, Strategy } from '../types.ts';
import { validateBuiltInMetadata, validateMetadataUpdate } from '../validation/metadata.ts';
import { isDns1123Label, isQualifiedName } from '../validation/names.ts';
import { baseStrategy } from './base.ts';

export interface Namespace extends KubeObject {
  spec: { finalizers?: string[] };
  status: { phase?: string };
}

export const asNamespace = (object: KubeObject): Namespace => trusted(object);

/** The finalizer that the namespace controller takes away when the namespace is empty. */
export const KUBERNETES_FINALIZER = 'kubernetes';
/** Not to be deleted, by admission. */
export const PERMANENT_NAMESPACES: readonly string[] = ['default', 'kube-system', 'kube-public'];
const NAME_LABEL = 'kubernetes.io/metadata.name';

function nameLabel(object: KubeObject): void {
  if (object.metadata.name === '') return;
  object.metadata.labels = { ...object.metadata.labels, [NAME_LABEL]: object.metadata.name };
}

export const namespaceStrategy: Strategy = {
  ...baseStrategy,
  returnDeletedObject: true,
  resetFields: { '': ['status'], status: ['spec'], finalize: ['status'] },
  setDefaults(object) {
    asNamespace(object).status.phase ??= 'Active';
    nameLabel(object);
  },
  prepareForCreate(object) {
    const namespace = asNamespace(object);
    namespace.status = { phase: 'Active' };
    const finalizers = namespace.spec.finalizers ?? [];
    if (!finalizers.includes(KUBERNETES_FINALIZER))
      namespace.spec.finalizers = [...finalizers, KUBERNETES_FINALIZER];
  },
  prepareForUpdate({ object, old, subresource }) {
    if (subresource !== 'status') object.status = old.status;
    if (subresource !== 'finalize') object.spec = old.spec;
  },
  validateCreate: (object) => validateNamespace(asNamespace(object)),
  validateUpdate({ object, old, subresource }) {
    const errors = validateMetadataUpdate(object.metadata, old.metadata);
    if (subresource === 'status') return [...errors, ...validatePhase(asNamespace(object))];
    return [...validateNamespace(asNamespace(object)), ...errors];
  },
  canonicalize: nameLabel,
  selectableFields: (object) => ({
    'metadata.name': object.metadata.name,
    'status.phase': asNamespace(object).status.phase ?? '',
  }),
};

function validateNamespace({ metadata, spec }: Namespace): FieldError[] {
  const errors = validateBuiltInMetadata(metadata, false, isDns1123Label);
  for (const finalizer of spec.finalizers ?? []) {
    errors.push(
      ...isQualifiedName(finalizer).map((problem) => invalidValue('spec.finalizers', finalizer, problem)),
    );
    if (finalizer.includes('/') || finalizer === KUBERNETES_FINALIZER) continue;
    const problem = 'name is neither a standard finalizer name nor is it fully qualified';
    errors.push(invalidValue('spec.finalizers', finalizer, problem));
  }
  return errors;
}

function validatePhase({ metadata, status }: Namespace): FieldError[] {
  const [phase, condition] =
    metadata.deletionTimestamp === undefined ? ['Active', 'empty'] : ['Terminating', 'not empty'];
  if (status.phase === phase) return [];
  const problem = `may only be '${phase}' if \`deletionTimestamp\` is ${condition}`;
  return [invalidValue('status.Phase', status.phase, problem)];
}
