// Decides one Service of the target cluster from facts: its mirror, or why there is none. Pure; knows nothing of what stands in the
// source cluster but its namespaces.
import type { Decision, DesiredEndpoints, DesiredMirror, Mode } from '../model/desired.ts';
import type { GatewayView } from '../model/gateway.ts';
import { type ObjectKey, keyText, mirrorName } from '../model/keys.ts';
import type { Link } from '../model/link.ts';
import type { EndpointPort, Service, ServicePort } from '../model/objects.ts';
import type { Reason, Refusal } from '../model/plan.ts';
import { endpointAnnotations, endpointLabels, serviceAnnotations, serviceLabels } from './metadata.ts';
import { namespaceDenial } from './namespaces.ts';
import { exportMode, isFederatedMember, isMirror } from './select.ts';

/** Kubernetes' limit for a Service name (RFC 1035 label). */
const NAME_LIMIT = 63;

export interface Facts {
  readonly link: Link;
  readonly service: Service; // of the target cluster
  /** Whether the Service has a ready endpoint; undefined: the EndpointSlices could not be read. */
  readonly ready: boolean | undefined;
  /** none: the link declares that it has no gateway. unobserved: what is remembered of it cannot be read. */
  readonly gateway: GatewayView | 'none' | 'unobserved';
  /** The namespace of the same name in the source cluster. */
  readonly namespace: 'present' | 'terminating' | 'absent';
}

type Declined = readonly [Reason, string];

/** Rows are asked from top to bottom; the first that answers declines the Service. */
const DECLINES: readonly ((facts: Facts, mode: Mode) => Declined | undefined)[] = [
  ({ link, service }) => {
    const denial = namespaceDenial(link, service.meta.namespace);
    return denial === undefined
      ? undefined
      : ['NamespaceDenied', `the link may not write to namespace ${service.meta.namespace}: ${denial}`];
  },
  ({ link, service }) => {
    const name = mirrorName(service.meta.name, link.name);
    return name.length <= NAME_LIMIT
      ? undefined
      : ['NameTooLong', `mirror name ${name}: expected at most ${NAME_LIMIT} characters, got ${name.length}`];
  },
  ({ service }) =>
    service.type === 'ExternalName'
      ? ['InvalidService', 'spec.type: expected ClusterIP, NodePort or LoadBalancer, got ExternalName']
      : undefined,
  ({ service }) =>
    service.ports.length === 0
      ? ['InvalidService', 'spec.ports: expected at least one, got none']
      : undefined,
  ({ service }) =>
    service.clusterIP === 'None'
      ? [
          'Unsupported',
          'spec.clusterIP: None: headless Services are not mirrored yet; mirrors that another controller made of it stay',
        ]
      : undefined,
  ({ gateway }, mode) =>
    mode === 'gateway' && gateway === 'none'
      ? [
          'NoGatewayAddress',
          'it is exported in gateway mode, but the link declares that the target cluster has no gateway',
        ]
      : undefined,
  ({ link, service, namespace }) => {
    if (namespace === 'present' || (namespace === 'absent' && link.createNamespaces)) return undefined;
    const state = namespace === 'absent' ? 'does not exist' : 'is being deleted';
    return ['MissingNamespace', `namespace ${service.meta.namespace} ${state} in the source cluster`];
  },
];

const declined = (facts: Facts, mode: Mode): Declined | undefined => {
  for (const row of DECLINES) {
    const answer = row(facts, mode);
    if (answer !== undefined) return answer;
  }
  return undefined;
};

/** What travels of a port: node ports belong to the target cluster's nodes. */
const mirrorPort = ({ nodePort: _, ...port }: ServicePort): ServicePort => port;

const endpointPort = (port: ServicePort, gatewayPort: number): EndpointPort => ({
  ...(port.name === undefined ? {} : { name: port.name }),
  protocol: port.protocol,
  port: gatewayPort,
});

const gatewayEndpoints = (facts: Facts, key: ObjectKey): DesiredEndpoints | 'none' | 'unobserved' => {
  const { link, service, ready, gateway } = facts;
  if (gateway === 'none') return 'none';
  if (gateway === 'unobserved' || ready === undefined) return 'unobserved';
  const { port: gatewayPort, addresses } = gateway;
  if (gatewayPort === undefined && addresses.length > 0) return 'unobserved';
  return {
    labels: endpointLabels(link, service.meta.labels),
    annotations: endpointAnnotations(link, key, gateway.identity),
    ports: gatewayPort === undefined ? [] : service.ports.map((port) => endpointPort(port, gatewayPort)),
    addresses: ready ? addresses : [],
  };
};

const desiredMirror = (facts: Facts, key: ObjectKey, mode: Mode): DesiredMirror => {
  const { link, service } = facts;
  const { labels, annotations, resourceVersion } = service.meta;
  return {
    service: {
      labels: serviceLabels(link, key, { labels, mode }),
      annotations: serviceAnnotations(link, key, annotations),
      ports: service.ports.map(mirrorPort),
      remoteResourceVersion: resourceVersion,
    },
    endpoints: mode === 'gateway' ? gatewayEndpoints(facts, key) : 'none',
    createNamespace: facts.namespace === 'absent',
  };
};

const notExported = ({ link, service }: Facts): string => {
  if (isMirror(service)) return 'it is itself a mirror, and mirrors are never mirrored';
  const shown = (selector: Link['selector']): string =>
    JSON.stringify(selector.matchExpressions.length > 0 ? selector : selector.matchLabels);
  return `its labels ${JSON.stringify(service.meta.labels)} match neither selector ${shown(link.selector)} nor remoteDiscoverySelector ${shown(link.remoteDiscoverySelector)}`;
};

const federatedRefusal = (facts: Facts, key: ObjectKey): readonly Refusal[] =>
  isFederatedMember(facts.link, facts.service)
    ? [
        {
          ...key,
          reason: 'Unsupported',
          message: 'federated Services are not built yet; those that another controller made stay',
        },
      ]
    : [];

/** The decision about one Service of the target cluster. Level-triggered: it depends on nothing but the facts handed in. */
export const desiredFor = (facts: Facts): Decision => {
  const { link, service } = facts;
  const key: ObjectKey = { namespace: service.meta.namespace, name: service.meta.name };
  const mirror: ObjectKey = { namespace: key.namespace, name: mirrorName(key.name, link.name) };
  const federated = federatedRefusal(facts, key);
  const mode = exportMode(link, service);
  if (mode === undefined)
    return { key, mirror, protects: false, refusals: federated, because: notExported(facts) };
  const decline = declined(facts, mode);
  if (decline !== undefined) {
    const [reason, message] = decline;
    return {
      key,
      mirror,
      mode,
      protects: true,
      refusals: [{ ...key, reason, message: `Service ${keyText(key)}: ${message}` }, ...federated],
    };
  }
  return { key, mirror, mode, desired: desiredMirror(facts, key, mode), protects: true, refusals: federated };
};
