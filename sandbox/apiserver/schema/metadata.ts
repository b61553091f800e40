// Schemas of metav1: what every object carries.
import {
  ANY,
  BOOLEAN,
  INT64,
  STRING,
  TIME,
  always,
  atomicObject,
  keyed,
  list,
  map,
  object,
  omit,
  pointer,
} from './schema.ts';
import type { ListSchema } from './schema.ts';

const OWNER_REFERENCE = atomicObject('OwnerReference', {
  apiVersion: always(STRING, ''),
  kind: always(STRING, ''),
  name: always(STRING, ''),
  uid: always(STRING, ''),
  controller: pointer(BOOLEAN),
  blockOwnerDeletion: pointer(BOOLEAN),
});

const MANAGED_FIELDS = object('ManagedFieldsEntry', {
  manager: omit(STRING),
  operation: omit(STRING),
  apiVersion: omit(STRING),
  time: pointer(TIME),
  fieldsType: omit(STRING),
  fieldsV1: pointer(ANY),
  subresource: omit(STRING),
});

const FINALIZERS: ListSchema = { kind: 'list', items: STRING, type: 'set', patchKey: '' };

export const OBJECT_META = object('ObjectMeta', {
  name: omit(STRING),
  generateName: omit(STRING),
  namespace: omit(STRING),
  selfLink: omit(STRING),
  uid: omit(STRING),
  resourceVersion: omit(STRING),
  generation: omit(INT64),
  creationTimestamp: pointer(TIME),
  deletionTimestamp: pointer(TIME),
  deletionGracePeriodSeconds: pointer(INT64),
  labels: omit(map(STRING)),
  annotations: omit(map(STRING)),
  ownerReferences: omit(keyed(OWNER_REFERENCE, ['uid'], 'uid')),
  finalizers: omit(FINALIZERS),
  // An empty list means something here (it resets the entries), so it survives reading.
  managedFields: pointer(list(MANAGED_FIELDS)),
});

/** metav1.Condition */
export const CONDITION = object('Condition', {
  type: always(STRING, ''),
  status: always(STRING, ''),
  observedGeneration: omit(INT64),
  lastTransitionTime: always(TIME, null),
  reason: always(STRING, ''),
  message: always(STRING, ''),
});
