// The stage of the cluster contract: a server, what can go wrong on the way to it, and a namespace of its own for each test.
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { ObjectOf } from '../../../lib/model/objects.ts';
import type { Clock, Cluster } from '../../../lib/ports.ts';
import { type TestApi, testApi } from '../../support/api.ts';
import { testClock } from '../../support/clock.ts';
import { openWire, type Wire } from '../../support/wire.ts';
import { MANIFESTS, type Writable } from './manifests.ts';

export interface ClusterSettings {
  readonly clock: Clock;
  readonly pageSize?: number;
}

/** A running API server without a namespace controller. */
export interface ClusterWorld {
  readonly url: string;
  readonly caData?: string; // PEM; absent for plain http
  readonly adminToken: string;
  /** Of a user who may do nothing. */
  readonly nobodyToken: string;
  stop(): Promise<void>;
}

/** The implementation under test, for a server that speaks plain http. */
export type Connect = (
  url: string,
  token: string,
  settings: ClusterSettings,
) => Cluster & { close(): Promise<void> };

/** 14 addresses; one is that of Service default/kubernetes. */
export const SERVICE_RANGE = '10.97.0.0/28';

export type Opened = ReturnType<Connect>;

/** Its fields hold what belongs to the test that runs. */
export interface Stage {
  readonly world: ClusterWorld;
  /** Between the implementation and the server. */
  readonly wire: Wire;
  /** The server without the implementation. */
  readonly api: TestApi;
  /** The implementation, as the administrator. */
  readonly cluster: Opened;
  /** The namespace of the test. */
  readonly shop: string;
  /** Another one; it is closed after the test. */
  open(settings?: Partial<ClusterSettings>, token?: string): Opened;
  /** Creates one of MANIFESTS in the namespace of the test. */
  create<K extends Writable>(kind: K, name: string, more?: object): Promise<ObjectOf[K]>;
}

export function setStage(start: () => Promise<ClusterWorld>, connect: Connect): Stage {
  let [world, wire, api, cluster]: [ClusterWorld?, Wire?, TestApi?, Opened?] = [];
  let shop = '';
  let serial = 0;
  const opened: Opened[] = [];
  const stage: Stage = {
    get world() {
      return present(world);
    },
    get wire() {
      return present(wire);
    },
    get api() {
      return present(api);
    },
    get cluster() {
      return present(cluster);
    },
    get shop() {
      return shop;
    },
    open(settings = {}, token = stage.world.adminToken) {
      const another = connect(stage.wire.url, token, { clock: testClock(), ...settings });
      opened.push(another);
      return another;
    },
    create: (kind, name, more = {}) =>
      stage.cluster.create(kind, shop, { ...MANIFESTS[kind](name), ...more }),
  };

  beforeAll(async () => {
    world = await start();
    const { url, caData, adminToken: token } = world;
    const access = { url, token, ...(caData !== undefined && { caData }) };
    api = testApi(access);
    wire = await openWire(access);
  });
  afterAll(async () => {
    await wire?.close();
    await api?.close();
    await world?.stop();
  });
  beforeEach(async () => {
    serial += 1;
    shop = `shop-${serial}`;
    await stage.api.create('Namespace', { metadata: { name: shop } });
    cluster = stage.open();
  });
  afterEach(async () => {
    stage.wire.clear();
    await Promise.all(opened.splice(0).map((each) => each.close()));
    await freeAddresses(stage);
  });
  return stage;
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the stage is used before it is set');
  return value;
}

/** The range of addresses is small. */
async function freeAddresses({ api, shop }: Stage): Promise<void> {
  for (const { metadata } of await api.list('Service', shop))
    await api.remove('Service', shop, metadata.name);
}
