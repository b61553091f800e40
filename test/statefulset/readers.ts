// What the readers of the source cluster find of headless mirrors: its DNS, its Services, its EndpointSlices.
import { expect } from 'vitest';
import type { KubeObject } from '../support/api.ts';
import { endpointsOf, type Lab, slicesOf } from '../support/lab.ts';
import type { SetGround } from './ground.ts';
import { NAMESPACE } from './sets.ts';

const POLL = { timeout: 30_000, interval: 100 }; // ms; controllers and CoreDNS work in their own time

/** What node:dns calls the answer NXDOMAIN. */
export const NXDOMAIN = 'ENOTFOUND';

export type Texts = Readonly<Record<string, string>>;

/** ClusterIP by the name of each mirror Service: `None` for a root. */
export const clusterIPsOf = async (lab: Lab): Promise<Texts> => {
  const services = await lab.source.list('Service', NAMESPACE);
  return Object.fromEntries(
    services
      .filter(({ metadata }) => metadata.name !== 'kubernetes')
      .map(({ metadata, spec }) => [metadata.name, spec.clusterIP]),
  );
};

const answer = async ({ lookUp }: SetGround, name: string): Promise<string> => {
  try {
    return (await lookUp(`${name}.${NAMESPACE}.svc.cluster.local`)).toSorted().join();
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
};

/** Waits until pods of the source cluster get these answers. @param answers by name below default.svc.cluster.local */
export const expectAnswers = async (ground: SetGround, answers: Texts): Promise<void> => {
  const ask = async (): Promise<Texts> =>
    Object.fromEntries(
      await Promise.all(Object.keys(answers).map(async (name) => [name, await answer(ground, name)])),
    );
  await expect.poll(ask, POLL).toEqual(answers);
};

/** The Endpoints of a root: ClusterIP by hostname; undefined when there are none of that name. */
export const rootOf = async (lab: Lab, name = 'foo-west'): Promise<Texts | undefined> => {
  const object = await lab.source.read('Endpoints', NAMESPACE, name);
  if (object === undefined) return undefined;
  const subsets: readonly KubeObject[] = object['subsets'] ?? [];
  return Object.fromEntries(
    subsets.flatMap(({ addresses }) =>
      (addresses ?? []).map(({ hostname, ip }: { hostname: string; ip: string }) => [hostname, ip]),
    ),
  );
};

/** The addresses and ports that the Endpoints of an endpoint mirror list as ready. */
export const gatewayIn = async (lab: Lab, name: string): Promise<string | undefined> => {
  const found = await endpointsOf(lab.source, { namespace: NAMESPACE, name });
  return found === undefined ? undefined : [...found.ready, ...found.ports].join(' ');
};

interface SliceEndpoint {
  readonly addresses: readonly string[];
  readonly hostname?: string;
  readonly conditions?: { readonly ready?: boolean };
}

/** The endpoints in the slices of one Service, each as `hostname address` with `not ready` where it is not. */
const listedIn = async (lab: Lab, name: string): Promise<readonly string[]> => {
  const slices = await slicesOf(lab.source, { namespace: NAMESPACE, name });
  const endpoints = slices.flatMap((slice): readonly SliceEndpoint[] => slice['endpoints'] ?? []);
  return endpoints
    .map(({ hostname, addresses, conditions }) =>
      [hostname, ...addresses, conditions?.ready === false ? 'not ready' : undefined]
        .filter((part) => part !== undefined)
        .join(' '),
    )
    .toSorted();
};

/** Waits until the EndpointSlices of a Service, whoever wrote them, list these endpoints, as `hostname address`, sorted. */
export const expectListed = (lab: Lab, name: string, endpoints: readonly string[]): Promise<void> =>
  expect.poll(() => listedIn(lab, name), POLL).toEqual(endpoints);
