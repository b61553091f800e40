// What AWS itself says of the load balancer behind a name: DNS may answer with the asker's zone only, this is all of it.
//
//   name ─▶ DescribeLoadBalancers: type, state, zones ─▶ active ─▶ DescribeNetworkInterfaces: one in each zone ─▶ complete
import { awsFailure } from '../aws-failures.ts';
import { ClusterError } from '../errors.ts';
import type { LoadBalancerAccess } from '../model/link.ts';
import type { Clock, LoadBalancerView, LoadBalancerWitness } from '../ports.ts';
import { type LoadBalancerName, parseLoadBalancerName } from './name.ts';
import { type Keys, type Query, sendQuery } from './query.ts';
import { allAt, textAt, type Xml } from './xml.ts';

export interface LoadBalancerOptions {
  readonly clock: Clock;
  readonly credentials: (access: LoadBalancerAccess) => Promise<Keys>;
  /** Instead of AWS's own, by service. */
  readonly endpoints?: Readonly<Partial<Record<Query['service'], string | undefined>>>;
}

/** For all requests of one look, ms: the name's look-up comes after it, and a claim lasts for both. */
const LIMIT_MS = 4_000;

/** A load balancer has one interface in each zone, and no region has this many. */
const MOST_PAGES = 5;

/** Keeps nothing between calls. */
export const awsLoadBalancers = (options: LoadBalancerOptions): LoadBalancerWitness => ({
  async addresses(hostname, access) {
    const name = parseLoadBalancerName(hostname);
    if (name === undefined) return undefined;
    const done = new AbortController();
    const late = options.clock.sleep(LIMIT_MS, done.signal).then(
      () => TOO_LATE,
      () => TOO_LATE,
    );
    try {
      return await Promise.race([look(name, access, { options, signal: done.signal }), late]);
    } finally {
      done.abort();
    }
  },
});

const unknown = (why: string): LoadBalancerView => ({ kind: 'unknown', why });
const TOO_LATE = unknown(`no answer from AWS within ${LIMIT_MS / 1000} s`);

interface Look {
  readonly options: LoadBalancerOptions;
  readonly signal: AbortSignal;
}

async function look(
  name: LoadBalancerName,
  access: LoadBalancerAccess,
  { options, signal }: Look,
): Promise<LoadBalancerView> {
  try {
    const keys = await keysFor(access, options);
    const ask = asker(name, keys, { options, signal });
    const loadBalancer = await describe(name, ask);
    return await viewOf(loadBalancer, () => interfacesOf(name, ask));
  } catch (error) {
    const { request, message } = awsFailure(error, `load balancer ${name.name}`);
    return unknown(`${request}: ${message}`);
  }
}

async function keysFor(access: LoadBalancerAccess, { credentials }: LoadBalancerOptions): Promise<Keys> {
  try {
    return await credentials(access);
  } catch (error) {
    throw awsFailure(error, 'AWS credentials');
  }
}

type Ask = (service: Query['service'], action: string, parameters: Query['parameters']) => Promise<Xml>;

const asker =
  ({ name, region, dnsSuffix }: LoadBalancerName, keys: Keys, { options, signal }: Look): Ask =>
  async (service, action, parameters) => {
    const endpoint = options.endpoints?.[service] ?? `https://${service}.${region}.${dnsSuffix}`;
    try {
      const query = { service, region, endpoint, action, parameters };
      return await sendQuery(query, { keys, now: options.clock.now(), signal });
    } catch (error) {
      const LoadBalancerNotFound = `there is no load balancer ${name} in ${region} for these credentials`;
      throw awsFailure(error, action, {
        LoadBalancerNotFound,
      });
    }
  };

interface LoadBalancer {
  readonly state: string;
  readonly isInternal: boolean;
  readonly hasIPv6: boolean;
  readonly zones: ReadonlyMap<string, string>; // name of the zone by its subnet
}

/** Its name may be another load balancer's by now, or that of one in another account: the DNS name tells. */
async function describe({ name, hostname }: LoadBalancerName, ask: Ask): Promise<LoadBalancer> {
  const action = 'DescribeLoadBalancers';
  const answer = await ask('elasticloadbalancing', action, { 'Names.member.1': name });
  const members = allAt(answer, [`${action}Result`, 'LoadBalancers', 'member']);
  const found = members.find((member) => textAt(member, 'DNSName').toLowerCase() === hostname);
  if (found === undefined || textAt(found, 'Type') !== 'network') {
    throw new ClusterError(`the load balancer ${name} of these credentials is not the one of this name`, {
      kind: 'denied',
      request: action,
    });
  }
  return {
    state: textAt(found, 'State', 'Code'),
    isInternal: textAt(found, 'Scheme') === 'internal',
    hasIPv6: textAt(found, 'IpAddressType') === 'dualstack',
    zones: new Map(
      allAt(found, ['AvailabilityZones', 'member']).map((zone) => [
        textAt(zone, 'SubnetId'),
        textAt(zone, 'ZoneName'),
      ]),
    ),
  };
}

async function interfacesOf({ name, id }: LoadBalancerName, ask: Ask): Promise<readonly Xml[]> {
  const action = 'DescribeNetworkInterfaces';
  // What ELB writes there, and nobody else may.
  const filter = { 'Filter.1.Name': 'description', 'Filter.1.Value.1': `ELB net/${name}/${id}` };
  const found: Xml[] = [];
  let token = '';
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await ask('ec2', action, { ...filter, ...(token !== '' && { NextToken: token }) });
    found.push(...allAt(answer, ['networkInterfaceSet', 'item']));
    token = textAt(answer, 'nextToken');
    if (token === '') return found;
  }
  throw new ClusterError('more pages than a load balancer has interfaces', {
    kind: 'denied',
    request: action,
  });
}

/**
 * active                        complete, when every zone has its IPv4 address
 * provisioning                  pending
 * active_impaired, failed, …    unknown
 */
async function viewOf(
  { state, isInternal, hasIPv6, zones }: LoadBalancer,
  interfaces: () => Promise<readonly Xml[]>,
): Promise<LoadBalancerView> {
  if (state === 'provisioning') return { kind: 'pending' };
  if (state !== 'active')
    return unknown(`the load balancer is ${/^\w{1,40}$/.test(state) ? state : 'in no known state'}`);
  // An interface may have more private addresses than the one in DNS; its own is the one outside of the list of them all.
  const path = isInternal ? ['privateIpAddress'] : ['association', 'publicIp'];
  const rows = (await interfaces()).map((found) => ({
    subnet: textAt(found, 'subnetId'),
    ipv4: textAt(found, ...path),
    ipv6: allAt(found, ['ipv6AddressesSet', 'item']).map((item) => textAt(item, 'ipv6Address')),
  }));
  const without = [...zones.keys()].filter(
    (subnet) => !rows.some((row) => row.subnet === subnet && row.ipv4 !== ''),
  );
  if (zones.size === 0 || without.length > 0)
    return unknown('not every zone of the load balancer has an address yet');
  const found = rows.flatMap(({ subnet, ipv4, ipv6 }) =>
    [ipv4, ...(hasIPv6 ? ipv6 : [])].map((address) => ({ address, zone: zones.get(subnet) ?? '' })),
  );
  const present = found.filter(({ address }) => address !== '');
  const named = present.filter(({ zone }) => zone !== '');
  return {
    kind: 'complete',
    addresses: present.map(({ address }) => address),
    zones: Object.fromEntries(named.map(({ address, zone }) => [address, zone])),
  };
}
