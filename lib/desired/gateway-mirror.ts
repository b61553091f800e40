// What should exist of the gateway itself in the source cluster: its mirror, and the endpoints of the chart's probe Service.
import type { DesiredGateway, NamedGateway, PlainMirror } from '../model/desired.ts';
import type { GatewayDeclaration, GatewayView, PublishedAddress } from '../model/gateway.ts';
import { keyText } from '../model/keys.ts';
import {
  CLUSTER_NAME,
  GATEWAY_MIRROR,
  gatewayMirrorName,
  GATEWAY_PORT_NAME,
  PROBE_PORT_NAME,
  REMOTE_GATEWAY_IDENTITY,
} from '../model/labels.ts';
import type { Link } from '../model/link.ts';
import type { EndpointPort, StringMap } from '../model/objects.ts';

/** A dead gateway stays listed as ready here: a probe that cannot reach it could never find it alive again. */
const listed = ({ resolved }: GatewayView): readonly PublishedAddress[] =>
  resolved.filter(({ state }) => state === 'ready');

const portsOf = ({ port, probePort }: GatewayView): readonly EndpointPort[] =>
  (
    [
      [GATEWAY_PORT_NAME, port],
      [PROBE_PORT_NAME, probePort],
    ] as const
  ).flatMap(([name, number]) => (number === undefined ? [] : [{ name, protocol: 'TCP', port: number }]));

const identityOf = ({ identity }: GatewayView): StringMap =>
  identity === '' ? {} : { [REMOTE_GATEWAY_IDENTITY]: identity };

const probeEndpoints = (link: Link, view: GatewayView): DesiredGateway['probe'] =>
  view.probePort === undefined
    ? 'unobserved'
    : {
        labels: { [CLUSTER_NAME]: link.name },
        annotations: identityOf(view),
        ports: portsOf(view).filter(({ name }) => name === PROBE_PORT_NAME),
        addresses: listed(view),
      };

const serviceLabels = (link: Link): StringMap => ({ [CLUSTER_NAME]: link.name, [GATEWAY_MIRROR]: 'true' });

/**
 * The gateway mirror: a Service of ours with the gateway's two ports, listing what the gateway resolves to. It carries the link's
 * cluster-name but never Linkerd's mirrored-service label: it is no mirror of an exported Service.
 */
const addressMirror = (link: Link, view: GatewayView): PlainMirror => {
  const [labels, ports] = [serviceLabels(link), portsOf(view)];
  return {
    service: {
      isHeadless: false,
      wantsBothFamilies: link.ipFamilies === 'dual',
      labels,
      annotations: {},
      ports: ports.map(({ name = '', protocol, port }) => ({ name, protocol, port, targetPort: port })),
      remoteResourceVersion: undefined,
    },
    endpoints: { labels, annotations: identityOf(view), ports, addresses: listed(view) },
    createNamespace: false,
  };
};

/** Seen with Linkerd 2.20 and CoreDNS 1.15: why clients in the mesh are better off with addresses. */
const LOSES: Readonly<Record<NamedGateway['shape'], string>> = {
  fqdn: "Linkerd's proxies and CoreDNS find no address in an FQDN EndpointSlice; it is for clients that read the slice and resolve the names themselves",
  externalName:
    "Linkerd's proxies refuse an ExternalName Service and forward plainly: no identity, no failover, no address filter; it is for clients outside of the mesh",
};

type Mirror = Pick<DesiredGateway, 'mirror' | 'refusals' | 'notes'>;

const nothing = (mirror: 'none' | 'unobserved'): Mirror => ({ mirror, refusals: [], notes: [] });

const namedMirror = (
  link: Link,
  shape: NamedGateway['shape'],
  view: GatewayView,
  { key, hostnames, literals }: GatewayDeclaration,
): Mirror => {
  const [first] = hostnames;
  if (first === undefined && literals.length > 0) {
    const message = `gatewayMirror: ${shape}: expected a hostname of gateway Service ${keyText(key)}, found only IP addresses: ${literals.join(', ')}`;
    return { ...nothing('unobserved'), refusals: [{ ...key, reason: 'Unsupported', message }] };
  }
  if (first === undefined) return nothing('unobserved');
  const name = gatewayMirrorName(link.name);
  const others =
    shape === 'externalName' && hostnames.length > 1
      ? [`gateway mirror ${name}: an ExternalName holds one name: ${first} of ${hostnames.join(', ')}`]
      : [];
  return {
    mirror: {
      shape,
      labels: serviceLabels(link),
      annotations: identityOf(view),
      ports: portsOf(view),
      hostnames,
    },
    refusals: [],
    notes: [`gateway mirror ${name} has the shape ${shape}: ${LOSES[shape]}`, ...others],
  };
};

const mirrorOf = (link: Link, view: GatewayView, declaration: GatewayDeclaration | undefined): Mirror => {
  const { gatewayMirror: shape } = link;
  if (shape === 'none') return nothing('none');
  if (portsOf(view).length === 0) return nothing('unobserved');
  if (shape === 'addresses') return { mirror: addressMirror(link, view), refusals: [], notes: [] };
  return declaration === undefined ? nothing('unobserved') : namedMirror(link, shape, view, declaration);
};

/**
 * @param declaration what the gateway Service, or the link's pins, say before any name is resolved
 * @returns undefined: what is remembered of the gateway cannot be read, so all of it stays
 */
export const desiredGateway = (
  link: Link,
  view: GatewayView | 'none' | 'unobserved',
  declaration: GatewayDeclaration | undefined,
): DesiredGateway | undefined => {
  if (view === 'unobserved') return undefined;
  if (view === 'none') return { ...nothing('none'), probe: 'unobserved' };
  return { ...mirrorOf(link, view, declaration), probe: probeEndpoints(link, view) };
};
