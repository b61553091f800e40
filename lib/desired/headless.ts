// A headless Service: which shape its mirror has, and what is in it.
//
//   headless mirroring off                     one ClusterIP, the gateway behind it
//   an endpoint with a hostname, ready or not  a root that lists an endpoint mirror for each named pod
//   endpoints, none with a hostname            one ClusterIP, the gateway behind it
//   no endpoint at all                         the shape that stands stays, empty; at first sight nothing is made
import type { DesiredEndpoints, DesiredPod, DesiredRoot, DesiredService } from '../model/desired.ts';
import { type ObjectKey, mirrorName } from '../model/keys.ts';
import type { Refusal } from '../model/plan.ts';
import type { Facts } from './facts.ts';
import { endpointAnnotations, endpointLabels, podAnnotations, podLabels } from './metadata.ts';
import { tooLong } from './names.ts';
import type { NamedPod, Pods } from './pods.ts';

/** As many addresses of one subset as Kubernetes' mirroring controller copies (--mirroring-max-endpoints-per-subset). */
const MOST_COPIED = 1000;

/** waiting: nothing tells the shape yet. unobserved: the EndpointSlices could not be read. */
export type Shape = 'headless' | 'address' | 'waiting' | 'unobserved';

export const isHeadless = ({ service }: Pick<Facts, 'service'>): boolean => service.clusterIP === 'None';

const shapeWithoutPods = ({ standing }: Facts): Shape => (standing === 'absent' ? 'waiting' : standing);

export const shapeOf = (facts: Facts): Shape => {
  if (!isHeadless(facts) || !facts.link.headless) return 'address';
  if (facts.ready === undefined) return 'unobserved';
  const { named, unnamed } = facts.pods;
  if (named.length > 0) return 'headless';
  return unnamed > 0 ? 'address' : shapeWithoutPods(facts);
};

const isListed = ({ service }: Facts, pod: NamedPod): boolean =>
  pod.isReady || service.publishNotReadyAddresses;

/** Why no endpoint mirror can have this pod's name; undefined when it can. */
const nameFault = (facts: Facts, hostname: string): Pick<Refusal, 'reason' | 'message'> | undefined => {
  const name = mirrorName(hostname, facts.link.name);
  const length = tooLong(name);
  if (length !== undefined) return { reason: 'NameTooLong', message: `pod ${hostname}: ${length}` };
  // Kubernetes' rule for the name of a Service (RFC 1035 label); a hostname may begin with a digit.
  return /^[a-z]/.test(name)
    ? undefined
    : { reason: 'InvalidService', message: `pod ${hostname}: mirror name ${name}: expected a letter first` };
};

/** Why the whole Service cannot be mirrored pod by pod; undefined when it can. */
export const headlessFault = (facts: Facts): string | undefined => {
  if (facts.link.endpoints !== 'endpoints' || shapeOf(facts) !== 'headless') return undefined;
  const count = facts.pods.named.filter((pod) => isListed(facts, pod)).length;
  // A pod has an address of each family, and all of them count.
  const most = facts.link.ipFamilies === 'dual' ? MOST_COPIED / 2 : MOST_COPIED;
  return count <= most
    ? undefined
    : `${count} pods: expected at most ${most} in the Endpoints form, as Kubernetes copies only the first ${MOST_COPIED} addresses of a subset to EndpointSlices; set endpoints: endpointslices`;
};

const unnamedRefusal = ({ named, unnamed }: Pods, key: ObjectKey): readonly Refusal[] =>
  unnamed === 0
    ? []
    : [
        {
          ...key,
          reason: 'InvalidService',
          message: `${unnamed} of ${unnamed + named.length} pods have no hostname, so they have no endpoint mirror and are not in the root`,
        },
      ];

export interface HeadlessParts {
  readonly endpoints: DesiredRoot;
  readonly refusals: readonly Refusal[];
}

/**
 * @param service the root's Service
 * @param gateway the root's endpoints as if it had a ClusterIP: what each endpoint mirror lists
 */
export const headlessParts = (
  facts: Facts,
  key: ObjectKey,
  service: DesiredService,
  gateway: DesiredEndpoints,
): HeadlessParts => {
  const { link, pods } = facts;
  const identity = facts.gateway === 'none' || facts.gateway === 'unobserved' ? '' : facts.gateway.identity;
  const root = mirrorName(key.name, link.name);
  const common = {
    ...service,
    isHeadless: false,
    labels: podLabels(link, root, facts.service.meta.labels),
  };
  const faults = pods.named.map(({ hostname }) => nameFault(facts, hostname));
  const desiredPod = (pod: NamedPod): DesiredPod => {
    const { hostname, ports } = pod;
    const fqName = { ...key, hostname };
    return {
      hostname,
      mirror: { namespace: key.namespace, name: mirrorName(hostname, link.name) },
      isListed: isListed(facts, pod),
      ports,
      service: { ...common, annotations: podAnnotations(link, fqName, facts.service.meta.annotations) },
      endpoints: {
        labels: common.labels,
        annotations: endpointAnnotations(link, fqName, identity),
        ports: gateway.ports,
        addresses: isListed(facts, pod) ? gateway.addresses : [],
      },
    };
  };
  return {
    endpoints: {
      labels: endpointLabels(link, facts.service.meta.labels),
      annotations: endpointAnnotations(link, key, identity),
      pods: pods.named.filter((_pod, index) => faults[index] === undefined).map(desiredPod),
    },
    refusals: [
      ...unnamedRefusal(pods, key),
      ...faults.flatMap((fault) => (fault === undefined ? [] : [{ ...key, ...fault }])),
    ],
  };
};
