// What should exist of the gateway itself in the source cluster: its mirror, and the endpoints of the chart's probe Service.
import type { DesiredGateway } from '../model/desired.ts';
import type { GatewayView, PublishedAddress } from '../model/gateway.ts';
import {
  CLUSTER_NAME,
  GATEWAY_MIRROR,
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

/**
 * The gateway mirror: a Service of ours with the gateway's two ports, listing what the gateway resolves to. It carries the link's
 * cluster-name but never Linkerd's mirrored-service label: it is no mirror of an exported Service.
 */
const mirrorOf = (link: Link, view: GatewayView): DesiredGateway['mirror'] => {
  const ports = portsOf(view);
  if (link.gatewayMirror === 'none') return 'none';
  if (link.gatewayMirror !== 'addresses' || ports.length === 0) return 'unobserved';
  const labels = { [CLUSTER_NAME]: link.name, [GATEWAY_MIRROR]: 'true' };
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

/** @returns undefined: what is remembered of the gateway cannot be read, so all of it stays */
export const desiredGateway = (
  link: Link,
  view: GatewayView | 'none' | 'unobserved',
): DesiredGateway | undefined => {
  if (view === 'unobserved') return undefined;
  if (view === 'none') return { mirror: 'none', probe: 'unobserved' };
  return { mirror: mirrorOf(link, view), probe: probeEndpoints(link, view) };
};
