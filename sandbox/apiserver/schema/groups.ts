// Schemas of the other groups: discovery, coordination, networking (Kubernetes 1.35), and Linkerd's Link.
import { OBJECT_REFERENCE } from './core.ts';
import { CONDITION, OBJECT_META } from './metadata.ts';
import {
  ANY,
  BOOLEAN,
  INT32,
  MICRO_TIME,
  STRING,
  always,
  keyed,
  list,
  map,
  object,
  omit,
  pointer,
  setOf,
} from './schema.ts';

const NAMED = object('ForZone', { name: always(STRING, '') });

const ENDPOINT = object('Endpoint', {
  addresses: always(setOf(STRING), null),
  conditions: always(
    object('EndpointConditions', {
      ready: pointer(BOOLEAN),
      serving: pointer(BOOLEAN),
      terminating: pointer(BOOLEAN),
    }),
  ),
  hostname: pointer(STRING),
  targetRef: pointer(OBJECT_REFERENCE),
  deprecatedTopology: omit(map(STRING)),
  nodeName: pointer(STRING),
  zone: pointer(STRING),
  hints: pointer(object('EndpointHints', { forZones: omit(list(NAMED)), forNodes: omit(list(NAMED)) })),
});

export const ENDPOINT_SLICE = object('EndpointSlice', {
  metadata: always(OBJECT_META),
  addressType: always(STRING, ''),
  endpoints: always(list(ENDPOINT), null),
  ports: always(
    list(
      object('EndpointPort', {
        name: pointer(STRING),
        protocol: pointer(STRING),
        port: pointer(INT32),
        appProtocol: pointer(STRING),
      }),
    ),
    null,
  ),
});

export const LEASE = object('Lease', {
  metadata: always(OBJECT_META),
  spec: always(
    object('LeaseSpec', {
      holderIdentity: pointer(STRING),
      leaseDurationSeconds: pointer(INT32),
      acquireTime: pointer(MICRO_TIME),
      renewTime: pointer(MICRO_TIME),
      leaseTransitions: pointer(INT32),
      strategy: pointer(STRING),
      preferredHolder: pointer(STRING),
    }),
  ),
});

export const SERVICE_CIDR = object('ServiceCIDR', {
  metadata: always(OBJECT_META),
  spec: always(object('ServiceCIDRSpec', { cidrs: omit(list(STRING)) })),
  status: always(object('ServiceCIDRStatus', { conditions: omit(keyed(CONDITION, ['type'], 'type')) })),
});

/** A custom resource whose spec and status keep whatever they are given. */
export const LINK = object('Link', {
  metadata: always(OBJECT_META),
  spec: pointer(ANY),
  status: pointer(ANY),
});
