// The EndpointSlices that the mirroring controller makes of Endpoints.
import { repackSubsets } from './repack-subsets.ts';
import type { EndpointAddress, EndpointSubset, Endpoints } from './resources/endpoints.ts';
import type { EndpointSlice, SliceEndpoint, SlicePort } from './resources/endpoint-slice.ts';
import { familyOf, parseAddress, printAddress } from './validation/ip.ts';

export const MIRRORING_CONTROLLER = 'endpointslicemirroring-controller.k8s.io';
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
export const SERVICE_NAME = 'kubernetes.io/service-name';
const NOT_COPIED = [
  'endpoints.kubernetes.io/last-change-trigger-time',
  'kubectl.kubernetes.io/last-applied-configuration',
];
/** Addresses of one subset, both families together, beyond this are not copied, nor those of one slice. */
const MOST_ADDRESSES = 1000;

/** One slice for each set of ports and each family that has addresses. */
export function slicesOf(endpoints: Endpoints): EndpointSlice[] {
  const groups = new Map<string, { ports: SlicePort[]; members: SliceEndpoint[] }>();
  for (const subset of repackSubsets(endpoints.subsets ?? [])) {
    const ports = (subset.ports ?? []).map((port): SlicePort => ({ ...port, name: port.name ?? '' }));
    const key = JSON.stringify(ports);
    const members = [...(groups.get(key)?.members ?? []), ...endpointsOf(subset)];
    groups.set(key, { ports, members });
  }
  return [...groups.values()].flatMap(({ ports, members }) =>
    (['IPv4', 'IPv6'] as const).flatMap((family) => {
      const ofFamily = members.filter(({ addresses }) => familyOf(addresses?.[0] ?? '') === family);
      if (ofFamily.length === 0) return [];
      const copied = ofFamily.slice(0, MOST_ADDRESSES);
      return [newSlice(endpoints, { addressType: family, ports, members: copied })];
    }),
  );
}

function endpointsOf({ addresses = [], notReadyAddresses = [] }: EndpointSubset): SliceEndpoint[] {
  const all = [
    ...addresses.map((address) => toEndpoint(address, true)),
    ...notReadyAddresses.map((address) => toEndpoint(address, false)),
  ];
  return all.slice(0, MOST_ADDRESSES);
}

function toEndpoint({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): SliceEndpoint {
  return {
    addresses: [printAddress(parseAddress(ip) ?? [])],
    conditions: { ready },
    ...(hostname === undefined ? {} : { hostname }),
    ...(targetRef === undefined ? {} : { targetRef }),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}

interface Content {
  readonly addressType: string;
  readonly ports: SlicePort[];
  readonly members: SliceEndpoint[];
}

function newSlice({ metadata }: Endpoints, { addressType, ports, members }: Content): EndpointSlice {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => !NOT_COPIED.includes(key));
  return {
    metadata: {
      name: '',
      generateName: `${metadata.name}-`,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels: { ...metadata.labels, [SERVICE_NAME]: metadata.name, [MANAGED_BY]: MIRRORING_CONTROLLER },
      ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Endpoints',
          name: metadata.name,
          uid: metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    addressType,
    endpoints: members,
    ports,
  };
}
