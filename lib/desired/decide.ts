// Decides one Service of the target cluster from facts: its mirror, or why there is none. Pure; knows nothing of what stands in the
// source cluster but its namespaces and the shape of the mirror there.
import type { Decision, DesiredEndpoints, DesiredMirror, DesiredService, Mode } from '../model/desired.ts';
import { type ObjectKey, keyText, mirrorName } from '../model/keys.ts';
import type { Link } from '../model/link.ts';
import type { EndpointPort, ServicePort } from '../model/objects.ts';
import type { Reason, Refusal } from '../model/plan.ts';
import type { Facts } from './facts.ts';
import { headlessFault, headlessParts, isHeadless, shapeOf } from './headless.ts';
import { endpointAnnotations, endpointLabels, serviceAnnotations, serviceLabels } from './metadata.ts';
import { tooLong } from './names.ts';
import { namespaceDenial } from './namespaces.ts';
import { exportMode, isFederatedMember, isMirror } from './select.ts';

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
    const length = tooLong(mirrorName(service.meta.name, link.name));
    return length === undefined ? undefined : ['NameTooLong', length];
  },
  ({ service }) =>
    service.type === 'ExternalName'
      ? ['InvalidService', 'spec.type: expected ClusterIP, NodePort or LoadBalancer, got ExternalName']
      : undefined,
  ({ service }) =>
    service.ports.length === 0
      ? ['InvalidService', 'spec.ports: expected at least one, got none']
      : undefined,
  (facts, mode) =>
    isHeadless(facts) && mode === 'remote-discovery'
      ? [
          'Unsupported',
          'spec.clusterIP: None: a headless Service is mirrored in gateway mode only, and it is exported in remote-discovery mode',
        ]
      : undefined,
  ({ gateway }, mode) =>
    mode === 'gateway' && gateway === 'none'
      ? [
          'NoGatewayAddress',
          'it is exported in gateway mode, but the link declares that the target cluster has no gateway',
        ]
      : undefined,
  (facts) => {
    const fault = headlessFault(facts);
    return fault === undefined ? undefined : ['Unsupported', fault];
  },
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
    // Of a headless mirror each pod's own readiness decides.
    addresses: ready || shapeOf(facts) === 'headless' ? addresses : [],
  };
};

const desiredService = (facts: Facts, key: ObjectKey, mode: Mode): DesiredService => {
  const { link, service } = facts;
  const { labels, annotations, resourceVersion } = service.meta;
  return {
    isHeadless: shapeOf(facts) === 'headless',
    wantsBothFamilies: link.ipFamilies === 'dual',
    labels: serviceLabels(link, key, { labels, mode }),
    annotations: serviceAnnotations(link, key, annotations),
    ports: service.ports.map(mirrorPort),
    remoteResourceVersion: resourceVersion,
  };
};

/** The mirror, and what of it is declined. */
const desiredMirror = (
  facts: Facts,
  key: ObjectKey,
  mode: Mode,
): readonly [DesiredMirror, readonly Refusal[]] => {
  const service = desiredService(facts, key, mode);
  const common = { service, createNamespace: facts.namespace === 'absent' };
  const endpoints = mode === 'gateway' ? gatewayEndpoints(facts, key) : 'none';
  if (!service.isHeadless || typeof endpoints === 'string') return [{ ...common, endpoints }, []];
  const parts = headlessParts(facts, key, service, endpoints);
  return [{ ...common, endpoints: parts.endpoints }, parts.refusals];
};

/** Why a headless Service has to wait; undefined: it need not. */
const waitsFor = (facts: Facts): string | undefined => {
  const shape = shapeOf(facts);
  if (shape === 'waiting')
    return 'it is headless and has no endpoint yet: the first one tells whether its mirror is headless too';
  return shape === 'unobserved' ? 'it is headless, and its EndpointSlices could not be read' : undefined;
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
  const wait = waitsFor(facts);
  if (wait !== undefined) return { key, mirror, mode, protects: true, refusals: federated, because: wait };
  const [desired, refusals] = desiredMirror(facts, key, mode);
  return { key, mirror, mode, desired, protects: true, refusals: [...federated, ...refusals] };
};
