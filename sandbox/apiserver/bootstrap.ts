// What a cluster has from the start: its namespaces, Service default/kubernetes, its ServiceCIDR.
import { toTime } from './clock.ts';
import type { Core } from './core.ts';
import { isObject, trusted } from './json.ts';
import { resourceNamed } from './resources/registry.ts';
import { decodeObject } from './schema/decode.ts';
import { createObject } from './verbs/create.ts';
import type { WriteOptions } from './verbs/target.ts';
import type { KubeObject } from './types.ts';

const OPTIONS: WriteOptions = {
  manager: 'kube-apiserver',
  dryRun: false,
  fieldValidation: 'Ignore',
  warn: () => undefined,
};

export function bootstrap(core: Core): void {
  for (const name of ['kube-system', 'kube-public', 'kube-node-lease', 'default']) {
    create(core, 'namespaces', { metadata: { name } });
  }
  create(core, 'servicecidrs', {
    metadata: { name: 'kubernetes' },
    spec: { cidrs: [...core.clusterIps.cidrs] },
  });
  markReady(core);
  create(core, 'services', {
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      ports: [{ name: 'https', port: 443, targetPort: 6443 }],
      clusterIP: core.clusterIps.first,
      ipFamilyPolicy: 'SingleStack',
    },
  });
  // Nothing that happened so far can be watched.
  core.store.compact();
}

function create(core: Core, resource: string, raw: object): void {
  const type = resourceNamed(resource);
  const { value } = decodeObject(type.schema, isObject(raw) ? raw : {});
  const object = trusted<KubeObject>(value);
  type.strategy.setDefaults(object);
  const target = {
    type,
    version: type.versions[0] ?? '',
    namespace: object.metadata.namespace ?? '',
    name: '',
    subresource: '',
  } as const;
  createObject(core, target, object, OPTIONS);
}

function markReady(core: Core): void {
  const entry = core.store.get('servicecidrs', { namespace: '', name: 'kubernetes' });
  if (entry === undefined) return;
  const time = toTime(core.clock.now());
  const condition = {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: time,
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
  };
  const applied = {
    manager: 'kubernetes-service-cidr-controller',
    operation: 'Apply',
    apiVersion: 'networking.k8s.io/v1',
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': READY_FIELDS } } },
    subresource: 'status',
  };
  const { managedFields = [], ...metadata } = entry.object.metadata;
  core.store.put('servicecidrs', {
    ...entry.object,
    metadata: { ...metadata, managedFields: [applied, ...managedFields] },
    status: { conditions: [condition] },
  });
}

const READY_FIELDS = { '.': {}, 'f:lastTransitionTime': {}, 'f:message': {}, 'f:status': {}, 'f:type': {} };
