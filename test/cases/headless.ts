// A headless Service `db` of the target cluster, its pods, and what its mirror looks like: common ground of the headless suites.
import type { KubeObject } from '../support/api.ts';
import { aService, EXPORTED } from '../support/builders.ts';
import type { Lab, Run } from '../support/lab.ts';
import { arrangeTarget, gatewayAt, sorted } from './suite.ts';

export const PG = { name: 'pg', port: 5432, targetPort: 5432, protocol: 'TCP' } as const;

interface HeadlessSpec {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly ports?: readonly object[];
  readonly spec?: object;
}

export const aHeadless = ({ spec = {}, ...given }: HeadlessSpec = {}): KubeObject =>
  aService({ name: 'db', ports: [PG], ...given, spec: { clusterIP: 'None', ...spec } });

/** An endpoint of a slice: one pod. */
export interface Pod {
  readonly hostname?: string;
  readonly addresses: readonly string[];
  readonly conditions: { readonly ready?: boolean };
}

/** Pods by hostname, ready, at 10.1.0.1, 10.1.0.2, … */
export const pods = (...hostnames: readonly string[]): readonly Pod[] =>
  hostnames.map((hostname, index) => ({
    hostname,
    addresses: [`10.1.${Math.floor(index / 250)}.${(index % 250) + 1}`],
    conditions: { ready: true },
  }));

/** db-0 to db-(count - 1). */
export const ordinals = (count: number): readonly Pod[] =>
  pods(...Array.from({ length: count }, (_unused, index) => `db-${index}`));

export const unready = (given: readonly Pod[]): readonly Pod[] =>
  given.map((pod) => ({ ...pod, conditions: { ready: false } }));

/** As of a Deployment: no hostnames. */
export const nameless = (given: readonly Pod[]): readonly Pod[] =>
  given.map(({ addresses, conditions }) => ({ addresses, conditions }));

interface PodSlice {
  readonly service?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly family?: 'IPv4' | 'IPv6';
  readonly ports?: readonly object[];
}

export const aPodSlice = (endpoints: readonly Pod[], given: PodSlice = {}): KubeObject => {
  const { service = 'db', namespace = 'shop', ports = [{ name: 'pg', port: 5432, protocol: 'TCP' }] } = given;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: given.name ?? `${service}-abcde`,
      namespace,
      labels: { 'kubernetes.io/service-name': service },
    },
    addressType: given.family ?? 'IPv4',
    endpoints,
    ports,
  };
};

/** The one slice of `db` gets these pods. */
export const scale = (lab: Lab, endpoints: readonly Pod[], namespace = 'shop'): Promise<KubeObject> =>
  lab.target.patch('EndpointSlice', namespace, 'db-abcde', { endpoints });

export const arrangeDb = (
  lab: Lab,
  endpoints: readonly Pod[] = ordinals(2),
  service: KubeObject = aHeadless(),
): Promise<void> =>
  arrangeTarget(
    lab,
    [
      ['Service', service],
      ['EndpointSlice', aPodSlice(endpoints)],
    ],
    gatewayAt('203.0.113.10'),
  );

/** Exports `db` with these pods, two unless told otherwise, and mirrors it. */
export const mirrorDb = async (lab: Lab, endpoints?: readonly Pod[], service?: KubeObject): Promise<Run> => {
  await arrangeDb(lab, endpoints, service);
  return lab.sync();
};

/** What stands of the mirror of `db` with these pods (`told` in seen.ts says how to read it). */
export const mirrorOf = (...hostnames: readonly string[]): readonly string[] => {
  const entries = hostnames.map((hostname) => `${hostname}=${hostname}-west`).toSorted();
  return sorted([
    `db-west pg:5432 headless → ${entries.length === 0 ? 'nobody' : `${entries.join(', ')} at pg:5432`}`,
    ...hostnames.map((hostname) => `${hostname}-west pg:5432 of db-west → 203.0.113.10 at pg:4143`),
  ]);
};

/** What a run writes to make the endpoint mirror of a pod, beside the root. */
export const podMade = (hostname: string): readonly string[] => [
  `POST Service shop/${hostname}-west`,
  `POST Endpoints shop/${hostname}-west`,
];

export const podRemoved = (hostname: string): readonly string[] => [
  `DELETE Endpoints shop/${hostname}-west`,
  `DELETE Service shop/${hostname}-west`,
];

export const ROOT_LISTED = 'PATCH Endpoints shop/db-west';

export const setExported = (lab: Lab, isExported: boolean, namespace = 'shop'): Promise<KubeObject> =>
  lab.target.patch('Service', namespace, 'db', {
    metadata: {
      labels: Object.fromEntries(
        Object.entries(EXPORTED).map(([key, value]) => [key, isExported ? value : null]),
      ),
    },
  });

/** Deletes the exported Service and makes another of the same name, with other pods; its ClusterIP cannot be changed in place. */
export const replaceDb = async (lab: Lab, service: KubeObject, endpoints: readonly Pod[]): Promise<void> => {
  await lab.target.remove('Service', 'shop', 'db');
  await lab.target.create('Service', service);
  await scale(lab, endpoints);
};

/** Everything of ours in a namespace of the source cluster. */
export const everything = async (lab: Lab, namespace = 'shop'): Promise<readonly KubeObject[]> =>
  (
    await Promise.all(
      (['Service', 'Endpoints', 'EndpointSlice'] as const).map((kind) => lab.source.list(kind, namespace)),
    )
  ).flat();

/** The runs of the following hours write nothing. */
export const expectQuiet = async (lab: Lab): Promise<void> => {
  for (let run = 0; run < 3; run += 1) {
    const { report, writes } = await lab.syncLater(3600);
    const { changes, unobserved } = report;
    if (writes.length + changes.length + unobserved.length > 0)
      throw new Error(`expected quiet, found ${JSON.stringify({ unobserved, changes, writes })}`);
  }
};
