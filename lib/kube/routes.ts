// Which call of the generated client reads and writes each kind.
import {
  type Configuration,
  type ConfigurationOptions,
  CoordinationV1Api,
  CoreV1Api,
  DiscoveryV1Api,
  NetworkingV1Api,
} from '@kubernetes/client-node/dist/gen/index.js';
import { FIELD_MANAGER as fieldManager } from '../model/labels.ts';
import type { Kind } from '../model/objects.ts';

export interface Page {
  readonly limit: number;
  readonly labelSelector?: string;
  readonly _continue?: string;
}

export interface Place {
  readonly namespace: string; // not read for cluster-scoped kinds
  readonly name: string;
}

/** The calls of one kind. Bodies are put in where the request is sent. */
export interface Routes {
  list(page: Page, namespace: string | undefined, options: ConfigurationOptions): Promise<unknown>;
  get(place: Place, options: ConfigurationOptions): Promise<unknown>;
  create(namespace: string, options: ConfigurationOptions): Promise<unknown>;
  patch(place: Place, options: ConfigurationOptions): Promise<unknown>;
  delete(place: Place, options: ConfigurationOptions): Promise<unknown>;
}

/** Stands where the generated client insists on a body. */
const body = {};

export function routesOf(configuration: Configuration): Readonly<Record<Kind, Routes>> {
  const core = new CoreV1Api(configuration);
  const discovery = new DiscoveryV1Api(configuration);
  const coordination = new CoordinationV1Api(configuration);
  const networking = new NetworkingV1Api(configuration);
  return {
    Namespace: {
      list: (page, _, options) => core.listNamespaceWithHttpInfo(page, options),
      get: ({ name }, options) => core.readNamespaceWithHttpInfo({ name }, options),
      create: (_, options) => core.createNamespaceWithHttpInfo({ body, fieldManager }, options),
      patch: ({ name }, options) => core.patchNamespaceWithHttpInfo({ name, body, fieldManager }, options),
      delete: ({ name }, options) => core.deleteNamespaceWithHttpInfo({ name }, options),
    },
    Service: {
      list: (page, namespace, options) =>
        namespace === undefined
          ? core.listServiceForAllNamespacesWithHttpInfo(page, options)
          : core.listNamespacedServiceWithHttpInfo({ ...page, namespace }, options),
      get: (place, options) => core.readNamespacedServiceWithHttpInfo(place, options),
      create: (namespace, options) =>
        core.createNamespacedServiceWithHttpInfo({ namespace, body, fieldManager }, options),
      patch: (place, options) =>
        core.patchNamespacedServiceWithHttpInfo({ ...place, body, fieldManager }, options),
      delete: (place, options) => core.deleteNamespacedServiceWithHttpInfo(place, options),
    },
    Endpoints: {
      list: (page, namespace, options) =>
        namespace === undefined
          ? core.listEndpointsForAllNamespacesWithHttpInfo(page, options)
          : core.listNamespacedEndpointsWithHttpInfo({ ...page, namespace }, options),
      get: (place, options) => core.readNamespacedEndpointsWithHttpInfo(place, options),
      create: (namespace, options) =>
        core.createNamespacedEndpointsWithHttpInfo({ namespace, body, fieldManager }, options),
      patch: (place, options) =>
        core.patchNamespacedEndpointsWithHttpInfo({ ...place, body, fieldManager }, options),
      delete: (place, options) => core.deleteNamespacedEndpointsWithHttpInfo(place, options),
    },
    EndpointSlice: {
      list: (page, namespace, options) =>
        namespace === undefined
          ? discovery.listEndpointSliceForAllNamespacesWithHttpInfo(page, options)
          : discovery.listNamespacedEndpointSliceWithHttpInfo({ ...page, namespace }, options),
      get: (place, options) => discovery.readNamespacedEndpointSliceWithHttpInfo(place, options),
      create: (namespace, options) =>
        discovery.createNamespacedEndpointSliceWithHttpInfo(
          { namespace, body: { ...body, addressType: '', endpoints: [] }, fieldManager },
          options,
        ),
      patch: (place, options) =>
        discovery.patchNamespacedEndpointSliceWithHttpInfo({ ...place, body, fieldManager }, options),
      delete: (place, options) => discovery.deleteNamespacedEndpointSliceWithHttpInfo(place, options),
    },
    Lease: {
      list: (page, namespace, options) =>
        namespace === undefined
          ? coordination.listLeaseForAllNamespacesWithHttpInfo(page, options)
          : coordination.listNamespacedLeaseWithHttpInfo({ ...page, namespace }, options),
      get: (place, options) => coordination.readNamespacedLeaseWithHttpInfo(place, options),
      create: (namespace, options) =>
        coordination.createNamespacedLeaseWithHttpInfo({ namespace, body, fieldManager }, options),
      patch: (place, options) =>
        coordination.patchNamespacedLeaseWithHttpInfo({ ...place, body, fieldManager }, options),
      delete: (place, options) => coordination.deleteNamespacedLeaseWithHttpInfo(place, options),
    },
    ServiceCIDR: {
      list: (page, _, options) => networking.listServiceCIDRWithHttpInfo(page, options),
      get: ({ name }, options) => networking.readServiceCIDRWithHttpInfo({ name }, options),
      create: (_, options) => networking.createServiceCIDRWithHttpInfo({ body, fieldManager }, options),
      patch: ({ name }, options) =>
        networking.patchServiceCIDRWithHttpInfo({ name, body, fieldManager }, options),
      delete: ({ name }, options) => networking.deleteServiceCIDRWithHttpInfo({ name }, options),
    },
  };
}
