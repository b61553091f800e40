// Two real clusters and a real CoreDNS: it serves the zone of the gateway's name, and the source cluster's names as pods there see them.
import { Resolver } from 'node:dns/promises';
import { dnsResolver } from '../../lib/dns/resolver.ts';
import { type ControlPlane, startControlPlane } from '../cluster/control-plane.ts';
import { type CoreDns, startCoreDns } from '../cluster/coredns.ts';
import { type CoreDnsFiles, kubernetesZone, recordsZone, zones } from '../cluster/corefile.ts';
import { clockSkipping } from '../dns/clocks.ts';
import { type Lab, type LabServers, openLab } from '../support/lab.ts';
import { emptyCluster } from '../support/leftovers.ts';
import { until } from '../support/until.ts';

const ZONE = 'example.test';
/** Every name below it is answered SERVFAIL: an alias that leads there fails as a load balancer's name does when its zone is away. */
export const AWAY = 'away.test';

const PAUSES = 300; // ms: between the resolver's attempts
const QUERY_TIMEOUT = 5_000; // ms

/** Seconds; low, so that CoreDNS and its readers forget what the former test looked up. */
const TTL = 1;

export interface GroundOptions {
  /** controllers at work in the source cluster; default: the one that copies Endpoints to EndpointSlices */
  readonly sourceControllers?: readonly string[];
  /** controllers at work in the target cluster; default: none, tests write what they would */
  readonly targetControllers?: readonly string[];
}

export interface Ground {
  readonly servers: LabServers;
  /** Empty clusters, an empty zone, and a lab whose runs ask CoreDNS. */
  open(): Promise<Lab>;
  /** Replaces the records of the zone; resolves when CoreDNS answers with them. @param lines relative to example.test */
  publish(lines: readonly string[]): Promise<void>;
  /** The IPv4 addresses of a name of the source cluster; rejects as node:dns does. */
  lookUp(name: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

const failingZone: CoreDnsFiles = {
  corefile: `${AWAY} {\n  bind 127.0.0.1\n  template IN ANY {\n    rcode SERVFAIL\n  }\n}\n`,
  files: {},
};

const gatewayZone = (records: readonly string[]): CoreDnsFiles =>
  recordsZone({ zone: ZONE, records, negativeTtl: TTL });

const accessOf = ({ url, adminToken, caData }: ControlPlane) => ({ url, token: adminToken, caData });

/** Starts all of it once; about ten seconds. */
export const startGround = async ({
  sourceControllers = ['endpointslice-mirroring-controller'],
  targetControllers = [],
}: GroundOptions = {}): Promise<Ground> => {
  const planes = await Promise.all([
    startControlPlane({ name: 'source', controllers: sourceControllers }),
    startControlPlane({ name: 'target', serviceRange: '10.97.0.0/16', controllers: targetControllers }),
  ]);
  const [source, target] = planes;
  const servers = { source: accessOf(source), target: accessOf(target) };
  const names = kubernetesZone({ kubeconfig: source.kubeconfig(), ttl: TTL });
  const dns = await startCoreDns(zones([names, gatewayZone([]), failingZone]));
  const publish = publisherOf(dns);
  const pod = new Resolver({ timeout: QUERY_TIMEOUT, tries: 1 });
  pod.setServers([dns.address]);
  return {
    servers,
    publish,
    lookUp: (name) => pod.resolve4(name),
    open: async () => {
      await Promise.all([emptyCluster(servers.source), emptyCluster(servers.target), publish([])]);
      const lab = openLab(servers);
      // Its own resolver is a table; from now on it asks CoreDNS, in real time whatever the lab's clock says.
      Object.assign(lab.dns, dnsResolver({ servers: [dns.address], clock: clockSkipping(PAUSES) }));
      return lab;
    },
    close: async () => {
      await dns.stop();
      await Promise.all(planes.map((plane) => plane.stop()));
    },
  };
};

const publisherOf = (dns: CoreDns): Ground['publish'] => {
  const resolver = dnsResolver({ servers: [dns.address], clock: clockSkipping(PAUSES) });
  let version = 0;
  return async (lines) => {
    version += 1;
    const mark = `version-${version}`;
    dns.replace(gatewayZone([...lines, `${mark} 0 IN A 192.0.2.255`]).files);
    await until(`CoreDNS serves ${lines.join(', ')}`, async () => {
      return (await resolver.resolve(`${mark}.${ZONE}`, 'IPv4')).kind === 'addresses';
    });
  };
};
