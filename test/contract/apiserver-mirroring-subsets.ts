// Contract of Kubernetes API servers: what the mirroring controller makes of subsets, families, hostnames and many addresses.
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, pathsIn } from './apiserver-client.ts';
import type { Answer, Client, Paths } from './apiserver-client.ts';

interface Address {
  readonly ip: string;
  readonly hostname?: string;
}

interface Subset {
  readonly addresses?: readonly Address[];
  readonly notReadyAddresses?: readonly Address[];
  readonly ports?: readonly object[];
}

type Slice = Answer['body'];

const HTTP = { name: 'http', port: 80, protocol: 'TCP' };
const GRPC = { name: 'grpc', port: 81, protocol: 'TCP' };

export function mirroredSubsetContract(use: () => Client): void {
  describe('the mirroring controller: subsets', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('mirrored-subsets'));
    });
    const service = (name: string, spec: object = {}): Promise<Answer> =>
      use().create(paths.services(), { metadata: { name }, spec: { ports: [HTTP], ...spec } });
    const copiesOf = async (name: string, satisfied: (slices: Slice[]) => boolean): Promise<Slice[]> => {
      const { body } = await eventually(
        () => use().get(`${paths.slices()}?labelSelector=kubernetes.io%2Fservice-name%3D${name}`),
        (answer) => satisfied(answer.body.items),
      );
      return body.items;
    };
    /** The copies of the Endpoints of a new Service. */
    const copied = async (name: string, subsets: readonly Subset[], count: number): Promise<Slice[]> => {
      await service(name);
      await use().create(paths.endpoints(), { metadata: { name }, subsets });
      return copiesOf(name, (slices) => slices.length === count);
    };

    it('make a slice for each family of one subset, hostnames and readiness with them', async () => {
      const slices = await copied(
        'mixed',
        [
          {
            addresses: [
              { ip: '192.0.2.1', hostname: 'web-0' },
              { ip: '2001:db8::1', hostname: 'web-0' },
              { ip: '192.0.2.2', hostname: 'web-1' },
            ],
            notReadyAddresses: [{ ip: '2001:db8::2', hostname: 'web-1' }],
            ports: [HTTP],
          },
        ],
        2,
      );
      expect(contentsOf(slices)).toEqual([
        ['IPv4', ['http:80'], ['192.0.2.1 web-0', '192.0.2.2 web-1']],
        ['IPv6', ['http:80'], ['2001:db8::1 web-0', '2001:db8::2 web-1 not ready']],
      ]);
    });

    it('copy the cluster IP of another Service of the cluster, for a headless one', async () => {
      const root = await service('root');
      await service('headless', { clusterIP: 'None' });
      const { clusterIP } = root.body.spec;
      const { status } = await use().create(paths.endpoints(), {
        metadata: { name: 'headless', labels: { 'service.kubernetes.io/headless': '' } },
        subsets: [{ addresses: [{ ip: clusterIP, hostname: 'web-0' }], ports: [HTTP] }],
      });
      expect(status).toBe(201);
      const slices = await copiesOf('headless', ({ length }) => length === 1);
      expect(contentsOf(slices)).toEqual([['IPv4', ['http:80'], [`${clusterIP} web-0`]]]);
      expect(slices[0].metadata.labels).toMatchObject({ 'service.kubernetes.io/headless': '' });
    });

    it('put ports together that the same addresses offer', async () => {
      const addresses = [{ ip: '192.0.2.1', hostname: 'web-0' }];
      const slices = await copied(
        'together',
        [
          { addresses, ports: [HTTP] },
          { addresses, ports: [GRPC] },
        ],
        1,
      );
      expect(contentsOf(slices)).toEqual([['IPv4', ['grpc:81', 'http:80'], ['192.0.2.1 web-0']]]);
    });

    it('take ports apart that different addresses offer', async () => {
      const [a, b] = [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }];
      const subsets = [
        { addresses: [a], ports: [HTTP, GRPC] },
        { addresses: [b], ports: [HTTP] },
      ];
      expect(contentsOf(await copied('apart', subsets, 2))).toEqual([
        ['IPv4', ['grpc:81'], ['192.0.2.1']],
        ['IPv4', ['http:80'], ['192.0.2.1', '192.0.2.2']],
      ]);
    });

    it('know an address once: by its first hostname, and not ready when it is that anywhere', async () => {
      const subsets = [
        {
          addresses: [
            { ip: '192.0.2.1', hostname: 'web-0' },
            { ip: '192.0.2.2', hostname: 'web-0' },
            { ip: '192.0.2.1', hostname: 'web-1' },
          ],
          notReadyAddresses: [{ ip: '192.0.2.2', hostname: 'web-2' }],
          ports: [HTTP],
        },
      ];
      expect(contentsOf(await copied('once', subsets, 1))).toEqual([
        ['IPv4', ['http:80'], ['192.0.2.1 web-0', '192.0.2.2 web-0 not ready']],
      ]);
    });

    it('copy addresses without ports', async () => {
      const [slice] = await copied('portless', [{ addresses: [{ ip: '192.0.2.1', hostname: 'web-0' }] }], 1);
      expect(slice).toMatchObject({ ports: null, endpoints: [{ hostname: 'web-0' }] });
    });

    it('copy 1000 addresses of a subset, and leave out the last as text', async () => {
      const addresses = [...addressesOf(1, 1000), ...addressesOf(1000)];
      const [slice] = await copied('many', [{ addresses, ports: [HTTP] }], 1);
      expect(slice.endpoints).toHaveLength(1000);
      const hostnames = slice.endpoints.map(({ hostname }: { hostname: string }) => hostname);
      expect(addresses.filter(({ hostname }) => !hostnames.includes(hostname))).toEqual([
        { ip: '192.0.6.1', hostname: 'web-1000' },
      ]);
    });

    it.each([
      [
        'subsets of different ports: 1000 each',
        'ports',
        [
          { addresses: addressesOf(1000), ports: [HTTP] },
          { addresses: addressesOf(900, 1000), ports: [GRPC] },
        ],
        [
          ['IPv4', ['grpc:81'], 900],
          ['IPv4', ['http:80'], 1000],
        ],
      ],
      [
        'subsets of the same ports: 1000 together',
        'same-ports',
        [
          { addresses: addressesOf(1000), ports: [HTTP] },
          { addresses: addressesOf(900, 1000), ports: [HTTP] },
        ],
        [['IPv4', ['http:80'], 1000]],
      ],
      [
        'both families: 1000 together',
        'families',
        [{ addresses: [...addressesOf(900), ...sixAddressesOf(900)], ports: [HTTP] }],
        [
          ['IPv4', ['http:80'], 900],
          ['IPv6', ['http:80'], 100],
        ],
      ],
    ])('copy 1000 addresses of %s', async (_, name, subsets, expected) => {
      const slices = await copied(`many-${name}`, subsets, expected.length);
      expect(contentsOf(slices).map(([type, ports, endpoints]) => [type, ports, endpoints.length])).toEqual(
        expected,
      );
    });

    it('prefer ready addresses when there are too many', async () => {
      const subset = { addresses: addressesOf(600), notReadyAddresses: addressesOf(600, 600), ports: [HTTP] };
      const [slice] = await copied('many-unready', [subset], 1);
      const ready = slice.endpoints.filter(
        ({ conditions }: { conditions: { ready: boolean } }) => conditions.ready,
      );
      expect([slice.endpoints.length, ready.length]).toEqual([1000, 600]);
    });

    it('keep the copies of a Service that turns ExternalName, and delete them for a selector', async () => {
      const subsets = [{ addresses: [{ ip: '192.0.2.1' }], ports: [HTTP] }];
      const [copy] = await copied('turning', subsets, 1);
      await use().merge(paths.services('turning'), {
        spec: { type: 'ExternalName', externalName: 'a.example.com' },
      });
      // A later change of the Endpoints shows that the controller has been there.
      await use().merge(paths.endpoints('turning'), { metadata: { labels: { seen: 'yes' } } });
      const [kept] = await copiesOf('turning', ([slice]) => slice.metadata.labels.seen === 'yes');
      expect(kept.metadata.uid).toBe(copy.metadata.uid);
      await use().merge(paths.services('turning'), { spec: { selector: { app: 'a' } } });
      expect(await copiesOf('turning', ({ length }) => length === 0)).toEqual([]);
    });

    it('put back what somebody does to a copy', async () => {
      const subsets = [{ addresses: [{ ip: '192.0.2.1' }], ports: [HTTP] }];
      const [copy] = await copied('defended', subsets, 1);
      const path = paths.slices(copy.metadata.name);
      await use().merge(path, { endpoints: [{ addresses: ['192.0.2.9'] }] });
      const [mended] = await copiesOf('defended', ([slice]) => slice.metadata.generation === 3);
      expect(mended).toMatchObject({
        metadata: { uid: copy.metadata.uid },
        endpoints: [{ addresses: ['192.0.2.1'] }],
      });
      await use().remove(path);
      const [another] = await copiesOf(
        'defended',
        ([slice]) => slice !== undefined && slice.metadata.uid !== copy.metadata.uid,
      );
      expect(another.endpoints).toEqual([{ addresses: ['192.0.2.1'], conditions: { ready: true } }]);
    });
  });
}

/** Up to 250 in each of 192.0.2.0/24 and the networks after it, with a hostname of their number. */
function addressesOf(count: number, from = 0): { ip: string; hostname: string }[] {
  return Array.from({ length: count }, (_, index) => {
    const number = from + index;
    return { ip: `192.0.${2 + Math.floor(number / 250)}.${1 + (number % 250)}`, hostname: `web-${number}` };
  });
}

const sixAddressesOf = (count: number): Address[] =>
  Array.from({ length: count }, (_, index) => ({ ip: `2001:db8::${(index + 1).toString(16)}` }));

/** Family, ports and endpoints of each slice, in an order that does not depend on the controller's. */
function contentsOf(slices: readonly Slice[]): [string, string[], string[]][] {
  const text = (value: unknown): string => JSON.stringify(value);
  return slices
    .map(({ addressType, ports, endpoints }): [string, string[], string[]] => [
      addressType,
      (ports ?? []).map(({ name, port }: { name: string; port: number }) => `${name}:${port}`).toSorted(),
      endpoints.map(endpointText).toSorted(),
    ])
    .toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}

const endpointText = ({ addresses, hostname, conditions }: Slice): string =>
  [
    addresses.join(),
    ...(hostname === undefined ? [] : [hostname]),
    ...(conditions.ready ? [] : ['not ready']),
  ].join(' ');
