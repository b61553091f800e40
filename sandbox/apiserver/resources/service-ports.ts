// Node ports of a Service: kept over updates, allocated where its type needs them, released when it does not.
import type { FieldError } from '../field-errors.ts';
import { invalidValue } from '../field-errors.ts';
import { internalError, invalid } from '../status.ts';
import type { Cluster, Transaction } from '../types.ts';
import { AllocationError } from './cluster-ips.ts';
import { needsHealthCheckPort, nodePortsOf, usesNodePorts } from './service-types.ts';
import type { Service, ServicePort, ServiceSpec } from './service-types.ts';

/** Node ports by port name, for an update that leaves them out. */
export function keepNodePorts(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(old) && old.healthCheckNodePort !== undefined) {
    spec.healthCheckNodePort ??= old.healthCheckNodePort;
  }
  if (!allocatesNodePorts(spec) || !allocatesNodePorts(old)) return;
  const before = new Set(nodePortsOf(old));
  const used = new Set(nodePortsOf(spec).filter((port) => before.has(port)));
  const byName = new Map((old.ports ?? []).map(({ name, nodePort }) => [name, nodePort]));
  for (const port of spec.ports ?? []) {
    const known = byName.get(port.name);
    if (port.nodePort === undefined && known !== undefined && !used.has(known)) port.nodePort = known;
  }
}

const allocatesNodePorts = ({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean =>
  type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);

export function allocateNodePorts(cluster: Cluster, service: Service, old: Service | undefined): Transaction {
  const before = new Set(old === undefined ? [] : allPorts(old.spec));
  const taken: number[] = [];
  const revert = (): void => {
    for (const port of taken) cluster.nodePorts.release(port);
  };
  try {
    if (usesNodePorts(service.spec)) allocatePorts(cluster, service, { before, taken });
    if (needsHealthCheckPort(service.spec)) allocateHealthCheckPort(cluster, service.spec, { before, taken });
  } catch (error) {
    revert();
    throw error;
  }
  return {
    revert,
    commit: () => {
      const kept = new Set(allPorts(service.spec));
      for (const port of before) if (!kept.has(port)) cluster.nodePorts.release(port);
    },
  };
}

interface Allocation {
  /** Ports that the Service had. */
  readonly before: ReadonlySet<number>;
  /** Ports taken by this write. */
  readonly taken: number[];
}

/** All node ports that a Service holds, the one for health checks included. */
export const allPorts = (spec: ServiceSpec): number[] => [
  ...nodePortsOf(spec),
  ...(needsHealthCheckPort(spec) && spec.healthCheckNodePort !== undefined ? [spec.healthCheckNodePort] : []),
];

function allocatePorts(cluster: Cluster, service: Service, { before, taken }: Allocation): void {
  const { spec } = service;
  for (const [index, port] of (spec.ports ?? []).entries()) {
    if (port.nodePort === undefined && !allocatesNodePorts(spec)) continue;
    const shared = requestedFor(port.port, spec.ports ?? []);
    if (port.nodePort === undefined && shared !== undefined) port.nodePort = shared;
    if (port.nodePort === undefined) {
      port.nodePort = nextPort(cluster, taken);
      continue;
    }
    if (before.has(port.nodePort) || taken.includes(port.nodePort)) continue;
    takePort(cluster, service, { index, port: port.nodePort });
    taken.push(port.nodePort);
  }
}

/** TCP and UDP of the same port number share a node port. */
const requestedFor = (number: number, ports: readonly ServicePort[]): number | undefined =>
  ports.find(({ port, nodePort }) => port === number && nodePort !== undefined)?.nodePort;

function nextPort(cluster: Cluster, taken: number[]): number {
  try {
    const port = cluster.nodePorts.next();
    taken.push(port);
    return port;
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    throw internalError(`failed to allocate a nodePort: ${error.message}`);
  }
}

function takePort(
  cluster: Cluster,
  service: Service,
  { index, port }: { index: number; port: number },
): void {
  try {
    cluster.nodePorts.take(port);
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    const problem: FieldError = invalidValue(`spec.ports[${index}].nodePort`, port, error.message);
    throw invalid({ group: '', name: 'Service' }, service.metadata.name, [problem]);
  }
}

function allocateHealthCheckPort(cluster: Cluster, spec: ServiceSpec, { before, taken }: Allocation): void {
  const wanted = spec.healthCheckNodePort;
  if (wanted === undefined) {
    spec.healthCheckNodePort = nextPort(cluster, taken);
    return;
  }
  if (before.has(wanted)) return;
  try {
    cluster.nodePorts.take(wanted);
    taken.push(wanted);
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    throw internalError(`failed to allocate requested HealthCheck NodePort ${wanted}: ${error.message}`);
  }
}
