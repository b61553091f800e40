// What a target cluster exports at first and how it moves on: what runs that are at work at the same time have to bring about.
import type { StoreAccess } from '../../sandbox/apiserver/access.ts';
import { aService, aSlice } from '../support/builders.ts';

type Store = Pick<StoreAccess, 'put' | 'delete'>;

export interface Scene {
  /** What the link has mirrored before. */
  readonly begin: (target: Store) => void;
  /** What has changed since. */
  readonly moveOn: (target: Store) => void;
  /** Mirrors that list the gateway as long as they are there, from before and after; the first one stays all the time. */
  readonly mirrors: readonly [stays: string, ...others: string[]];
  /** A headless root, and a hostname that it lists all the time. */
  readonly keeps?: readonly [root: string, hostname: string];
}

const exportAt = (target: Store, tier: string, names: readonly string[]): void => {
  const labels = { 'mirror.linkerd.io/exported': 'true', tier };
  for (const name of names) target.put('services', aService({ name, labels }));
  for (const service of names) target.put('endpointslices', aSlice({ service }));
};

/** The one slice of `db`: its pods by hostname; `` is one without. */
const podsOfDb = (hostnames: readonly string[]): object => ({
  ...aSlice({ service: 'db' }),
  endpoints: hostnames.map((hostname, index) => ({
    addresses: [`10.1.0.${index + 1}`],
    conditions: { ready: true },
    ...(hostname === '' ? {} : { hostname }),
  })),
});

const exportDb = (target: Store, hostnames: readonly string[]): void => {
  target.put('services', aService({ name: 'db', spec: { clusterIP: 'None', selector: { app: 'db' } } }));
  target.put('endpointslices', podsOfDb(hostnames));
};

const dbWith = (before: readonly string[], after: readonly string[]): Pick<Scene, 'begin' | 'moveOn'> => ({
  begin: (target) => exportDb(target, before),
  moveOn: (target) => void target.put('endpointslices', podsOfDb(after)),
});

/** By what moves on. */
export const SCENES = {
  /** `web` and `cart` are exported all the time, `old` only before, and `new` only later, when `web` has another label. */
  services: {
    begin: (target) => exportAt(target, 'one', ['web', 'cart', 'old']),
    moveOn: (target) => {
      target.delete('services', 'shop', 'old');
      exportAt(target, 'two', ['web', 'new']);
    },
    mirrors: ['web-west', 'new-west'],
  },
  aPodComes: {
    ...dbWith(['db-0'], ['db-0', 'db-1']),
    mirrors: ['db-0-west', 'db-1-west'],
    keeps: ['db-west', 'db-0'],
  },
  aPodGoes: { ...dbWith(['db-0', 'db-1'], ['db-0']), mirrors: ['db-0-west'], keeps: ['db-west', 'db-0'] },
  podsGetNames: { ...dbWith([''], ['db-0']), mirrors: ['db-0-west'] },
  podsLoseNames: { ...dbWith(['db-0'], ['']), mirrors: ['db-west'] },
} as const satisfies Readonly<Record<string, Scene>>;

export type SceneName = keyof typeof SCENES;
