// Endpoints content: what should stand in `subsets`, and whether what stands there says the same.
import type { DesiredEndpoints } from '../model/desired.ts';
import { compareText } from '../model/keys.ts';
import type { EndpointPort, EndpointSubset } from '../model/objects.ts';

/**
 * The subsets of a mirror: one, or none when it lists nobody. Draining addresses have no place in Endpoints and are left out; those
 * that are down stay visible as not ready.
 */
export const desiredSubsets = ({ addresses, ports }: DesiredEndpoints): readonly EndpointSubset[] => {
  const withState = (state: string): { ip: string }[] =>
    addresses.filter((address) => address.state === state).map(({ ip }) => ({ ip }));
  const [ready, down] = [withState('ready'), withState('down')];
  if (ready.length + down.length === 0) return [];
  return [{ addresses: ready, notReadyAddresses: down, ports }];
};

/** Subsets as the API takes them: an empty list of addresses is left out. */
export const subsetsBody = (subsets: readonly EndpointSubset[]): readonly Record<string, unknown>[] =>
  subsets.map(({ addresses, notReadyAddresses, ports }) => ({
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
    ports,
  }));

export const endpointPortText = (port: EndpointPort): string =>
  `${port.name ?? ''}:${port.port}/${port.protocol}`;

const addressesText = (subset: EndpointSubset): string => {
  const texts = (addresses: EndpointSubset['addresses'], mark: string): string[] =>
    addresses.map(({ ip, hostname }) => `${ip}${hostname === undefined ? '' : ` (${hostname})`}${mark}`);
  return [...texts(subset.addresses, ''), ...texts(subset.notReadyAddresses, ' not ready')]
    .sort(compareText)
    .join(', ');
};

/** Subsets as one text that is equal exactly when they say the same, whatever their order. */
export const subsetsText = (subsets: readonly EndpointSubset[]): string =>
  subsets
    .map(
      (subset) =>
        `${addressesText(subset)} on ${subset.ports.map(endpointPortText).sort(compareText).join(' ')}`,
    )
    .sort(compareText)
    .join('; ') || '(empty)';
