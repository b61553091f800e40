// The ports of a gateway Service, as an address of the gateway has them open.
import type { Service } from '../model/objects.ts';

const isPort = (port: number | undefined): port is number =>
  port !== undefined && Number.isInteger(port) && port >= 1 && port <= 65_535;

/** The named port where the gateway's addresses listen: a node's own port for type NodePort. undefined when there is none. */
export const gatewayPort = (service: Service | undefined, name: string): number | undefined => {
  const row = service?.ports.find((port) => port.name === name);
  const port = service?.type === 'NodePort' ? row?.nodePort : row?.port;
  return isPort(port) ? port : undefined;
};
