// Schemas of the core group (v1), after k8s.io/api/core/v1/types.go of Kubernetes 1.35.
import { CONDITION, OBJECT_META } from './metadata.ts';
import {
  BOOLEAN,
  BYTES,
  INT32,
  INT_OR_STRING,
  MICRO_TIME,
  STRING,
  TIME,
  always,
  atomicMap,
  atomicObject,
  keyed,
  list,
  map,
  object,
  omit,
  pointer,
} from './schema.ts';

const SERVICE_PORT = object('ServicePort', {
  name: omit(STRING),
  protocol: omit(STRING),
  appProtocol: pointer(STRING),
  port: always(INT32, 0),
  targetPort: always(INT_OR_STRING, 0),
  nodePort: omit(INT32),
});

const LOAD_BALANCER_INGRESS = object('LoadBalancerIngress', {
  ip: omit(STRING),
  hostname: omit(STRING),
  ipMode: pointer(STRING),
  ports: omit(
    list(
      object('PortStatus', { port: always(INT32, 0), protocol: always(STRING, ''), error: pointer(STRING) }),
    ),
  ),
});

const SERVICE_SPEC = object('ServiceSpec', {
  ports: omit(keyed(SERVICE_PORT, ['port', 'protocol'], 'port')),
  selector: omit(atomicMap(STRING)),
  clusterIP: omit(STRING),
  clusterIPs: omit(list(STRING)),
  type: omit(STRING),
  externalIPs: omit(list(STRING)),
  sessionAffinity: omit(STRING),
  loadBalancerIP: omit(STRING),
  loadBalancerSourceRanges: omit(list(STRING)),
  externalName: omit(STRING),
  externalTrafficPolicy: omit(STRING),
  healthCheckNodePort: omit(INT32),
  publishNotReadyAddresses: omit(BOOLEAN),
  sessionAffinityConfig: pointer(
    object('SessionAffinityConfig', {
      clientIP: pointer(object('ClientIPConfig', { timeoutSeconds: pointer(INT32) })),
    }),
  ),
  ipFamilies: omit(list(STRING)),
  ipFamilyPolicy: pointer(STRING),
  allocateLoadBalancerNodePorts: pointer(BOOLEAN),
  loadBalancerClass: pointer(STRING),
  internalTrafficPolicy: pointer(STRING),
  trafficDistribution: pointer(STRING),
});

export const SERVICE = object('Service', {
  metadata: always(OBJECT_META),
  spec: always(SERVICE_SPEC),
  status: always(
    object('ServiceStatus', {
      loadBalancer: always(object('LoadBalancerStatus', { ingress: omit(list(LOAD_BALANCER_INGRESS)) })),
      conditions: omit(keyed(CONDITION, ['type'], 'type')),
    }),
  ),
});

export const OBJECT_REFERENCE = atomicObject('ObjectReference', {
  kind: omit(STRING),
  namespace: omit(STRING),
  name: omit(STRING),
  uid: omit(STRING),
  apiVersion: omit(STRING),
  resourceVersion: omit(STRING),
  fieldPath: omit(STRING),
});

const ENDPOINT_ADDRESS = atomicObject('EndpointAddress', {
  ip: always(STRING, ''),
  hostname: omit(STRING),
  nodeName: pointer(STRING),
  targetRef: pointer(OBJECT_REFERENCE),
});

const ENDPOINT_SUBSET = object('EndpointSubset', {
  addresses: omit(list(ENDPOINT_ADDRESS)),
  notReadyAddresses: omit(list(ENDPOINT_ADDRESS)),
  ports: omit(
    list(
      atomicObject('EndpointPort', {
        name: omit(STRING),
        port: always(INT32, 0),
        protocol: omit(STRING),
        appProtocol: pointer(STRING),
      }),
    ),
  ),
});

export const ENDPOINTS = object('Endpoints', {
  metadata: always(OBJECT_META),
  subsets: omit(list(ENDPOINT_SUBSET)),
});

export const EVENT = object('Event', {
  metadata: always(OBJECT_META),
  involvedObject: always(OBJECT_REFERENCE),
  reason: omit(STRING),
  message: omit(STRING),
  source: always(object('EventSource', { component: omit(STRING), host: omit(STRING) })),
  firstTimestamp: always(TIME, null),
  lastTimestamp: always(TIME, null),
  count: omit(INT32),
  type: omit(STRING),
  eventTime: always(MICRO_TIME, null),
  series: pointer(object('EventSeries', { count: omit(INT32), lastObservedTime: always(MICRO_TIME, null) })),
  action: omit(STRING),
  related: pointer(OBJECT_REFERENCE),
  reportingComponent: always(STRING, ''),
  reportingInstance: always(STRING, ''),
});

export const SECRET = object('Secret', {
  metadata: always(OBJECT_META),
  immutable: pointer(BOOLEAN),
  data: omit(map(BYTES)),
  stringData: omit(map(STRING)),
  type: omit(STRING),
});

export const CONFIG_MAP = object('ConfigMap', {
  metadata: always(OBJECT_META),
  immutable: pointer(BOOLEAN),
  data: omit(map(STRING)),
  binaryData: omit(map(BYTES)),
});

export const NAMESPACE = object('Namespace', {
  metadata: always(OBJECT_META),
  spec: always(object('NamespaceSpec', { finalizers: omit(list(STRING)) })),
  status: always(
    object('NamespaceStatus', {
      phase: omit(STRING),
      conditions: omit(
        keyed(
          object('NamespaceCondition', {
            type: always(STRING, ''),
            status: always(STRING, ''),
            lastTransitionTime: always(TIME, null),
            reason: omit(STRING),
            message: omit(STRING),
          }),
          ['type'],
          'type',
        ),
      ),
    }),
  ),
});
