// What the gateway Service and the link's pins declare.
import { describe, expect, it } from 'vitest';
import { readGateway } from '../../lib/gateway/declaration.ts';
import type { Ingress } from '../../lib/model/objects.ts';
import { KEY, NAME, aGatewayService, aLink, frozen, said } from './support.ts';

const ELB = 'name-0123456789abcdef.elb.eu-west-1.amazonaws.com';
const SERVICE = 'gateway Service linkerd-multicluster/linkerd-gateway';

const withStatus = (ingress: readonly Ingress[]): ReturnType<typeof readGateway> =>
  readGateway(frozen(aLink()), frozen(aGatewayService({ ingress })));

describe('the gateway Service', () => {
  it('A1: declares hostname, ports, identity and age', () => {
    const service = aGatewayService({
      createdAt: 1_700_000_000_999,
      annotations: {
        'mirror.linkerd.io/gateway-identity': 'gw.linkerd.serviceaccount.identity.linkerd.cluster.local',
      },
    });
    expect(readGateway(aLink(), service)).toEqual({
      key: KEY,
      hostnames: [NAME],
      literals: [],
      port: 4143,
      probePort: 4191,
      identity: 'gw.linkerd.serviceaccount.identity.linkerd.cluster.local',
      createdAt: 1_700_000_000,
      refusals: [],
    });
  });

  it.each<[string, readonly Ingress[], readonly string[], readonly string[]]>([
    [
      'A4: every entry counts, sorted and once',
      [
        { ip: '10.0.0.10' },
        { ip: '10.0.0.2' },
        { hostname: 'b.example.test' },
        { hostname: 'a.example.test' },
        { ip: '10.0.0.2' },
      ],
      ['a.example.test', 'b.example.test'],
      ['10.0.0.2', '10.0.0.10'],
    ],
    ['a hostname in the ip field', [{ ip: NAME }], [NAME], []],
    ['an address in the hostname field', [{ hostname: '203.0.113.10' }], [], ['203.0.113.10']],
    ['both fields of one entry', [{ ip: '203.0.113.10', hostname: NAME }], [NAME], ['203.0.113.10']],
    ['empty fields', [{ ip: '', hostname: NAME }, { hostname: '' }], [NAME], []],
    ['one name in two spellings', [{ hostname: 'LB.Example.test.' }, { hostname: NAME }], [NAME], []],
    ['load balancers of AWS need no listing', [{ hostname: ELB }], [ELB], []],
    [
      'A10: IPv6 literals',
      [{ ip: '2001:db8::2' }, { ip: '10.0.0.1' }, { ip: '2001:db8::1' }],
      [],
      ['10.0.0.1', '2001:db8::1', '2001:db8::2'],
    ],
  ])('%s', (_title, ingress, hostnames, literals) => {
    expect(withStatus(ingress)).toMatchObject({ hostnames, literals, refusals: [] });
    expect(withStatus([...ingress].reverse())).toMatchObject({ hostnames, literals, refusals: [] });
  });

  it('A5: without any address yet is a refusal, ports and all else stay', () => {
    for (const ingress of [[], [{}], [{ ip: '' }]]) {
      const declaration = withStatus(ingress);
      expect(declaration).toMatchObject({ hostnames: [], literals: [], port: 4143 });
      expect(declaration.refusals).toEqual([
        {
          ...KEY,
          reason: 'NoGatewayAddress',
          message: `${SERVICE} has no address yet: expected an entry in status.loadBalancer.ingress, found none`,
        },
      ]);
    }
  });

  it('that is not there is a refusal', () => {
    const declaration = readGateway(aLink(), undefined);
    expect(declaration).toEqual({
      key: KEY,
      hostnames: [],
      literals: [],
      port: 0,
      probePort: undefined,
      identity: '',
      createdAt: undefined,
      refusals: [
        { ...KEY, reason: 'NoGatewayAddress', message: `${SERVICE} not found in the target cluster` },
      ],
    });
  });

  it('is named as the link names it', () => {
    const link = aLink({ gateway: { namespace: 'edge', name: 'gw' } });
    expect(readGateway(link, undefined).refusals).toEqual([
      {
        namespace: 'edge',
        name: 'gw',
        reason: 'NoGatewayAddress',
        message: 'gateway Service edge/gw not found in the target cluster',
      },
    ]);
  });

  it('a link without a gateway is a mistake of the caller', () => {
    expect(() => readGateway(aLink({ gateway: 'none' }), undefined)).toThrow(
      new TypeError('link west has no gateway'),
    );
  });
});

describe('names that are not acceptable', () => {
  it('are refused one by one, the others stay', () => {
    const declaration = withStatus([
      { hostname: 'evil.example.org' },
      { hostname: NAME },
      { hostname: 'kube.local' },
      { hostname: '0x7f.1' },
    ]);
    expect(declaration.hostnames).toEqual([NAME]);
    expect(said(declaration.refusals)).toEqual([
      'AddressRefused: hostname 0x7f.1: the last label is a number',
      'AddressRefused: hostname evil.example.org: neither a load balancer of AWS nor listed in allowedHostnames',
      'AddressRefused: hostname kube.local: names under local are never looked up',
    ]);
  });

  it('cannot carry control characters or endless text into a message', () => {
    const [refusal] = withStatus([{ hostname: `bad\u001b[31m\nname${'x'.repeat(5_000)}` }]).refusals;
    expect(refusal?.message).toMatch(
      /^hostname bad\?\[31m\?namex+: expected at most 253 characters, found 5013$/,
    );
    expect(refusal?.message.length).toBeLessThan(400);
  });

  it('a ninth name is one too many', () => {
    const names = Array.from({ length: 9 }, (_, index) => `lb-${index + 1}.example.test`);
    const declaration = withStatus(names.map((hostname) => ({ hostname })).reverse());
    expect(declaration.hostnames).toEqual(names.slice(0, 8));
    expect(said(declaration.refusals)).toEqual([
      'AddressRefused: hostname lb-9.example.test: expected at most 8 names, found 9',
    ]);
  });

  it('a 65th literal is one too many', () => {
    const literals = Array.from({ length: 65 }, (_, index) => `10.0.0.${index + 1}`);
    const declaration = withStatus(literals.map((ip) => ({ ip })).reverse());
    expect(declaration.literals).toEqual(literals.slice(0, 64));
    expect(said(declaration.refusals)).toEqual([
      `AddressRefused: ${SERVICE}: expected at most 64 IP addresses, found 65`,
    ]);
  });
});

describe('types of the gateway Service', () => {
  const pins = { addresses: ['10.0.0.7', 'node.example.org'] };

  it.each([
    ['NodePort', 30_143, 30_191],
    ['ClusterIP', 4_143, 4_191],
    ['LoadBalancer', 4_143, 4_191],
  ] as const)('%s with pinned addresses', (type, port, probePort) => {
    const declaration = readGateway(aLink({ gateway: pins }), aGatewayService({ type, ingress: [] }));
    expect(declaration).toMatchObject({
      hostnames: ['node.example.org'],
      literals: ['10.0.0.7'],
      port,
      probePort,
      refusals: [],
    });
  });

  it.each(['NodePort', 'ClusterIP', 'ExternalName'] as const)('%s without pins names the field', (type) => {
    const declaration = readGateway(aLink(), aGatewayService({ type }));
    expect(declaration).toMatchObject({ hostnames: [], literals: [] });
    expect(said(declaration.refusals)).toEqual([
      `NoGatewayAddress: ${SERVICE} is of type ${type}: expected addresses in gateway.addresses of the link, found none`,
    ]);
  });
});

describe('A7: ports', () => {
  const other = { name: 'http', protocol: 'TCP', port: 80, targetPort: 80 } as const;

  it('follow the Service', () => {
    const ports = [
      other,
      { ...other, name: 'mc-probe', port: 4_192 },
      { ...other, name: 'mc-gateway', port: 4_144 },
    ];
    expect(readGateway(aLink(), aGatewayService({ ports }))).toMatchObject({
      port: 4_144,
      probePort: 4_192,
      refusals: [],
    });
  });

  it('are what the link pins, whatever the Service says', () => {
    const link = aLink({ gateway: { port: 15_443, probePort: 15_021 } });
    for (const service of [aGatewayService(), aGatewayService({ ports: [other] })]) {
      expect(readGateway(link, service)).toMatchObject({ port: 15_443, probePort: 15_021, refusals: [] });
    }
  });

  it.each([
    ['no such port', 'LoadBalancer', [other], 'a port named mc-gateway, found http'],
    ['no port at all', 'LoadBalancer', [], 'a port named mc-gateway, found none'],
    [
      'one without a name',
      'LoadBalancer',
      [{ protocol: 'TCP', port: 4_143, targetPort: 4_143 }],
      'a port named mc-gateway, found one without a name',
    ],
    [
      'a number no port has',
      'LoadBalancer',
      [{ ...other, name: 'mc-gateway', port: 70_000 }],
      'a port named mc-gateway, found mc-gateway',
    ],
    [
      'no nodePort',
      'NodePort',
      [{ ...other, name: 'mc-gateway' }],
      'a nodePort of the port named mc-gateway, found mc-gateway',
    ],
  ] as const)('%s is a refusal, and no port', (_title, type, ports, message) => {
    const link = aLink(type === 'NodePort' ? { gateway: { addresses: ['10.0.0.7'] } } : {});
    const declaration = readGateway(link, aGatewayService({ type, ports }));
    expect(declaration).toMatchObject({ port: 0, probePort: undefined });
    expect(said(declaration.refusals)).toEqual([`NoGatewayAddress: ${SERVICE}: expected ${message}`]);
  });
});

describe('A6: pins', () => {
  it('win over the status', () => {
    const link = aLink({ gateway: { addresses: ['198.51.100.5'] } });
    expect(
      readGateway(link, aGatewayService({ ingress: [{ ip: '203.0.113.10' }, { hostname: NAME }] })),
    ).toMatchObject({
      hostnames: [],
      literals: ['198.51.100.5'],
      refusals: [],
    });
  });

  it('without them the status is followed', () => {
    expect(withStatus([{ hostname: 'new.example.test' }]).hostnames).toEqual(['new.example.test']);
  });

  it('are names the owner listed, though never local ones', () => {
    const link = aLink({
      allowedHostnames: [],
      gateway: { addresses: ['gw.example.org', 'localhost', 'gw.local'] },
    });
    const declaration = readGateway(link, aGatewayService());
    expect(declaration.hostnames).toEqual(['gw.example.org']);
    expect(said(declaration.refusals)).toEqual([
      'AddressRefused: hostname gw.local: names under local are never looked up',
      'AddressRefused: hostname localhost: expected at least two labels',
    ]);
  });

  it('of address and port need no Service', () => {
    const link = aLink({ gateway: { addresses: ['198.51.100.5'], port: 4_143 } });
    expect(readGateway(link, undefined)).toMatchObject({
      literals: ['198.51.100.5'],
      port: 4_143,
      refusals: [],
    });
  });

  it('of the address alone need its port', () => {
    const link = aLink({ gateway: { addresses: ['198.51.100.5'] } });
    expect(said(readGateway(link, undefined).refusals)).toEqual([
      `NoGatewayAddress: ${SERVICE} not found in the target cluster`,
    ]);
  });

  it.each([
    ['another identity', 'pinned.example', 'pinned.example'],
    ['none', '', ''],
  ])('of the identity: %s', (_title, identity, expected) => {
    const service = aGatewayService({
      annotations: { 'mirror.linkerd.io/gateway-identity': 'declared.example' },
    });
    expect(readGateway(aLink({ gateway: { identity } }), service).identity).toBe(expected);
    expect(readGateway(aLink(), service).identity).toBe('declared.example');
  });
});
