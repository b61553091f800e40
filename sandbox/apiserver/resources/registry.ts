// All kinds of resources that the embedded API server serves.
import { CONFIG_MAP, ENDPOINTS, EVENT, NAMESPACE, SECRET, SERVICE } from '../schema/core.ts';
import { ENDPOINT_SLICE, LEASE, LINK, SERVICE_CIDR } from '../schema/groups.ts';
import type { ResourceType } from '../types.ts';
import { endpointSliceStrategy } from './endpoint-slice.ts';
import { endpointsStrategy } from './endpoints.ts';
import { namespaceStrategy } from './namespace.ts';
import {
  configMapStrategy,
  eventStrategy,
  leaseStrategy,
  linkStrategy,
  secretStrategy,
  serviceCidrStrategy,
} from './others.ts';
import { serviceStrategy } from './service.ts';

const core = {
  group: '',
  versions: ['v1'],
  categories: [],
  namespaced: true,
  subresources: [],
  custom: false,
} as const;

export const RESOURCES: readonly ResourceType[] = [
  {
    ...core,
    resource: 'namespaces',
    singular: 'namespace',
    kind: 'Namespace',
    shortNames: ['ns'],
    namespaced: false,
    subresources: ['status', 'finalize'],
    schema: NAMESPACE,
    strategy: namespaceStrategy,
  },
  {
    ...core,
    resource: 'services',
    singular: 'service',
    kind: 'Service',
    shortNames: ['svc'],
    categories: ['all'],
    subresources: ['status'],
    schema: SERVICE,
    strategy: serviceStrategy,
  },
  {
    ...core,
    resource: 'endpoints',
    singular: 'endpoints',
    kind: 'Endpoints',
    shortNames: ['ep'],
    schema: ENDPOINTS,
    strategy: endpointsStrategy,
    deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  },
  {
    ...core,
    resource: 'events',
    singular: 'event',
    kind: 'Event',
    shortNames: ['ev'],
    schema: EVENT,
    strategy: eventStrategy,
  },
  {
    ...core,
    resource: 'secrets',
    singular: 'secret',
    kind: 'Secret',
    shortNames: [],
    schema: SECRET,
    strategy: secretStrategy,
  },
  {
    ...core,
    resource: 'configmaps',
    singular: 'configmap',
    kind: 'ConfigMap',
    shortNames: ['cm'],
    schema: CONFIG_MAP,
    strategy: configMapStrategy,
  },
  {
    ...core,
    group: 'discovery.k8s.io',
    resource: 'endpointslices',
    singular: 'endpointslice',
    kind: 'EndpointSlice',
    shortNames: [],
    schema: ENDPOINT_SLICE,
    strategy: endpointSliceStrategy,
  },
  {
    ...core,
    group: 'coordination.k8s.io',
    resource: 'leases',
    singular: 'lease',
    kind: 'Lease',
    shortNames: [],
    schema: LEASE,
    strategy: leaseStrategy,
  },
  {
    ...core,
    group: 'networking.k8s.io',
    resource: 'servicecidrs',
    singular: 'servicecidr',
    kind: 'ServiceCIDR',
    shortNames: [],
    namespaced: false,
    subresources: ['status'],
    schema: SERVICE_CIDR,
    strategy: serviceCidrStrategy,
  },
  {
    ...core,
    group: 'multicluster.linkerd.io',
    versions: ['v1alpha1', 'v1alpha2', 'v1alpha3'],
    resource: 'links',
    singular: 'link',
    kind: 'Link',
    shortNames: [],
    subresources: ['status'],
    schema: LINK,
    strategy: linkStrategy,
    custom: true,
  },
];

const byPlace = new Map(RESOURCES.map((type) => [`${type.group}/${type.resource}`, type]));

export const resourceAt = (group: string, resource: string): ResourceType | undefined =>
  byPlace.get(`${group}/${resource}`);

/** By the plural name alone, for use in the process: no two kinds here share one. */
export function resourceNamed(resource: string): ResourceType {
  const type = RESOURCES.find((candidate) => candidate.resource === resource);
  if (type === undefined) throw new Error(`no such resource: ${resource}`);
  return type;
}
