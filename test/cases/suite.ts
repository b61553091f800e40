// How case suites meet their servers: each suite is written once and run on embedded and on real API servers.
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import { aNamespace, aGateway, EXPORTED } from '../support/builders.ts';
import type { KubeObject } from '../support/api.ts';
import { type Lab, type LabServers, openLab } from '../support/lab.ts';

/** Servers for one file of tests; `empty` removes what a test left behind. */
export interface Bench {
  open(): Promise<LabServers>;
  empty(servers: LabServers): Promise<void>;
  close(): Promise<void>;
}

export const NAMESPACES = ['shop', 'other', 'linkerd-multicluster'] as const;

/** A suite's tests get the lab through this handle, fresh for every test. */
export interface LabHandle {
  readonly lab: Lab;
}

/** Declares the tests of one suite against one kind of server. */
export const onBench = (name: string, bench: Bench, suite: (handle: LabHandle) => void): void => {
  describe(name, () => {
    let servers: LabServers;
    let lab: Lab;
    beforeAll(async () => {
      servers = await bench.open();
    });
    beforeEach(async () => {
      await bench.empty(servers);
      lab = openLab(servers);
      for (const namespace of NAMESPACES) {
        for (const api of [lab.source, lab.target]) await ensureNamespace(api, namespace);
      }
    });
    afterEach(async () => {
      await lab.close();
    });
    afterAll(async () => {
      await bench.close();
    });
    suite({
      get lab() {
        return lab;
      },
    });
  });
};

const ensureNamespace = async (api: Lab['source'], name: string): Promise<void> => {
  const all = await api.list('Namespace');
  if (!all.some(({ metadata }) => metadata.name === name)) await api.create('Namespace', aNamespace(name));
};

/** Puts a gateway and exported Services with their slices into the target cluster. */
export const arrangeTarget = async (
  lab: Lab,
  objects: readonly (readonly ['Service' | 'EndpointSlice', KubeObject])[],
  gateway: KubeObject | undefined = aGateway(),
): Promise<void> => {
  if (gateway !== undefined) await lab.target.create('Service', gateway);
  for (const [kind, object] of objects) await lab.target.create(kind, object);
};

/** Merge patch of a Service of the target cluster. */
export const changeTarget = (lab: Lab, name: string, body: object): Promise<KubeObject> =>
  lab.target.patch('Service', 'shop', name, body);

export const UNEXPORT = {
  metadata: { labels: Object.fromEntries(Object.keys(EXPORTED).map((key) => [key, null])) },
} as const;
