// The gateway of a report as rows: its hostnames, port, identity, and each address with its state and what is left of its TTL.
import type { AddressState, GatewayRecord } from '../model/gateway.ts';
import type { Family } from '../model/objects.ts';
import type { Report } from '../model/report.ts';

export interface AddressRow {
  readonly ip: string;
  readonly family: Family;
  readonly state: AddressState;
  readonly hostname?: string; // absent: an address of the status itself, or pinned
  readonly ttl?: number; // whole seconds until the answer that held it ends; absent without an answer
}

export interface GatewayRows {
  readonly hostnames: readonly string[];
  readonly port: number | undefined;
  readonly identity: string;
  readonly addresses: readonly AddressRow[];
}

/** `none` for a link without a gateway, `unobserved` where it could not be read. @param now seconds since the epoch */
export function gatewayRows({ gateway }: Report, now: number): GatewayRows | 'none' | 'unobserved' {
  if (gateway === undefined) return 'unobserved';
  if (typeof gateway.view === 'string') return gateway.view;
  const { view, declaration, records } = gateway;
  return {
    hostnames: declaration?.hostnames ?? [],
    port: view.port,
    identity: view.identity,
    addresses: view.addresses.map(({ ip, family, state }) => {
      const record = records.find(({ addresses }) => Object.hasOwn(addresses, ip));
      return { ip, family, state, ...(record !== undefined && sourceOf(record, now)) };
    }),
  };
}

function sourceOf({ hostname, expiresAt }: GatewayRecord, now: number): Partial<AddressRow> {
  return { hostname, ...(expiresAt !== undefined && { ttl: Math.max(0, Math.ceil(expiresAt - now)) }) };
}
