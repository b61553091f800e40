// The clusters of every order: embedded, in this process, and copied, so that each order begins with the same.
import { storeAccess, type StoreAccess } from '../../sandbox/apiserver/access.ts';
import { bootstrap } from '../../sandbox/apiserver/bootstrap.ts';
import { type Core, createCore } from '../../sandbox/apiserver/core.ts';
import { RESOURCES } from '../../sandbox/apiserver/resources/registry.ts';
import type { Clock } from '../../lib/ports.ts';
import { aGateway, aMirror, aMirrorEndpoints, aNamespace, aService, aSlice } from '../support/builders.ts';

export interface Site {
  readonly core: Core;
  readonly store: StoreAccess;
}

/** A user's Service at the name of a mirror, and a mirror of another link. */
export const FOREIGN = [
  ['services', 'cart-west'],
  ['services', 'web-east'],
  ['endpoints', 'web-east'],
] as const;

const PLURALS = RESOURCES.map(({ resource }) => resource);

const emptySite = (clock: Clock, serviceRange: string): Site => {
  const core = createCore({ clock, serviceRanges: [serviceRange], watchHistory: 1_000 });
  return { core, store: storeAccess(core, PLURALS) };
};

const put = (site: Site, resource: string, ...objects: readonly object[]): void => {
  for (const object of objects) site.store.put(resource, object);
};

const newSite = (clock: Clock, serviceRange: string): Site => {
  const site = emptySite(clock, serviceRange);
  bootstrap(site.core);
  put(site, 'namespaces', aNamespace('shop'), aNamespace('linkerd-multicluster'));
  return site;
};

/** The same objects with the same UIDs and ClusterIPs, under new resourceVersions. */
export const copyOf = ({ core }: Site, clock: Clock): Site => {
  const copy = emptySite(clock, core.clusterIps.cidrs.join(','));
  for (const resource of PLURALS) {
    for (const { object } of core.store.list(resource)) {
      copy.core.store.put(resource, object);
      const ips: readonly string[] = Object(object['spec'])['clusterIPs'] ?? [];
      for (const ip of ips) copy.core.clusterIps.take(ip);
    }
  }
  return copy;
};

const exportAt = (site: Site, tier: string, names: readonly string[]): void => {
  const labels = { 'mirror.linkerd.io/exported': 'true', tier };
  put(site, 'services', ...names.map((name) => aService({ name, labels })));
  put(site, 'endpointslices', ...names.map((service) => aSlice({ service })));
};

/** `web` and `cart` are exported all the time, `old` only before, and `new` only later, when `web` has another label. */
export const newTargets = (clock: Clock): { readonly before: Site; readonly later: Site } => {
  const before = newSite(clock, '10.97.0.0/16');
  put(before, 'services', aGateway());
  const gateway = before.core.store.get('services', {
    namespace: 'linkerd-multicluster',
    name: 'linkerd-gateway',
  });
  // A created Service has no status yet, whatever its creator says.
  if (gateway !== undefined)
    before.core.store.put('services', { ...gateway.object, status: aGateway()['status'] });
  exportAt(before, 'one', ['web', 'cart', 'old']);
  const later = copyOf(before, clock);
  later.store.delete('services', 'shop', 'old');
  exportAt(later, 'two', ['web', 'new']);
  return { before, later };
};

/** A source cluster that holds only what is not ours. */
export const newSource = (clock: Clock): Site => {
  const site = newSite(clock, '10.96.0.0/16');
  const east = { name: 'web-east', link: 'east' };
  put(site, 'services', aMirror({ name: 'cart-west', labels: { team: 'a' } }), aMirror(east));
  put(site, 'endpoints', aMirrorEndpoints({ ...east, ready: ['203.0.113.1'] }));
  return site;
};
