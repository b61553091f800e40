// Brings the subsets of Endpoints into the form that the mirroring controller copies: every address once for every port.
import type { EndpointAddress, EndpointPort, EndpointSubset } from './resources/endpoints.ts';

/** A port with who offers it, and whether they are ready there. */
interface Offer {
  readonly port: EndpointPort | undefined;
  readonly readiness: Map<EndpointAddress, boolean>;
}

/**
 * Ports that the very same addresses offer come together, whichever subset named them, as in RepackSubsets of Kubernetes:
 *
 *   a on 80      a on 81    →  a on 80, 81
 *   a on 80      b on 80    →  a, b on 80
 *   a, b on 80   a on 81    →  as given
 *   a on 80, 81  b on 80    →  a, b on 80   a on 81
 *
 * An address is an IP with the UID of its target: of several the first one counts, hostname and all, and not ready trumps ready.
 */
export function repackSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const known = new Map<string, EndpointAddress>();
  const offers = new Map<string, Offer>();
  for (const [index, subset] of subsets.entries()) {
    for (const port of portsOf(subset)) {
      const key = portKey(port, index);
      const offer = offers.get(key) ?? { port, readiness: new Map() };
      offers.set(key, offer);
      addMembers(offer, subset, known);
    }
  }
  return [...Map.groupBy(offers.values(), addressesKey).values()].map(repacked);
}

/** A subset without ports keeps its addresses. */
const portsOf = ({ ports = [] }: EndpointSubset): readonly (EndpointPort | undefined)[] =>
  ports.length === 0 ? [undefined] : ports;

/** The real one compares appProtocol by pointer: no two subsets have it in common. */
const portKey = (port: EndpointPort | undefined, subset: number): string =>
  JSON.stringify([port, port?.appProtocol === undefined ? '' : subset]);

const addressKey = ({ ip, targetRef }: EndpointAddress): string => `${ip} ${targetRef?.uid ?? ''}`;

function addMembers(
  { readiness }: Offer,
  { addresses = [], notReadyAddresses = [] }: EndpointSubset,
  known: Map<string, EndpointAddress>,
): void {
  const add = (address: EndpointAddress, ready: boolean): void => {
    const first = known.get(addressKey(address)) ?? address;
    known.set(addressKey(address), first);
    readiness.set(first, ready && readiness.get(first) !== false);
  };
  for (const address of addresses) add(address, true);
  for (const address of notReadyAddresses) add(address, false);
}

const addressesKey = ({ readiness }: Offer): string =>
  JSON.stringify([...readiness].map(([address, ready]) => `${addressKey(address)} ${ready}`).toSorted());

function repacked(offers: readonly Offer[]): EndpointSubset {
  const members = [...(offers[0]?.readiness ?? [])];
  const those = (ready: boolean): EndpointAddress[] =>
    members.flatMap(([address, isReady]) => (isReady === ready ? [address] : [])).toSorted(byAddress);
  return {
    addresses: those(true),
    notReadyAddresses: those(false),
    ports: offers.flatMap(({ port }) => port ?? []),
  };
}

/** As text: of too many addresses it is the last ones in this order that are left out. */
const byAddress = (a: EndpointAddress, b: EndpointAddress): number =>
  addressKey(a) < addressKey(b) ? -1 : 1;
