// Validation of metadata, on create and on update.
import type { FieldError } from '../field-errors.ts';
import { forbiddenValue, invalidValue, required, tooLong } from '../field-errors.ts';
import { equal } from '../json.ts';
import type { ObjectMeta, OwnerReference } from '../types.ts';
import { asPrefix, isDns1123Label, isLabelValue, isQualifiedName } from './names.ts';

/** What a kind says about its names: an empty list is a valid one. */
export type NameRule = (name: string) => string[];

const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];
const ANNOTATIONS_LIMIT = 256 * 1024;

export function validateMetadata(
  metadata: ObjectMeta,
  namespaced: boolean,
  nameRule: NameRule,
): FieldError[] {
  return [
    ...validateName(metadata, nameRule),
    ...validateNamespace(metadata, namespaced),
    ...validateCommon(metadata),
    ...validateFinalizers(metadata.finalizers ?? []),
  ];
}

/** As above, for the built-in groups: a finalizer is a known one or has a domain. */
export function validateBuiltInMetadata(
  metadata: ObjectMeta,
  namespaced: boolean,
  nameRule: NameRule,
): FieldError[] {
  const problem = 'name is neither a standard finalizer name nor is it fully qualified';
  const unknown = [...(metadata.finalizers ?? []).entries()].filter(
    ([, finalizer]) => !finalizer.includes('/') && !STANDARD_FINALIZERS.includes(finalizer),
  );
  return [
    ...validateMetadata(metadata, namespaced, nameRule),
    ...unknown.map(([index, finalizer]) => invalidValue(`metadata.finalizers[${index}]`, finalizer, problem)),
  ];
}

export function validateMetadataUpdate(metadata: ObjectMeta, old: ObjectMeta): FieldError[] {
  return [
    ...newFinalizers(metadata, old),
    ...immutable('name', metadata, old),
    ...immutable('namespace', metadata, old),
    ...immutable('uid', metadata, old),
    ...immutable('creationTimestamp', metadata, old),
    ...immutable('deletionTimestamp', metadata, old),
    ...immutable('deletionGracePeriodSeconds', metadata, old),
    ...validateCommon(metadata),
  ];
}

function validateName(metadata: ObjectMeta, nameRule: NameRule): FieldError[] {
  const errors: FieldError[] = [];
  const { generateName = '', name } = metadata;
  if (generateName !== '') {
    const problems = nameRule(asPrefix(generateName));
    errors.push(...problems.map((problem) => invalidValue('metadata.generateName', generateName, problem)));
  }
  if (name === '') return [...errors, required('metadata.name', 'name or generateName is required')];
  return [...errors, ...nameRule(name).map((problem) => invalidValue('metadata.name', name, problem))];
}

function validateNamespace({ namespace = '' }: ObjectMeta, namespaced: boolean): FieldError[] {
  const field = 'metadata.namespace';
  if (!namespaced) return namespace === '' ? [] : [forbiddenValue(field, 'not allowed on this type')];
  if (namespace === '') return [required(field)];
  return isDns1123Label(namespace).map((problem) => invalidValue(field, namespace, problem));
}

function validateCommon(metadata: ObjectMeta): FieldError[] {
  return [
    ...validateLabels(metadata.labels ?? {}, 'metadata.labels'),
    ...validateAnnotations(metadata.annotations ?? {}),
    ...validateOwners(metadata.ownerReferences ?? []),
  ];
}

export function validateLabels(labels: Readonly<Record<string, string>>, field: string): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...isQualifiedName(key).map((problem) => invalidValue(field, key, problem)),
    ...isLabelValue(value).map((problem) => invalidValue(field, value, problem)),
  ]);
}

function validateAnnotations(annotations: Readonly<Record<string, string>>): FieldError[] {
  const field = 'metadata.annotations';
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
    errors.push(...isQualifiedName(key.toLowerCase()).map((problem) => invalidValue(field, key, problem)));
  }
  return size > ANNOTATIONS_LIMIT ? [...errors, tooLong(field, ANNOTATIONS_LIMIT)] : errors;
}

function validateOwners(owners: readonly OwnerReference[]): FieldError[] {
  const field = 'metadata.ownerReferences';
  const errors: FieldError[] = [];
  for (const owner of owners) {
    if (owner.apiVersion === '') {
      errors.push(invalidValue(`${field}.apiVersion`, owner.apiVersion, 'version must not be empty'));
    }
    for (const key of ['kind', 'name', 'uid'] as const) {
      if (owner[key] === '') errors.push(invalidValue(`${field}.${key}`, '', 'must not be empty'));
    }
    if (owner.apiVersion === 'v1' && owner.kind === 'Event')
      errors.push(invalidValue(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
  }
  const controllers = owners.filter(({ controller }) => controller === true);
  const [first, ...others] = controllers.map(({ kind, name }) => `${kind}/${name}`);
  for (const other of others) {
    const names = `Found "true" in references for ${first} and ${other}`;
    errors.push(invalidValue(field, owners, `Only one reference can have Controller set to true. ${names}`));
  }
  return errors;
}

const validateFinalizers = (finalizers: readonly string[]): FieldError[] =>
  finalizers.flatMap((finalizer) =>
    isQualifiedName(finalizer).map((problem) => invalidValue('metadata.finalizers', finalizer, problem)),
  );

function newFinalizers(metadata: ObjectMeta, old: ObjectMeta): FieldError[] {
  if (old.deletionTimestamp === undefined) return [];
  const added = (metadata.finalizers ?? []).filter((finalizer) => !old.finalizers?.includes(finalizer));
  if (added.length === 0) return [];
  const shown = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`;
  return [
    forbiddenValue(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`,
    ),
  ];
}

function immutable(key: keyof ObjectMeta, metadata: ObjectMeta, old: ObjectMeta): FieldError[] {
  if (equal(metadata[key], old[key])) return [];
  return [invalidValue(`metadata.${key}`, metadata[key], 'field is immutable')];
}
