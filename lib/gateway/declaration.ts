// What the target's gateway Service and the link's pins declare: names, literal addresses, ports, identity. A pin always wins.
import { isIP } from 'node:net';
import type { GatewayDeclaration } from '../model/gateway.ts';
import { compareText, keyText } from '../model/keys.ts';
import type { ObjectKey } from '../model/keys.ts';
import { GATEWAY_IDENTITY, GATEWAY_PORT_NAME, PROBE_PORT_NAME } from '../model/labels.ts';
import type { Link } from '../model/link.ts';
import type { Service } from '../model/objects.ts';
import type { Reason, Refusal } from '../model/plan.ts';
import { compareAddresses } from './address.ts';
import { checkHostname } from './filter.ts';
import { gatewayKey, gatewayOf } from './gateway-link.ts';
import type { GatewayReference } from './gateway-link.ts';
import { gatewayPort } from './ports.ts';
import { NAME_CAP, SETTINGS } from './settings.ts';

interface Names {
  readonly hostnames: readonly string[];
  readonly literals: readonly string[];
  readonly refusals: readonly Refusal[];
}

const refuse = (key: ObjectKey, reason: Reason, message: string): Refusal => ({ ...key, reason, message });

/** An `ip` field may hold a hostname and the other way round (seen in the field), so both are just values. */
const statusValues = (service: Service | undefined): readonly string[] =>
  service?.type !== 'LoadBalancer'
    ? []
    : service.ingress.flatMap(({ ip, hostname }) => [ip, hostname]).filter((value) => value !== undefined);

const sortedUnique = (
  values: readonly string[],
  compare: (a: string, b: string) => number,
): readonly string[] => [...new Set(values)].sort(compare);

const literalsOf = (key: ObjectKey, values: readonly string[]): Names => {
  const literals = sortedUnique(values, compareAddresses);
  const cap = SETTINGS.addressCap;
  const message = `gateway Service ${keyText(key)}: expected at most ${cap} IP addresses, found ${literals.length}`;
  return {
    hostnames: [],
    literals: literals.slice(0, cap),
    refusals: literals.length > cap ? [refuse(key, 'AddressRefused', message)] : [],
  };
};

const hostnamesOf = (key: ObjectKey, values: readonly string[], allowed: readonly string[]): Names => {
  const accepted: string[] = [];
  const refusals: Refusal[] = [];
  for (const value of sortedUnique(values, compareText)) {
    const check = checkHostname(value, allowed);
    if (check.ok) accepted.push(check.name);
    else refusals.push(refuse(key, 'AddressRefused', `hostname ${printable(value)}: ${check.message}`));
  }
  const hostnames = sortedUnique(accepted, compareText);
  const surplus = hostnames
    .slice(NAME_CAP)
    .map((name) =>
      refuse(
        key,
        'AddressRefused',
        `hostname ${name}: expected at most ${NAME_CAP} names, found ${hostnames.length}`,
      ),
    );
  return { hostnames: hostnames.slice(0, NAME_CAP), literals: [], refusals: [...refusals, ...surplus] };
};

/** The target cluster chose this text: nothing of it but plain ASCII, and not much, may reach a terminal. */
const printable = (text: string): string => text.slice(0, 253).replace(/[^\x21-\x7e]/g, '?');

/** Decides by the value, whatever field it came from: an IP address is a literal, anything else a hostname. */
const namesOf = (key: ObjectKey, values: readonly string[], allowed: readonly string[]): Names => {
  const present = values.filter((value) => value !== '');
  const literals = literalsOf(
    key,
    present.filter((value) => isIP(value) !== 0),
  );
  const hostnames = hostnamesOf(
    key,
    present.filter((value) => isIP(value) === 0),
    allowed,
  );
  return {
    ...hostnames,
    literals: literals.literals,
    refusals: [...literals.refusals, ...hostnames.refusals],
  };
};

/** Why the gateway has no address at all before anything is resolved; undefined when it has one. */
const missingAddresses = (gateway: GatewayReference, service: Service): string | undefined => {
  if (gateway.addresses !== undefined) return undefined;
  const what = `gateway Service ${keyText(gateway)}`;
  if (service.type !== 'LoadBalancer') {
    return `${what} is of type ${service.type}: expected addresses in gateway.addresses of the link, found none`;
  }
  if (statusValues(service).some((value) => value !== '')) return undefined;
  return `${what} has no address yet: expected an entry in status.loadBalancer.ingress, found none`;
};

const missingPort = (gateway: GatewayReference, service: Service): string | undefined => {
  if (gateway.port !== undefined || gatewayPort(service, GATEWAY_PORT_NAME) !== undefined) return undefined;
  const field = service.type === 'NodePort' ? 'a nodePort of the port' : 'a port';
  const found = service.ports.map(({ name }) => name ?? 'one without a name').join(', ') || 'none';
  return `gateway Service ${keyText(gateway)}: expected ${field} named ${GATEWAY_PORT_NAME}, found ${found}`;
};

const isAllPinned = ({ addresses, port }: GatewayReference): boolean =>
  addresses !== undefined && port !== undefined;

const shortages = (gateway: GatewayReference, service: Service | undefined): readonly Refusal[] => {
  const key = gatewayKey(gateway);
  if (service === undefined) {
    const message = `gateway Service ${keyText(key)} not found in the target cluster`;
    return isAllPinned(gateway) ? [] : [refuse(key, 'NoGatewayAddress', message)];
  }
  return [missingAddresses(gateway, service), missingPort(gateway, service)]
    .filter((message) => message !== undefined)
    .map((message) => refuse(key, 'NoGatewayAddress', message));
};

/**
 * Reads the gateway of a link.
 *
 * @param service the target's gateway Service, undefined when a reachable API says that there is none
 * @throws TypeError for a link without a gateway
 */
export const readGateway = (link: Link, service: Service | undefined): GatewayDeclaration => {
  const gateway = gatewayOf(link);
  const key = gatewayKey(gateway);
  const pinned = gateway.addresses;
  const names = namesOf(key, pinned ?? statusValues(service), [...link.allowedHostnames, ...(pinned ?? [])]);
  return {
    key,
    ...names,
    port: gateway.port ?? gatewayPort(service, GATEWAY_PORT_NAME) ?? 0,
    probePort: gateway.probePort ?? gatewayPort(service, PROBE_PORT_NAME),
    identity: gateway.identity ?? service?.meta.annotations[GATEWAY_IDENTITY] ?? '',
    createdAt: service === undefined ? undefined : Math.floor(service.meta.createdAt / 1000),
    refusals: [...shortages(gateway, service), ...names.refusals],
  };
};
