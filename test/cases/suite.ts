// How case suites meet their servers: each suite is written once and run on embedded and on real API servers.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { aGateway, aService, aSlice, EXPORTED } from '../support/builders.ts';
import type { KubeObject, TestKind } from '../support/api.ts';
import { type Lab, type LabServers, openLab, type Run } from '../support/lab.ts';
import { at, type Wire } from '../support/wire.ts';

export interface Mirroring {
  readonly servers: LabServers;
  stop(): Promise<void>;
}

export interface BenchOptions {
  /**
   * Where the source cluster's ClusterIPs come from: one CIDR, or one of each family, the primary first, for dual stack
   * ("10.96.0.0/16,fd00:96::/108"). Default 10.96.0.0/16.
   */
  readonly sourceRange?: string;
}

/** Servers for one file of tests; `empty` brings them back to the state that every test begins with. */
export interface Bench {
  open(): Promise<LabServers>;
  /** Servers of which the source cluster copies Endpoints to EndpointSlices, until it is stopped. */
  startMirroring(servers: LabServers): Promise<Mirroring>;
  empty(servers: LabServers): Promise<void>;
  close(): Promise<void>;
}

/** A suite's tests get the lab through this handle, fresh for every test. */
export interface LabHandle {
  readonly lab: Lab;
  /** Declares tests in which the mirroring controller is at work in the source cluster; elsewhere it is not. */
  mirrored(tests: () => void): void;
}

/** Declares the tests of one suite against one kind of server. */
export const onBench = (name: string, bench: Bench, suite: (handle: LabHandle) => void): void => {
  describe(`${name}, two clusters`, () => {
    let servers: LabServers;
    let lab: Lab;
    beforeAll(async () => {
      servers = await bench.open();
    });
    beforeEach(async () => {
      await bench.empty(servers);
      lab = openLab(servers);
    });
    afterEach(async () => {
      await lab.close();
    });
    afterAll(async () => {
      await bench.close();
    });
    const mirrored = (tests: () => void): void => {
      describe('with the mirroring controller at work', () => {
        let uncopied: LabServers;
        let mirroring: Mirroring;
        beforeAll(async () => {
          uncopied = servers;
          mirroring = await bench.startMirroring(uncopied);
          ({ servers } = mirroring);
        });
        afterAll(async () => {
          servers = uncopied;
          await mirroring.stop();
        });
        tests();
      });
    };
    suite({
      get lab() {
        return lab;
      },
      mirrored,
    });
  });
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

/** The exported Service of most tests, with one ready pod. */
export const WEB = [
  ['Service', aService()],
  ['EndpointSlice', aSlice()],
] as const;

/** A gateway whose load balancer has IP addresses, for tests that are not about names. */
export const gatewayAt = (...ips: readonly string[]): KubeObject =>
  aGateway({ ingress: ips.map((ip) => ({ ip })) });

/** Exports `web` through a gateway at 203.0.113.10 and mirrors it. */
export const mirrorWeb = async (lab: Lab, service: KubeObject = aService()): Promise<Run> => {
  const objects = [
    ['Service', service],
    ['EndpointSlice', aSlice()],
  ] as const;
  await arrangeTarget(lab, objects, gatewayAt('203.0.113.10'));
  return lab.sync();
};

/** The next run has nothing to do. */
export const expectInSync = async (lab: Lab): Promise<void> => {
  const { report, writes } = await lab.sync();
  const { changes, unobserved } = report;
  expect({ unobserved, changes, writes }).toEqual({ unobserved: [], changes: [], writes: [] });
};

export const sorted = (texts: readonly string[]): readonly string[] => texts.toSorted();

/** Puts these endpoints into the one slice of `web`. */
export const setPods = (lab: Lab, endpoints: readonly object[]): Promise<KubeObject> =>
  lab.target.patch('EndpointSlice', 'shop', 'web-abcde', { endpoints });

export const aPod = (address: string, ready?: boolean): object => ({
  addresses: [address],
  conditions: ready === undefined ? {} : { ready },
});

/** An object of the source cluster that has to be there. */
export const standing = async (lab: Lab, kind: TestKind, name: string): Promise<KubeObject> => {
  const object = await lab.source.read(kind, 'shop', name);
  if (object === undefined) throw new Error(`${kind} shop/${name} does not exist in the source cluster`);
  return object;
};

/** What became of each change of a run. */
export const resultsOf = ({ report }: Run): readonly string[] =>
  (report.outcomes ?? []).map(
    ({ change, result }) => `${change.action} ${change.kind} ${change.name}: ${result}`,
  );

/** Sets or drops the label `tier` of the exported Service. */
export const setTier = (lab: Lab, tier: string | null) =>
  changeTarget(lab, 'web', { metadata: { labels: { tier } } });

/** The label `tier` of the mirror. */
export const tierOf = async (lab: Lab, kind: 'Service' | 'Endpoints' = 'Service') =>
  (await standing(lab, kind, 'web-west')).metadata.labels?.['tier'];

/** Another cluster answers at the target's address: it exports nothing. */
export const swapTarget = (wire: Wire): void => {
  wire.add({
    on: at('GET', '/namespaces/kube-system'),
    action: {
      status: 200,
      body: {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'kube-system', uid: 'another-cluster', resourceVersion: '1' },
      },
    },
  });
  for (const [resource, kind] of [
    ['services', 'ServiceList'],
    ['endpointslices', 'EndpointSliceList'],
  ] as const)
    wire.add({
      on: ({ method, path }) => method === 'GET' && path.endsWith(`/${resource}`),
      action: { status: 200, body: { kind, metadata: { resourceVersion: '1' }, items: [] } },
    });
};

export const UNEXPORT = {
  metadata: { labels: Object.fromEntries(Object.keys(EXPORTED).map((key) => [key, null])) },
} as const;
