// The kinds with few rules: Lease, Event, Secret, ConfigMap, ServiceCIDR and Linkerd's Link.
import type { FieldError } from '../field-errors.ts';
import { invalidValue, required, wrongType } from '../field-errors.ts';
import { equal, isObject, trusted } from '../json.ts';
import type { KubeObject, Strategy } from '../types.ts';
import { validateBuiltInMetadata, validateMetadata, validateMetadataUpdate } from '../validation/metadata.ts';
import { isDns1123Subdomain, isQualifiedName } from '../validation/names.ts';
import { baseStrategy, metadataFields } from './base.ts';

interface Lease extends KubeObject {
  spec: { leaseDurationSeconds?: number; leaseTransitions?: number };
}

function validateLease(object: KubeObject): FieldError[] {
  const { leaseDurationSeconds: duration = 1, leaseTransitions: transitions = 0 } =
    trusted<Lease>(object).spec;
  return [
    ...(duration > 0 ? [] : [invalidValue('spec.leaseDurationSeconds', duration, 'must be greater than 0')]),
    ...(transitions >= 0
      ? []
      : [invalidValue('spec.leaseTransitions', transitions, 'must be greater than or equal to 0')]),
  ];
}

export const leaseStrategy: Strategy = {
  ...baseStrategy,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validateCreate: (object) => [...baseStrategy.validateCreate(object), ...validateLease(object)],
  validateUpdate: (update) => [...baseStrategy.validateUpdate(update), ...validateLease(update.object)],
};

interface Event extends KubeObject {
  involvedObject: { namespace?: string; [field: string]: string | undefined };
  reason?: string;
  action?: string;
  type?: string;
  source: { component?: string };
  eventTime: string | null;
  reportingComponent: string;
  reportingInstance: string;
}

function validateEvent(object: KubeObject): FieldError[] {
  const event = trusted<Event>(object);
  const { namespace = '' } = object.metadata;
  const involved = event.involvedObject.namespace ?? '';
  const mismatch = invalidValue('involvedObject.namespace', involved, 'does not match event.namespace');
  const errors: FieldError[] = [];
  if (event.eventTime === null) {
    if (involved !== namespace && !(involved === '' && namespace === 'default')) errors.push(mismatch);
    return errors;
  }
  if (involved === '' && namespace !== 'default' && namespace !== 'kube-system') errors.push(mismatch);
  if (event.reportingComponent === '') errors.push(required('reportingComponent'));
  const problems = isQualifiedName(event.reportingComponent);
  errors.push(
    ...problems.map((problem) => invalidValue('reportingComponent', event.reportingComponent, problem)),
  );
  if (event.reportingInstance === '') errors.push(required('reportingInstance'));
  if (event.action === undefined) errors.push(required('action'));
  if (event.reason === undefined) errors.push(required('reason'));
  return errors;
}

export const eventStrategy: Strategy = {
  ...baseStrategy,
  allowCreateOnUpdate: true,
  validateCreate: validateEvent,
  validateUpdate: ({ object }) => validateEvent(object),
  selectableFields(object) {
    const { involvedObject, reason = '', type = '', source, reportingComponent } = trusted<Event>(object);
    const keys = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
    const involved = keys.map((key) => [`involvedObject.${key}`, involvedObject[key] ?? '']);
    return {
      ...metadataFields(object),
      ...Object.fromEntries(involved),
      reason,
      type,
      reportingComponent,
      source: source.component ?? reportingComponent,
    };
  },
};

export const configMapStrategy: Strategy = {
  ...baseStrategy,
  validateCreate: ({ metadata }) => validateBuiltInMetadata(metadata, true, isDns1123Subdomain),
};

interface Secret extends KubeObject {
  type?: string;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
}

export const secretStrategy: Strategy = {
  ...configMapStrategy,
  setDefaults(object) {
    const secret = trusted<Secret>(object);
    secret.type ??= 'Opaque';
    if (secret.stringData === undefined) return;
    const encoded = Object.entries(secret.stringData).map(([key, text]) => [
      key,
      Buffer.from(text).toString('base64'),
    ]);
    secret.data = { ...secret.data, ...Object.fromEntries(encoded) };
    delete secret.stringData;
  },
  validateUpdate({ object, old }) {
    const errors = validateMetadataUpdate(object.metadata, old.metadata);
    const { type } = trusted<Secret>(object);
    return type === trusted<Secret>(old).type
      ? errors
      : [...errors, invalidValue('type', type, 'field is immutable')];
  },
  selectableFields: (object) => ({ ...metadataFields(object), type: trusted<Secret>(object).type ?? '' }),
};

export const serviceCidrStrategy: Strategy = {
  ...baseStrategy,
  resetFields: { '': ['status'], status: ['spec'] },
  prepareForUpdate({ object, old, subresource }) {
    if (subresource === 'status') object.spec = old.spec;
    else object.status = old.status;
  },
  validateCreate: ({ metadata }) => validateMetadata(metadata, false, isDns1123Subdomain),
};

/** A custom resource with a status subresource: the generation counts changes of all but metadata and status. */
export const linkStrategy: Strategy = {
  ...baseStrategy,
  allowUnconditionalUpdate: false,
  resetFields: { '': ['status'], status: ['spec'] },
  prepareForCreate(object) {
    delete object.status;
    object.metadata.generation = 1;
  },
  validateCreate: (object) => [...baseStrategy.validateCreate(object), ...validateLink(object)],
  validateUpdate: (update) => [...baseStrategy.validateUpdate(update), ...validateLink(update.object)],
  prepareForUpdate({ object, old, subresource }) {
    if (subresource === 'status') {
      restoreAllButStatus(object, old);
      return;
    }
    if (old.status === undefined) delete object.status;
    else object.status = old.status;
    if (!equal(object.spec, old.spec)) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
};

function validateLink(object: KubeObject): FieldError[] {
  return ['spec', 'status'].flatMap((field) => {
    const value = object[field];
    if (value === undefined || isObject(value)) return [];
    return [wrongType(field, Array.isArray(value) ? 'array' : typeof value, 'object')];
  });
}

function restoreAllButStatus(object: KubeObject, old: KubeObject): void {
  object.spec = old.spec;
  if (old.spec === undefined) delete object.spec;
  const { managedFields, resourceVersion } = object.metadata;
  object.metadata = {
    ...old.metadata,
    ...(managedFields === undefined ? {} : { managedFields }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
