// The Service range of a cluster that has no ServiceCIDR objects, told from the ClusterIPs that it gave out.
import { contains, formatRange, parseAddress } from './address.ts';
import type { Address, Range } from './address.ts';

/** Host bits: at least a /24 of IPv4; at most what kube-apiserver accepts as a range (20 bits; EKS always takes them for IPv6). */
const HOST_BITS = { IPv4: { least: 8, most: 20 }, IPv6: { least: 20, most: 20 } } as const;

const trailingZeros = (value: bigint, limit: number): number => {
  let bits = 0;
  while (bits < limit && ((value >> BigInt(bits)) & 1n) === 0n) bits += 1;
  return bits;
};

/**
 * The API server gives the Service `default/kubernetes` the first usable address of its range, so the range starts one below
 * it, and a range starts at a multiple of its size. Of the sizes that this leaves, the smallest one that holds every ClusterIP
 * seen is certain to be Service range; a larger one might refuse good gateways beside it. A /24 is the floor because few
 * Services seen says nothing about a small range. ClusterIPs that no such range holds are left to the rule on single addresses.
 *
 * @param clusterIPs of all Services seen; `None`, empty text and the other family are ignored
 * @returns a CIDR, or undefined when kubernetesIP is no address
 */
export const inferServiceRange = (
  clusterIPs: readonly string[],
  kubernetesIP: string,
): string | undefined => {
  const first = parseAddress(kubernetesIP);
  if (first === undefined || first.value === 0n) return undefined;
  const { least, most } = HOST_BITS[first.family];
  const value = first.value - 1n;
  const widest = trailingZeros(value, most);
  const sized = (hostBits: number): Range => ({ family: first.family, value, hostBits });
  const within = clusterIPs
    .map(parseAddress)
    .filter((address): address is Address => address !== undefined && contains(sized(widest), address));
  let hostBits = Math.min(least, widest);
  while (!within.every((address) => contains(sized(hostBits), address))) hostBits += 1;
  return formatRange(sized(hostBits));
};
