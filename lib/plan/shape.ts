// Whether a mirror Service has the shape that it should have. ClusterIPs cannot be changed: another shape is a new Service.
import type { DesiredService } from '../model/desired.ts';
import type { Endpoints, EndpointSlice, Service } from '../model/objects.ts';
import type { Standing } from './standing.ts';

const isHeadless = ({ clusterIP }: Service): boolean => clusterIP === 'None';

/** Whether a list is that of a headless root: its addresses have names, those of the gateway have none. */
const namesItsAddresses = (
  endpoints: Endpoints | undefined,
  slices: readonly EndpointSlice[],
): boolean | undefined => {
  const addresses = [
    ...(endpoints?.subsets ?? []).flatMap((subset) => [...subset.addresses, ...subset.notReadyAddresses]),
    ...slices.flatMap((slice) => slice.endpoints),
  ];
  return addresses.length === 0 ? undefined : addresses.some(({ hostname }) => hostname !== undefined);
};

/** What must go before the mirror can have its shape. */
export interface Misshapen {
  readonly service: Service | undefined; // absent: only a list that a former Service of the other shape left
  readonly lost: readonly string[]; // ClusterIPs that nobody will have any more
  readonly words: string; // `ClusterIP → headless`
}

/**
 * What stands in the wrong shape; undefined when nothing does. Where the Service is gone already, a list of the other shape has to go
 * too before a new Service shows it: a run may have stopped in between.
 */
export const misshapen = (
  desired: DesiredService,
  { service, endpoints, ownSlices }: Standing,
): Misshapen | undefined => {
  const words = desired.isHeadless ? 'ClusterIP → headless' : 'headless → ClusterIP';
  if (service !== undefined) {
    if (isHeadless(service) === desired.isHeadless) return undefined;
    return { service, lost: isHeadless(service) ? [] : service.clusterIPs, words };
  }
  const named = namesItsAddresses(endpoints, ownSlices);
  return named === undefined || named === desired.isHeadless ? undefined : { service, lost: [], words };
};

/** `the ClusterIP 10.96.0.7 is lost`; '' when none is. */
export const lostWords = (lost: readonly string[]): string =>
  lost.length === 0 ? '' : `the ClusterIP ${lost.join(' and ')} is lost`;
