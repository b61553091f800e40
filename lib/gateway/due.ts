// Which names of a gateway are to be looked up now.
import type { GatewayDeclaration, GatewayRecord, GatewayState } from '../model/gateway.ts';
import type { Family } from '../model/objects.ts';
import { YOUNG_SERVICE } from './settings.ts';

/** The part of a declaration that says where the gateway is. */
export type DeclaredNames = Pick<
  GatewayDeclaration,
  'key' | 'hostnames' | 'literals' | 'createdAt' | 'refusals'
>;

export interface LookUp {
  readonly hostname: string;
  readonly family: Family;
}

/** The key of one look-up's answer. */
export const nameKey = (hostname: string, family: Family): string => `${hostname}|${family}`;

/** Every name and family that the gateway declares, in no order. */
export const lookUpsOf = (
  { hostnames }: Pick<GatewayDeclaration, 'hostnames'>,
  families: readonly Family[],
): readonly LookUp[] => hostnames.flatMap((hostname) => families.map((family) => ({ hostname, family })));

export const recordsByName = (state: GatewayState): ReadonlyMap<string, GatewayRecord> =>
  new Map(state.records.map((record) => [nameKey(record.hostname, record.family), record]));

/**
 * When a name without a record is looked up first. The name of a new load balancer is NXDOMAIN for a while, and asking too early
 * puts that "no" into the resolver's cache.
 *
 * @returns seconds since the epoch
 */
export const firstLookAt = (
  { createdAt }: Pick<GatewayDeclaration, 'createdAt'>,
  now: number,
  firstLookDelay: number,
): number => {
  const isYoung = createdAt !== undefined && now - createdAt < YOUNG_SERVICE;
  return isYoung ? now + firstLookDelay : now;
};

export interface DueInput {
  readonly state: GatewayState;
  readonly declaration: Pick<GatewayDeclaration, 'hostnames' | 'createdAt'>;
  readonly families: readonly Family[];
  readonly now: number; // seconds since the epoch
  readonly firstLookDelay: number; // seconds
}

/** Names without a record (on a young Service only after stepGateway() has seen them once) and those whose time has come. */
export const dueNames = (input: DueInput): readonly LookUp[] => {
  const { state, declaration, families, now, firstLookDelay } = input;
  const records = recordsByName(state);
  const first = firstLookAt(declaration, now, firstLookDelay);
  return lookUpsOf(declaration, families).filter(
    ({ hostname, family }) => (records.get(nameKey(hostname, family))?.nextCheckAt ?? first) <= now,
  );
};
