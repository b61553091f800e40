// discovery.k8s.io/v1 EndpointSlice.
import { SERVICE_NAME, SLICE_MANAGED_BY } from '../../model/labels.ts';
import type { EndpointPort, EndpointSlice, SliceEndpoint } from '../../model/objects.ts';
import { type Raw, listOf, optional } from './json.ts';
import { type RawObject, readMeta } from './meta.ts';

interface RawSlice extends RawObject {
  readonly addressType?: EndpointSlice['addressType'] | null;
  readonly endpoints?: readonly RawEndpoint[] | null;
  readonly ports?: readonly Raw<Required<EndpointPort>>[] | null;
}

type RawEndpoint = Raw<{
  readonly addresses: readonly string[];
  readonly conditions: Raw<{
    readonly ready: boolean;
    readonly serving: boolean;
    readonly terminating: boolean;
  }>;
  readonly hostname: string;
  readonly zone: string;
}>;

export function readSlice(raw: RawSlice): EndpointSlice {
  const meta = readMeta(raw);
  return {
    meta,
    serviceName: meta.labels[SERVICE_NAME] ?? '',
    managedBy: meta.labels[SLICE_MANAGED_BY] ?? '',
    addressType: raw.addressType ?? 'IPv4',
    endpoints: listOf(raw.endpoints).map(readEndpoint),
    ports: listOf(raw.ports).flatMap(readPort),
    ownerUids: listOf(raw.metadata?.ownerReferences).flatMap(({ uid }) => uid ?? []),
  };
}

function readEndpoint({ addresses, conditions, hostname, zone }: RawEndpoint): SliceEndpoint {
  const ready = conditions?.ready ?? true;
  return {
    addresses: listOf(addresses),
    ready,
    serving: conditions?.serving ?? ready,
    terminating: conditions?.terminating ?? false,
    ...optional('hostname', hostname),
    ...optional('zone', zone),
  };
}

/** A port without a number stands for all ports, which no Endpoints object can say: it is left out. */
const readPort = ({ name, protocol, port }: Raw<Required<EndpointPort>>): EndpointPort[] =>
  port === undefined || port === null
    ? []
    : [{ ...optional('name', name), protocol: protocol ?? 'TCP', port }];
