// The strategy of a kind that has nothing special: what the others start from.
import type { FieldError } from '../field-errors.ts';
import type { KubeObject, Strategy, Transaction, UpdateOf } from '../types.ts';
import { isDns1123Subdomain } from '../validation/names.ts';
import { validateMetadata, validateMetadataUpdate } from '../validation/metadata.ts';

export const NOTHING_ALLOCATED: Transaction = { commit: () => undefined, revert: () => undefined };

/** The two fields that every kind can select by. */
export const metadataFields = ({ metadata }: KubeObject): Record<string, string> => ({
  'metadata.name': metadata.name,
  ...(metadata.namespace === undefined ? {} : { 'metadata.namespace': metadata.namespace }),
});

export const baseStrategy: Strategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  returnDeletedObject: false,
  resetFields: {},
  setDefaults: () => undefined,
  allocate: () => NOTHING_ALLOCATED,
  prepareForCreate: () => undefined,
  prepareForUpdate: () => undefined,
  validateCreate: ({ metadata }: KubeObject): FieldError[] =>
    validateMetadata(metadata, true, isDns1123Subdomain),
  validateUpdate: ({ object, old }: UpdateOf): FieldError[] =>
    validateMetadataUpdate(object.metadata, old.metadata),
  canonicalize: () => undefined,
  warnings: () => [],
  selectableFields: metadataFields,
  afterDelete: () => undefined,
};
