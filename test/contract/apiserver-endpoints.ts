// Contract of Kubernetes API servers: Endpoints and EndpointSlices.
import { beforeAll, describe, expect, it } from 'vitest';
import { causesOf, failure, pathsIn } from './apiserver-client.ts';
import type { Answer, Client, Paths } from './apiserver-client.ts';

const LABEL_1123 =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const NO_ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const LOOPBACK = 'may not be in the loopback range (127.0.0.0/8, ::1/128)';
const LINK_LOCAL = 'may not be in the link-local range (169.254.0.0/16, fe80::/10)';
const LINK_LOCAL_MULTICAST = 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)';

export function endpointContract(use: () => Client): void {
  endpointsContract(use);
  sliceContract(use);
}

function endpointsContract(use: () => Client): void {
  describe('Endpoints', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('endpoints'));
    });
    const create = (name: string, subsets: unknown): Promise<Answer> =>
      use().create(paths.endpoints(), { metadata: { name }, subsets });

    it('default the protocol', async () => {
      const { body } = await create('plain', [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }]);
      expect(body.subsets).toEqual([
        { addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80, protocol: 'TCP' }] },
      ]);
    });

    it('print no empty subsets', async () => {
      expect((await create('empty', [])).body).not.toHaveProperty('subsets');
      await create('emptied', [{ addresses: [{ ip: '192.0.2.1' }] }]);
      const { body } = await use().merge(paths.endpoints('emptied'), { subsets: [] });
      expect(body).not.toHaveProperty('subsets');
    });

    it('let families mix, and any address that endpoints may have', async () => {
      const ips = ['192.0.2.1', '2001:db8::1', '10.96.0.1', '224.0.1.1', 'fd00:ec2::254'];
      const { status, body } = await create('mixed', [{ addresses: ips.map((ip) => ({ ip })) }]);
      expect(status).toBe(201);
      expect(body.subsets[0].addresses.map(({ ip }: { ip: string }) => ip)).toEqual(ips);
    });

    it.each([
      [
        'with leading zeros',
        '192.000.002.001',
        'non-standard IP address \\"192.000.002.001\\" will be considered invalid in a future Kubernetes release: use \\"192.0.2.1\\"',
      ],
      [
        'IPv4 in IPv6',
        '::ffff:192.0.2.1',
        'non-standard IP address \\"::ffff:192.0.2.1\\" will be considered invalid in a future Kubernetes release: use \\"192.0.2.1\\"',
      ],
      [
        'not canonical',
        '2001:DB8::1',
        'IPv6 address \\"2001:DB8::1\\" should be in RFC 5952 canonical format (\\"2001:db8::1\\")',
      ],
    ])('take an address %s, with a warning', async (_, ip, warning) => {
      const { status, headers } = await use().replace(paths.endpoints('sloppy'), {
        metadata: { name: 'sloppy' },
        subsets: [{ notReadyAddresses: [{ ip }] }],
      });
      expect([200, 201]).toContain(status);
      expect(headers.get('warning')).toContain(`299 - "subsets[0].notReadyAddresses[0].ip: ${warning}"`);
    });

    const address = 'subsets[0].addresses[0]';
    it.each([
      [
        'a subset without addresses',
        [{ ports: [{ port: 80 }] }],
        ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
      ],
      [
        'a loopback address',
        [{ addresses: [{ ip: '127.0.0.1' }] }],
        [`${address}.ip: Invalid value: "127.0.0.1": ${LOOPBACK}`],
      ],
      ['::1', [{ addresses: [{ ip: '::1' }] }], [`${address}.ip: Invalid value: "::1": ${LOOPBACK}`]],
      [
        'a link-local address',
        [{ addresses: [{ ip: '169.254.169.254' }] }],
        [`${address}.ip: Invalid value: "169.254.169.254": ${LINK_LOCAL}`],
      ],
      [
        'fe80::1',
        [{ addresses: [{ ip: 'fe80::1' }] }],
        [`${address}.ip: Invalid value: "fe80::1": ${LINK_LOCAL}`],
      ],
      [
        'link-local multicast',
        [{ addresses: [{ ip: '224.0.0.1' }] }],
        [`${address}.ip: Invalid value: "224.0.0.1": ${LINK_LOCAL_MULTICAST}`],
      ],
      [
        '0.0.0.0',
        [{ addresses: [{ ip: '0.0.0.0' }] }],
        [`${address}.ip: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)`],
      ],
      [
        'an empty address, as of a gateway that has only a name',
        [{ addresses: [{ ip: '', hostname: 'gw.example.com' }] }],
        [
          `${address}.ip: Invalid value: "": ${NO_ADDRESS}`,
          `${address}.hostname: Invalid value: "gw.example.com": must not contain dots`,
          `${address}.ip: Invalid value: "": must be a valid IP address`,
        ],
      ],
      [
        'a hostname in capitals',
        [{ addresses: [{ ip: '192.0.2.1', hostname: 'Foo' }] }],
        [`${address}.hostname: Invalid value: "Foo": ${LABEL_1123}`],
      ],
      [
        'two ports without names',
        [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 1 }, { port: 2 }] }],
        ['subsets[0].ports[0].name: Required value', 'subsets[0].ports[1].name: Required value'],
      ],
      [
        'a port 0 of an unknown protocol',
        [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 0, protocol: 'X' }] }],
        [
          'subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
          'subsets[0].ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
        ],
      ],
    ])('422 for %s', async (_, subsets, causes) => {
      const answer = await create('bad', subsets);
      expect(answer).toMatchObject(
        failure({
          code: 422,
          reason: 'Invalid',
          details: expect.objectContaining({ kind: 'Endpoints' }),
        }),
      );
      expect(causesOf(answer)).toEqual(causes);
    });
  });
}

function sliceContract(use: () => Client): void {
  describe('EndpointSlices', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('slices'));
    });
    const create = (name: string, fields: object): Promise<Answer> =>
      use().create(paths.slices(), { metadata: { name }, addressType: 'IPv4', ...fields });

    it('default names and protocols of ports, and begin at generation 1', async () => {
      const { body } = await create('plain', {
        endpoints: [{ addresses: ['192.0.2.1'] }],
        ports: [{ port: 80 }],
      });
      expect(body).toMatchObject({
        addressType: 'IPv4',
        endpoints: [{ addresses: ['192.0.2.1'], conditions: {} }],
        ports: [{ name: '', port: 80, protocol: 'TCP' }],
      });
      expect(body.metadata.generation).toBe(1);
    });

    it('print null for no endpoints and no ports, however they were written', async () => {
      expect((await create('empty', { endpoints: [], ports: [] })).body).toMatchObject({
        endpoints: null,
        ports: null,
      });
      expect((await create('absent', {})).body).toMatchObject({ endpoints: null, ports: null });
    });

    it('count generations by content and labels, not by annotations', async () => {
      const path = paths.slices('counted');
      await create('counted', { endpoints: [{ addresses: ['192.0.2.1'] }] });
      const labelled = await use().merge(path, { metadata: { labels: { a: 'b' } } });
      expect(labelled.body.metadata.generation).toBe(2);
      const annotated = await use().merge(path, { metadata: { annotations: { a: 'b' } } });
      expect(annotated.body.metadata.generation).toBe(2);
      const changed = await use().merge(path, { endpoints: [{ addresses: ['192.0.2.2'] }] });
      expect(changed.body.metadata.generation).toBe(3);
    });

    it('belong to who writes [] over nothing, which is no new content and happens once', async () => {
      await create('nothing', {});
      const path = paths.slices('nothing');
      const first = await use().merge(path, { endpoints: [] });
      expect(first.body.metadata.generation).toBe(1);
      expect(first.body.metadata.managedFields[0].fieldsV1).toEqual({
        'f:addressType': {},
        'f:endpoints': {},
      });
      expect((await use().merge(path, { endpoints: [] })).body).toEqual(first.body);
    });

    it('keep conditions, zones, hints and hostnames', async () => {
      const endpoint = {
        addresses: ['192.0.2.1'],
        conditions: { ready: false, serving: true, terminating: true },
        hostname: 'foo-0',
        nodeName: 'n1',
        zone: 'a',
        hints: { forZones: [{ name: 'a' }] },
      };
      const { body } = await create('rich', { endpoints: [{ ...endpoint, deprecatedTopology: { a: 'b' } }] });
      expect(body.endpoints).toEqual([endpoint]);
    });

    it('take names, with a warning', async () => {
      const fields = { addressType: 'FQDN', endpoints: [{ addresses: ['gw.example.com'] }] };
      const { status, headers } = await create('fqdn', fields);
      expect(status).toBe(201);
      expect(headers.get('warning')).toBe('299 - "spec.addressType: FQDN endpoints are deprecated"');
    });

    it('422 for another address type later on', async () => {
      await create('typed', {});
      const answer = await use().merge(paths.slices('typed'), { addressType: 'IPv6' });
      expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
      expect(causesOf(answer)).toEqual(['addressType: Invalid value: "IPv6": field is immutable']);
    });

    const many = (count: number): object[] =>
      Array.from({ length: count }, (_, index) => ({
        addresses: [`192.0.${2 + (index >> 8)}.${index & 255}`],
      }));

    it('hold 1000 endpoints', async () => {
      expect((await create('full', { endpoints: many(1000) })).status).toBe(201);
    });

    const addresses = 'endpoints[0].addresses';
    it.each([
      [
        '1001 endpoints',
        { endpoints: many(1001) },
        ['endpoints: Too many: 1001: must have at most 1000 items'],
      ],
      ['no address type', { addressType: '' }, ['addressType: Required value']],
      [
        'an unknown address type',
        { addressType: 'X' },
        ['addressType: Unsupported value: "X": supported values: "FQDN", "IPv4", "IPv6"'],
      ],
      [
        'an endpoint without address',
        { endpoints: [{ addresses: [] }] },
        [`${addresses}: Required value: must contain at least 1 address`],
      ],
      [
        'an IPv6 address among IPv4',
        { endpoints: [{ addresses: ['2001:db8::1'] }] },
        [`${addresses}: Invalid value: "2001:db8::1": must be an IPv4 address`],
      ],
      [
        'an IPv4 address among IPv6',
        { addressType: 'IPv6', endpoints: [{ addresses: ['192.0.2.1'] }] },
        [`${addresses}: Invalid value: "192.0.2.1": must be an IPv6 address`],
      ],
      [
        'an IPv6 address that is not canonical',
        { addressType: 'IPv6', endpoints: [{ addresses: ['2001:DB8::1'] }] },
        [`${addresses}[0]: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")`],
      ],
      [
        'a loopback address',
        { endpoints: [{ addresses: ['127.0.0.1'] }] },
        [`${addresses}[0]: Invalid value: "127.0.0.1": ${LOOPBACK}`],
      ],
      [
        'a name of one label',
        { addressType: 'FQDN', endpoints: [{ addresses: ['gateway'] }] },
        [
          `${addresses}[0]: Invalid value: "gateway": should be a domain with at least two segments separated by dots`,
        ],
      ],
      [
        'a hostname with dots',
        { endpoints: [{ addresses: ['192.0.2.1'], hostname: 'a.b' }] },
        ['endpoints[0].hostname: Invalid value: "a.b": must not contain dots'],
      ],
      [
        'two ports of one name',
        { ports: [{ name: 'a' }, { name: 'a' }] },
        ['ports[1].name: Duplicate value: "a"'],
      ],
      [
        'a port name in capitals',
        { ports: [{ name: 'A' }] },
        [`ports[0].name: Invalid value: "A": ${LABEL_1123}`],
      ],
      [
        'an unknown protocol',
        { ports: [{ protocol: 'X' }] },
        ['ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"'],
      ],
    ])('422 for %s', async (_, fields, causes) => {
      const answer = await create('bad', fields);
      expect(answer).toMatchObject(
        failure({
          code: 422,
          reason: 'Invalid',
          details: expect.objectContaining({ kind: 'EndpointSlice' }),
        }),
      );
      expect(causesOf(answer)).toEqual(causes);
    });
  });
}
