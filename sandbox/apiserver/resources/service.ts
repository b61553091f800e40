// Services: defaults, allocation of addresses and ports, validation, and the Endpoints that die with them.
import type { Cluster, KubeObject, Strategy, Transaction } from '../types.ts';
import { validateBuiltInMetadata, validateMetadataUpdate } from '../validation/metadata.ts';
import { isDns1035Label } from '../validation/names.ts';
import { forbiddenValue, invalidValue } from '../field-errors.ts';
import { baseStrategy, metadataFields } from './base.ts';
import {
  allocateClusterIps,
  allocatedIps,
  initFamilies,
  keepAddresses,
  normalizeClusterIps,
} from './service-addresses.ts';
import { validateClusterIpChange, validateFamilyChange } from './service-address-validation.ts';
import { dropTypeDependentFields, setServiceDefaults } from './service-defaults.ts';
import { allPorts, allocateNodePorts, keepNodePorts } from './service-ports.ts';
import { asService, needsClusterIp, needsHealthCheckPort } from './service-types.ts';
import type { Service } from './service-types.ts';
import { serviceWarnings } from './service-warnings.ts';
import { validateServiceSpec, validateServiceStatus } from './service-validation.ts';

export const serviceStrategy: Strategy = {
  ...baseStrategy,
  allowCreateOnUpdate: true,
  returnDeletedObject: true,
  resetFields: { '': ['status'], status: ['spec'] },
  setDefaults: (object) => setServiceDefaults(asService(object)),
  allocate,
  prepareForCreate: (object) => {
    object.status = { loadBalancer: {} };
  },
  prepareForUpdate({ object, old, subresource }) {
    if (subresource === 'status') {
      object.spec = old.spec;
      return;
    }
    object.status = old.status;
    dropTypeDependentFields(asService(object), asService(old));
  },
  validateCreate: (object) => [
    ...validateBuiltInMetadata(object.metadata, true, isDns1035Label),
    ...validateServiceSpec(asService(object), undefined),
  ],
  validateUpdate({ object, old, subresource }) {
    const errors = validateMetadataUpdate(object.metadata, old.metadata);
    if (subresource === 'status')
      return [...errors, ...validateServiceStatus(asService(object), asService(old))];
    return [...errors, ...validateChange(asService(object), asService(old))];
  },
  // The real one stores the field and leaves it out of every answer.
  canonicalize(object) {
    if (!needsClusterIp(asService(object).spec)) delete asService(object).spec.internalTrafficPolicy;
  },
  warnings: (object) => serviceWarnings(asService(object)),
  selectableFields: (object) => ({
    ...metadataFields(object),
    'spec.clusterIP': asService(object).spec.clusterIP ?? '',
    'spec.type': asService(object).spec.type ?? '',
  }),
  afterDelete,
};

function validateChange(service: Service, old: Service): ReturnType<typeof validateServiceSpec> {
  const healthCheckChanged =
    needsHealthCheckPort(service.spec) &&
    needsHealthCheckPort(old.spec) &&
    service.spec.healthCheckNodePort !== old.spec.healthCheckNodePort;
  const classChanged =
    service.spec.type === 'LoadBalancer' &&
    old.spec.type === 'LoadBalancer' &&
    service.spec.loadBalancerClass !== old.spec.loadBalancerClass;
  const { loadBalancerClass = null } = service.spec;
  return [
    ...validateClusterIpChange(service.spec, old.spec),
    ...validateFamilyChange(service.spec, old.spec),
    ...(classChanged
      ? [invalidValue('spec.loadBalancerClass', loadBalancerClass, 'may not change once set')]
      : []),
    ...(healthCheckChanged ? [forbiddenValue('spec.healthCheckNodePort', 'field is immutable')] : []),
    ...validateServiceSpec(service, old),
  ];
}

function allocate(cluster: Cluster, object: KubeObject, old: KubeObject | undefined): Transaction {
  const service = asService(object);
  const before = old === undefined ? undefined : asService(old);
  if (before !== undefined) {
    keepAddresses(service.spec, before.spec);
    keepNodePorts(service.spec, before.spec);
  }
  normalizeClusterIps(service.spec, before?.spec);
  initFamilies(service, before, cluster.clusterIps);
  const addresses = allocateClusterIps(cluster, service, before);
  try {
    return both(addresses, allocateNodePorts(cluster, service, before));
  } catch (error) {
    addresses.revert();
    throw error;
  }
}

const both = (first: Transaction, second: Transaction): Transaction => ({
  commit() {
    first.commit();
    second.commit();
  },
  revert() {
    first.revert();
    second.revert();
  },
});

/** The API server itself deletes the Endpoints of the same name; EndpointSlices are left to a controller. */
function afterDelete(cluster: Cluster, object: KubeObject): void {
  const { spec, metadata } = asService(object);
  for (const ip of allocatedIps(spec)) cluster.clusterIps.release(ip);
  for (const port of allPorts(spec)) cluster.nodePorts.release(port);
  const key = { namespace: metadata.namespace ?? '', name: metadata.name };
  if (cluster.store.get('endpoints', key) !== undefined) cluster.store.remove('endpoints', key);
}
