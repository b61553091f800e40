// What readers of the source cluster see: every Service of a namespace with the list behind it, in either form, and what none may see.
import type { KubeObject, TestApi } from '../support/api.ts';

/** One line of a list. */
interface Line {
  readonly ip: string;
  readonly hostname: string | undefined;
  readonly state: 'ready' | 'draining' | 'down';
  readonly ports: string;
}

export interface SeenService {
  readonly name: string;
  readonly uid: string | undefined;
  readonly clusterIP: string;
  readonly ports: string;
  readonly root: string | undefined; // of an endpoint mirror
  readonly list: readonly Line[] | undefined; // undefined: there is no object that could list anybody
}

export type Seen = ReadonlyMap<string, SeenService>;

const HEADLESS_MIRROR = 'mirror.linkerd.io/headless-mirror-svc-name';

interface Port {
  readonly name?: string;
  readonly port: number;
  readonly appProtocol?: string;
}

const portsText = (ports: readonly Port[] = []): string =>
  ports
    .map(({ name = '', port, appProtocol }) => [name, port, ...(appProtocol ? [appProtocol] : [])].join(':'))
    .toSorted()
    .join(' ');

interface Address {
  readonly ip: string;
  readonly hostname?: string;
}

interface Subset {
  readonly addresses?: readonly Address[];
  readonly notReadyAddresses?: readonly Address[];
  readonly ports?: readonly Port[];
}

const linesOfEndpoints = (object: KubeObject): readonly Line[] => {
  const subsets: readonly Subset[] = object['subsets'] ?? [];
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports }) =>
    [addresses, notReadyAddresses].flatMap((rows, index) =>
      rows.map(({ ip, hostname }) => ({
        ip,
        hostname,
        state: index === 0 ? ('ready' as const) : ('down' as const),
        ports: portsText(ports),
      })),
    ),
  );
};

interface SliceEndpoint {
  readonly addresses: readonly string[];
  readonly hostname?: string;
  readonly conditions?: {
    readonly ready?: boolean;
    readonly serving?: boolean;
    readonly terminating?: boolean;
  };
}

const stateOf = ({ conditions }: SliceEndpoint): Line['state'] => {
  if (conditions?.ready !== false) return 'ready';
  return conditions.serving === true && conditions.terminating === true ? 'draining' : 'down';
};

const linesOfSlice = (object: KubeObject): readonly Line[] => {
  const endpoints: readonly SliceEndpoint[] = object['endpoints'] ?? [];
  return endpoints.flatMap((endpoint) =>
    endpoint.addresses.map((ip) => ({
      ip,
      hostname: endpoint.hostname,
      state: stateOf(endpoint),
      ports: portsText(object['ports']),
    })),
  );
};

const unique = (lines: readonly Line[]): readonly Line[] => [
  ...new Map(lines.map((line) => [JSON.stringify(line), line])).values(),
];

/** The objects of a namespace that make up what is seen. */
export interface Objects {
  readonly services: readonly KubeObject[];
  readonly endpoints: readonly KubeObject[];
  readonly slices: readonly KubeObject[];
}

export const objectsIn = async (api: TestApi, namespace = 'shop'): Promise<Objects> => {
  const [services, endpoints, slices] = await Promise.all([
    api.list('Service', namespace),
    api.list('Endpoints', namespace),
    api.list('EndpointSlice', namespace),
  ]);
  return { services, endpoints, slices };
};

/** Every Service with the lines of its Endpoints and of its slices, each line once. */
export const seenOf = ({ services, endpoints, slices }: Objects): Seen => {
  const listOf = (name: string): readonly Line[] | undefined => {
    const lists = [
      ...endpoints.filter(({ metadata }) => metadata.name === name).map(linesOfEndpoints),
      ...slices
        .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name)
        .map(linesOfSlice),
    ];
    return lists.length === 0 ? undefined : unique(lists.flat());
  };
  return new Map(
    services.map(({ metadata, spec }) => [
      metadata.name,
      {
        name: metadata.name,
        uid: metadata.uid,
        clusterIP: spec.clusterIP,
        ports: portsText(spec.ports),
        root: metadata.labels?.[HEADLESS_MIRROR],
        list: listOf(metadata.name),
      },
    ]),
  );
};

const seenIn = async (api: TestApi, namespace = 'shop'): Promise<Seen> =>
  seenOf(await objectsIn(api, namespace));

const lineText = (seen: Seen, { ip, hostname, state }: Line): string => {
  const behind = [...seen.values()].find(({ clusterIP }) => clusterIP === ip)?.name ?? ip;
  return `${hostname === undefined ? '' : `${hostname}=`}${behind}${state === 'ready' ? '' : ` (${state})`}`;
};

const listText = (seen: Seen, list: SeenService['list']): string => {
  if (list === undefined) return 'no list';
  if (list.length === 0) return 'nobody';
  const byPorts = Map.groupBy(list, ({ ports }) => ports);
  return [...byPorts]
    .map(
      ([ports, lines]) =>
        `${lines
          .map((line) => lineText(seen, line))
          .toSorted()
          .join(', ')} at ${ports}`,
    )
    .toSorted()
    .join('; ');
};

/**
 * One line of text per Service, sorted; an address that is a Service's ClusterIP is shown as its name:
 *
 *   `db-west pg:5432 headless → db-0=db-0-west, db-1=db-1-west at pg:5432`
 *   `db-0-west pg:5432 of db-west → 203.0.113.10 at pg:4143`
 */
export const told = (seen: Seen): readonly string[] =>
  [...seen.values()]
    .map(({ name, clusterIP, ports, root, list }) => {
      const shape = clusterIP === 'None' ? ' headless' : '';
      return `${name} ${ports}${shape}${root === undefined ? '' : ` of ${root}`} → ${listText(seen, list)}`;
    })
    .toSorted();

/** Every mirror in a namespace of the source cluster, as text. */
export const mirrorsIn = async (api: TestApi, namespace = 'shop'): Promise<readonly string[]> =>
  told(await seenIn(api, namespace));

/** ClusterIPs by the name of the Service. */
export const clusterIPsIn = async (
  api: TestApi,
  namespace = 'shop',
): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries([...(await seenIn(api, namespace))].map(([name, { clusterIP }]) => [name, clusterIP]));

const rootFaults = (seen: Seen, { name, list = [] }: SeenService): readonly string[] =>
  list.flatMap(({ ip, hostname }) => {
    if (hostname === undefined) return [`${name} is headless and lists ${ip} without a hostname`];
    const behind = [...seen.values()].find(({ clusterIP }) => clusterIP === ip);
    if (behind?.root !== name)
      return [`${name} lists ${hostname} at ${ip}, which no endpoint mirror of it has`];
    return behind.list === undefined ? [`${name} lists ${behind.name}, which has no list`] : [];
  });

const addressFaults = ({ name, list = [] }: SeenService): readonly string[] =>
  list.flatMap(({ ip, hostname }) =>
    hostname === undefined ? [] : [`${name} has a ClusterIP and lists ${ip} as ${hostname}`],
  );

/** What must not be seen at any moment. */
export const faultsIn = (seen: Seen): readonly string[] =>
  [...seen.values()].flatMap((service) =>
    service.clusterIP === 'None' ? rootFaults(seen, service) : addressFaults(service),
  );
