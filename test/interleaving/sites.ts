// The clusters of every order: embedded, in this process, and copied, so that each order begins with the same.
import { storeAccess, type StoreAccess } from '../../sandbox/apiserver/access.ts';
import { bootstrap } from '../../sandbox/apiserver/bootstrap.ts';
import { type Core, createCore } from '../../sandbox/apiserver/core.ts';
import { RESOURCES } from '../../sandbox/apiserver/resources/registry.ts';
import type { Clock } from '../../lib/ports.ts';
import { aGateway, aMirror, aMirrorEndpoints, aNamespace } from '../support/builders.ts';
import type { Scene } from './scenes.ts';

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
      for (const ip of ips) if (ip !== 'None') copy.core.clusterIps.take(ip);
    }
  }
  return copy;
};

/** A target cluster as it is first. */
export const newTarget = (clock: Clock, scene: Scene): Site => {
  const target = newSite(clock, '10.97.0.0/16');
  put(target, 'services', aGateway());
  const gateway = target.core.store.get('services', {
    namespace: 'linkerd-multicluster',
    name: 'linkerd-gateway',
  });
  // A created Service has no status yet, whatever its creator says.
  if (gateway !== undefined)
    target.core.store.put('services', { ...gateway.object, status: aGateway()['status'] });
  scene.begin(target.store);
  return target;
};

/** A source cluster that holds only what is not ours. */
export const newSource = (clock: Clock): Site => {
  const site = newSite(clock, '10.96.0.0/16');
  const east = { name: 'web-east', link: 'east' };
  put(site, 'services', aMirror({ name: 'cart-west', labels: { team: 'a' } }), aMirror(east));
  put(site, 'endpoints', aMirrorEndpoints({ ...east, ready: ['203.0.113.1'] }));
  return site;
};
