// v1 Endpoints.
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from '../../model/objects.ts';
import { type Raw, listOf, optional } from './json.ts';
import { type RawObject, readMeta } from './meta.ts';

interface RawEndpoints extends RawObject {
  readonly subsets?: readonly RawSubset[] | null;
}

type RawSubset = Raw<{
  readonly addresses: readonly RawAddress[];
  readonly notReadyAddresses: readonly RawAddress[];
  readonly ports: readonly Raw<Required<EndpointPort>>[];
}>;
type RawAddress = Raw<Required<EndpointAddress>>;

export const readEndpoints = (raw: RawEndpoints): Endpoints => ({
  meta: readMeta(raw),
  subsets: listOf(raw.subsets).map(readSubset),
});

const readSubset = (raw: RawSubset): EndpointSubset => ({
  addresses: listOf(raw.addresses).map(readAddress),
  notReadyAddresses: listOf(raw.notReadyAddresses).map(readAddress),
  ports: listOf(raw.ports).map(({ name, protocol, port }) => ({
    ...optional('name', name),
    protocol: protocol ?? 'TCP',
    port: port ?? 0,
  })),
});

const readAddress = ({ ip, hostname }: RawAddress): EndpointAddress => ({
  ip: ip ?? '',
  ...optional('hostname', hostname),
});
