// Contract of Kubernetes API servers: what EndpointSlices may hold, and what of them may change.
import { beforeAll, describe, expect, it } from 'vitest';
import { causesOf, failure, pathsIn } from './apiserver-client.ts';
import type { Answer, Client, Paths } from './apiserver-client.ts';

const LABEL_1123 =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const A_63 = 'a'.repeat(63);

export function sliceContentContract(use: () => Client): void {
  describe('contents of EndpointSlices', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('slice-contents'));
    });
    const create = (name: string, fields: object): Promise<Answer> =>
      use().create(paths.slices(), { metadata: { name }, addressType: 'IPv4', ...fields });
    nameContract(create, (name, body) => use().merge(paths.slices(name), body));
    endpointContract(create);
    changeContract(create, (name, body) => use().merge(paths.slices(name), body));
  });
}

type Create = (name: string, fields: object) => Promise<Answer>;
type Change = (name: string, body: object) => Promise<Answer>;

const named = (...names: readonly string[]): object => ({
  addressType: 'FQDN',
  endpoints: names.map((name) => ({ addresses: [name] })),
});

function nameContract(create: Create, change: Change): void {
  it.each([
    ['a name', 'gw.example.com'],
    ['a name with its dot at the end', 'gw.example.com.'],
    ['an IPv4 address, which is a name as any', '192.0.2.1'],
    ['numbers', '1.2'],
    ['a label of 63 characters', `${A_63}.example.com`],
    ['253 characters', `${A_63}.${A_63}.${A_63}.${'a'.repeat(61)}`],
  ])('FQDN: take %s', async (_, name) => {
    const { status, body } = await create(`fqdn-${name.length}`, named(name));
    expect(status).toBe(201);
    expect(body.endpoints).toEqual([{ addresses: [name], conditions: {} }]);
  });

  it.each([
    ['a name of one label', 'gateway', 'should be a domain with at least two segments separated by dots'],
    ['capitals', 'GW.example.com', SUBDOMAIN],
    ['an underscore', 'a_b.example.com', SUBDOMAIN],
    ['a wildcard', '*.example.com', SUBDOMAIN],
    ['an empty label', 'a..example.com', SUBDOMAIN],
    ['an IPv6 address', '2001:db8::1', SUBDOMAIN],
    ['254 characters', `${A_63}.${A_63}.${A_63}.${'a'.repeat(62)}`, 'must be no more than 253 characters'],
  ])('FQDN: 422 for %s', async (_, name, problem) => {
    const answer = await create('fqdn-bad', named(name));
    expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(answer)).toEqual([`endpoints[0].addresses[0]: Invalid value: "${name}": ${problem}`]);
  });

  it('FQDN: 422 for a label of 64 characters, which it names alone', async () => {
    const answer = await create('fqdn-long', named(`${'a'.repeat(64)}.example.com`));
    expect(causesOf(answer)).toEqual([
      `endpoints[0].addresses[0]: Invalid value: "${'a'.repeat(64)}": must be no more than 63 characters`,
    ]);
  });

  it('FQDN: 422 for no name', async () => {
    expect(causesOf(await create('fqdn-empty', named('')))).toEqual([
      'endpoints[0].addresses[0]: Required value',
    ]);
  });

  it('FQDN: warn at creation, and not again', async () => {
    const { headers } = await create('fqdn-warned', named('gw.example.com'));
    expect(headers.get('warning')).toBe('299 - "spec.addressType: FQDN endpoints are deprecated"');
    const changed = await change('fqdn-warned', { endpoints: [{ addresses: ['gw.example.org'] }] });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('warning')).toBeNull();
  });
}

const pods = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({
    addresses: [`192.0.${2 + (index >> 8)}.${index & 255}`],
    hostname: `web-${index}`,
  }));

function endpointContract(create: Create): void {
  it('hold more than 100 endpoints', async () => {
    const { status, body } = await create('hundreds', { endpoints: pods(101) });
    expect(status).toBe(201);
    expect(body.endpoints).toHaveLength(101);
  });

  it('hold one hostname, or one address, twice', async () => {
    const endpoints = [
      { addresses: ['192.0.2.1'], conditions: {}, hostname: 'web-0' },
      { addresses: ['192.0.2.2'], conditions: {}, hostname: 'web-0' },
      { addresses: ['192.0.2.1'], conditions: {}, hostname: 'web-1' },
    ];
    expect((await create('twice', { endpoints })).body.endpoints).toEqual(endpoints);
  });

  it.each(['web-0', '0', A_63])('take the hostname %s', async (hostname) => {
    const { status } = await create(`hostname-${hostname.length}`, {
      endpoints: [{ addresses: ['192.0.2.1'], hostname }],
    });
    expect(status).toBe(201);
  });

  it.each([
    ['in capitals', 'Web', LABEL_1123],
    ['with an underscore', 'a_b', LABEL_1123],
    ['that is empty', '', LABEL_1123],
    ['with dots', 'web-0.web', 'must not contain dots'],
    ['of 64 characters', 'a'.repeat(64), 'must be no more than 63 characters'],
  ])('422 for a hostname %s', async (_, hostname, problem) => {
    const answer = await create('hostname-bad', { endpoints: [{ addresses: ['192.0.2.1'], hostname }] });
    expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(answer)).toEqual([`endpoints[0].hostname: Invalid value: "${hostname}": ${problem}`]);
  });

  it('keep any zone, and up to 8 zones of hints', async () => {
    const forZones = Array.from({ length: 8 }, (_, index) => ({ name: `us-east-1${index}` }));
    const endpoints = [
      { addresses: ['192.0.2.1'], conditions: {}, zone: 'us-east-1a', hints: { forZones } },
      { addresses: ['192.0.2.2'], conditions: {}, hints: { forZones: [{ name: 'no-zone-of-its-own' }] } },
      { addresses: ['192.0.2.3'], conditions: {}, zone: 'Any Text' },
    ];
    expect((await create('zones', { endpoints })).body.endpoints).toEqual(endpoints);
  });

  it('print empty hints for no zones', async () => {
    const endpoints = [{ addresses: ['192.0.2.1'], hints: { forZones: [] } }];
    const { body } = await create('no-zones', { endpoints });
    expect(body.endpoints).toEqual([{ addresses: ['192.0.2.1'], conditions: {}, hints: {} }]);
  });

  it.each([
    [
      '9 zones',
      Array.from({ length: 9 }, (_, index) => ({ name: `z${index}` })),
      'endpoints[0].hints.forZones: Too many: 9: must have at most 8 items',
    ],
    [
      'a zone twice',
      [{ name: 'a' }, { name: 'a' }],
      'endpoints[0].hints.forZones[1].name: Duplicate value: "a"',
    ],
  ])('422 for hints of %s', async (_, forZones, cause) => {
    const answer = await create('hints-bad', {
      endpoints: [{ addresses: ['192.0.2.1'], hints: { forZones } }],
    });
    expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(answer)).toEqual([cause]);
  });
}

function changeContract(create: Create, change: Change): void {
  const pod = {
    addresses: ['192.0.2.1'],
    conditions: { ready: true },
    hostname: 'web-0',
    zone: 'us-east-1a',
  };

  it.each([
    ['IPv4', 'IPv6', ['192.0.2.1'], ['2001:db8::1']],
    ['IPv4', 'FQDN', ['192.0.2.1'], ['gw.example.com']],
    ['FQDN', 'IPv4', ['gw.example.com'], ['192.0.2.1']],
  ])('422 for %s that turns %s, with the addresses', async (before, after, addresses, others) => {
    const name = `turning-${before}-${after}`.toLowerCase();
    await create(name, { addressType: before, endpoints: [{ addresses }] });
    const answer = await change(name, { addressType: after, endpoints: [{ addresses: others }] });
    expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(answer)).toEqual([`addressType: Invalid value: "${after}": field is immutable`]);
  });

  it('422 for more than 1000 endpoints later on', async () => {
    await create('growing', { endpoints: pods(2) });
    expect(causesOf(await change('growing', { endpoints: pods(1001) }))).toEqual([
      'endpoints: Too many: 1001: must have at most 1000 items',
    ]);
    expect((await change('growing', { endpoints: pods(1000) })).status).toBe(200);
  });

  it('change ports and keep endpoints', async () => {
    await create('ports', { endpoints: [pod], ports: [{ name: 'http', port: 80 }] });
    const ports = [
      { name: 'http', port: 81, protocol: 'TCP' },
      { name: 'grpc', port: 82, protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' },
    ];
    const { status, body } = await change('ports', { ports });
    expect(status).toBe(200);
    expect(body).toMatchObject({ endpoints: [pod], ports, metadata: { generation: 2 } });
    const none = await change('ports', { ports: null });
    expect(none.body).toMatchObject({ endpoints: [pod], ports: null });
  });

  it('lose their endpoints by [] as by null, and gain them again', async () => {
    for (const nothing of [[], null]) {
      const name = `emptied-${JSON.stringify(nothing) === '[]' ? 'list' : 'null'}`;
      await create(name, { endpoints: [pod] });
      const emptied = await change(name, { endpoints: nothing });
      expect(emptied.body).toMatchObject({ endpoints: null, metadata: { generation: 2 } });
      expect((await change(name, { endpoints: [pod] })).body.endpoints).toEqual([pod]);
    }
  });

  it('change owners, which is no new generation', async () => {
    const owner = (uid: string): object => ({
      apiVersion: 'v1',
      kind: 'Service',
      name: 'web',
      uid,
      controller: true,
      blockOwnerDeletion: true,
    });
    await create('owned', { endpoints: [pod] });
    const owned = await change('owned', { metadata: { ownerReferences: [owner('a')] } });
    expect(owned.body.metadata).toMatchObject({ ownerReferences: [owner('a')], generation: 1 });
    const other = await change('owned', { metadata: { ownerReferences: [owner('b')] } });
    expect(other.body.metadata.ownerReferences).toEqual([owner('b')]);
    const none = await change('owned', { metadata: { ownerReferences: null } });
    expect(none.body.metadata).not.toHaveProperty('ownerReferences');
  });

  it('422 for an Event as owner', async () => {
    await create('unownable', {});
    const answer = await change('unownable', {
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'e', uid: 'u' }] },
    });
    expect(causesOf(answer)).toEqual([
      'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"e","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
    ]);
  });
}
