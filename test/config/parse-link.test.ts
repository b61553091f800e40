// Link documents: what is accepted with which defaults, and every mistake in words.
import { describe, expect, it } from 'vitest';
import { parseLink } from '../../lib/config.ts';
import { InputError } from '../../lib/errors.ts';
import type { LinkDocument } from '../../lib/model/link.ts';

const ARN = 'arn:aws:eks:eu-west-1:111122223333:cluster/west';
const ROLE = 'arn:aws:iam::111122223333:role/mirror';

function mistakesIn(input: unknown, unknown: 'refuse' | 'tolerate' = 'refuse'): readonly string[] {
  try {
    parseLink(input, { unknown });
    return [];
  } catch (error) {
    if (error instanceof InputError) return error.mistakes;
    throw error;
  }
}

const west = (fields: Readonly<Record<string, unknown>>): unknown => ({ name: 'west', ...fields });

describe('a link document that names only the link', () => {
  it('gets every default of the design', () => {
    expect(parseLink({ name: 'west' }, { unknown: 'refuse' })).toStrictEqual({
      name: 'west',
      targetClusterDomain: 'cluster.local',
      gateway: { namespace: 'linkerd-multicluster', name: 'linkerd-gateway' },
      firstLookDelay: 60,
      selector: { matchLabels: { 'mirror.linkerd.io/exported': 'true' }, matchExpressions: [] },
      remoteDiscoverySelector: {
        matchLabels: { 'mirror.linkerd.io/exported': 'remote-discovery' },
        matchExpressions: [],
      },
      federatedServiceSelector: {
        matchLabels: { 'mirror.linkerd.io/federated': 'member' },
        matchExpressions: [],
      },
      headless: true,
      endpointMirrorGrace: 0,
      endpoints: 'endpoints',
      namespace: 'linkerd-multicluster',
      gatewayMirror: 'addresses',
      namespaces: { allow: [], deny: ['kube-*', 'linkerd*'] },
      ipFamilies: 'single',
      paused: false,
      createNamespaces: false,
      excludedLabels: [],
      excludedAnnotations: [],
      allowedCIDRs: [],
      allowedHostnames: [],
      deleteBrake: { percent: 20, atLeast: 10 },
      probe: { anyAnswer: true, off: false },
    });
  });
});

describe('a full link document', () => {
  const document: LinkDocument = {
    name: 'west',
    source: { kubeconfig: '/etc/source', context: 'east' },
    target: { eks: ARN, roleArn: ROLE, externalId: 'x' },
    targetClusterDomain: 'west.example',
    gateway: {
      namespace: 'gateways',
      name: 'gw',
      addresses: ['203.0.113.7', '2001:db8::7', 'gw.example.com'],
      port: 4143,
      probePort: 4191,
      identity: 'gw.gateways.serviceaccount.identity.linkerd.cluster.local',
      identitySuffix: '.serviceaccount.identity.linkerd.cluster.local',
    },
    firstLookDelay: 0,
    selector: {
      matchLabels: { 'mirror.linkerd.io/exported': 'true', tier: '' },
      matchExpressions: [
        { key: 'zone', operator: 'In', values: ['a', 'b'] },
        { key: 'private', operator: 'DoesNotExist', values: [] },
      ],
    },
    remoteDiscoverySelector: { matchLabels: {}, matchExpressions: [] },
    federatedServiceSelector: { matchLabels: {}, matchExpressions: [] },
    headless: false,
    endpointMirrorGrace: 300,
    endpoints: 'endpointslices',
    namespace: 'mirrors',
    gatewayMirror: 'externalName',
    namespaces: { allow: ['shop', 'team-*'], deny: [] },
    ipFamilies: 'dual',
    paused: true,
    createNamespaces: true,
    excludedLabels: ['team', 'example.com/team', 'example.com/*'],
    excludedAnnotations: ['example.com/*'],
    allowedCIDRs: ['10.0.0.0/8', '2001:db8::/32'],
    allowedHostnames: ['example.com'],
    deleteBrake: { percent: 0, atLeast: 0 },
    probe: {
      anyAnswer: false,
      off: true,
      path: '/ready',
      port: 80,
      period: 3,
      timeout: 0.5,
      failureThreshold: 3,
    },
  };

  it.each(['refuse', 'tolerate'] as const)('is kept as it is (%s)', (unknown) => {
    expect(parseLink(document, { unknown })).toStrictEqual(document);
  });
});

describe('what people write in more than one way', () => {
  it.each([
    ['example.com', 'example.com'],
    ['.example.com', 'example.com'],
    ['Example.COM.', 'example.com'],
  ])('allowedHostnames: %s is %s', (written, kept) => {
    const link = parseLink(west({ allowedHostnames: [written] }), { unknown: 'refuse' });
    expect(link.allowedHostnames).toStrictEqual([kept]);
  });

  it.each([
    [{ kubeconfig: 'f' }],
    [{ eks: ARN }],
    [{ secret: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:k' }],
  ])('access: %o', (access) => {
    expect(parseLink(west({ target: access }), { unknown: 'refuse' }).target).toStrictEqual(access);
  });

  it('gateway: none', () => {
    expect(parseLink(west({ gateway: 'none' }), { unknown: 'refuse' }).gateway).toBe('none');
  });

  it('gateway.identity: "" beside a suffix drops the identity', () => {
    const link = parseLink(west({ gateway: { identity: '', identitySuffix: '.x' } }), { unknown: 'refuse' });
    expect(link.gateway).toMatchObject({ identity: '' });
  });
});

describe('one mistake', () => {
  const LABEL = 'a DNS label (lower-case letters, digits and -, at most 63)';
  const ACCESS = 'expected { kubeconfig: FILE }, { eks: ARN } or { secret: ARN }';
  const ADDRESS = 'expected an IP address or a hostname in lower case';
  const KEY = 'expected a key (name or prefix/name) or prefix/*';

  it.each<[string, unknown, string]>([
    ['nothing at all', undefined, 'expected fields, got nothing'],
    ['an empty YAML file', null, 'expected fields, got nothing'],
    ['a list', ['west'], 'expected fields, got a list'],
    ['text', 'west', 'expected fields, got "west"'],
    ['no name', {}, `name: expected ${LABEL}, got nothing`],
    ['a name in upper case', { name: 'West' }, `name: expected ${LABEL}, got "West"`],
    ['a number as name', { name: 1 }, `name: expected ${LABEL}, got 1`],
    [
      'a name too long for gateway-<name>',
      { name: 'w'.repeat(56) },
      'name: expected at most 55 characters (so that gateway-<name> fits into 63), got 56',
    ],
    [
      'a name too long for any mirror',
      { name: 'w'.repeat(62), gatewayMirror: 'none' },
      'name: expected at most 61 characters (so that <service>-<name> fits into 63), got 62',
    ],
    [
      'the name of federated Services',
      { name: 'federated' },
      'name: expected another name (mirrors would be called like federated Services), got "federated"',
    ],
    ['access that is text', west({ source: '~/.kube/config' }), `source: ${ACCESS}, got "~/.kube/config"`],
    ['empty access', west({ source: {} }), `source: ${ACCESS}, got the fields (none)`],
    ['mistyped access', west({ source: { kubeconf: 'f' } }), `source: ${ACCESS}, got the fields kubeconf`],
    [
      'two kinds of access',
      west({ target: { eks: ARN, kubeconfig: 'f' } }),
      `target: ${ACCESS}, got the fields eks, kubeconfig`,
    ],
    [
      'a field of another kind of access',
      west({ source: { kubeconfig: 'f', roleArn: ROLE } }),
      'source.roleArn: unknown field, expected one of kubeconfig, context',
    ],
    [
      'a mistyped field of access',
      west({ source: { kubeconfig: 'f', contxt: 'c' } }),
      'source.contxt: unknown field (did you mean context?), expected one of kubeconfig, context',
    ],
    [
      'an empty kubeconfig path',
      west({ source: { kubeconfig: '' } }),
      'source.kubeconfig: expected the path of a kubeconfig file, got ""',
    ],
    [
      'a kubeconfig pasted in, which is not printed',
      west({ source: { kubeconfig: { users: [{ user: { token: 'secret' } }] } } }),
      'source.kubeconfig: expected the path of a kubeconfig file, got fields',
    ],
    [
      'a cluster by name',
      west({ target: { eks: 'west' } }),
      'target.eks: expected the ARN of an EKS cluster (arn:aws:eks:REGION:ACCOUNT:cluster/NAME), got "west"',
    ],
    [
      'an external ID of a load balancer without a role',
      west({ gateway: { loadBalancer: { externalId: 'x' } } }),
      'gateway.loadBalancer.externalId: expected a roleArn beside it, got "x"',
    ],
    [
      'an external ID of a cluster without a role',
      west({ target: { eks: ARN, externalId: 'x' } }),
      'target.externalId: expected a roleArn beside it, got "x"',
    ],
    [
      'gateway as other text',
      west({ gateway: 'no' }),
      'gateway: expected none, or fields of the gateway, got "no"',
    ],
    [
      'gateway as a list',
      west({ gateway: [] }),
      'gateway: expected none, or fields of the gateway, got an empty list',
    ],
    [
      'an unknown field of the gateway',
      west({ gateway: { adress: [] } }),
      'gateway.adress: unknown field, expected one of namespace, name, addresses, port, probePort, identity, identitySuffix, loadBalancer',
    ],
    ['a port of 0', west({ gateway: { port: 0 } }), 'gateway.port: expected a port from 1 to 65535, got 0'],
    [
      'a port as text',
      west({ gateway: { port: '4143' } }),
      'gateway.port: expected a port from 1 to 65535, got "4143"',
    ],
    [
      'a port too high',
      west({ gateway: { port: 70_000 } }),
      'gateway.port: expected a port from 1 to 65535, got 70000',
    ],
    [
      'no address in the list',
      west({ gateway: { addresses: [] } }),
      'gateway.addresses: expected at least 1 in the list, got an empty list',
    ],
    [
      'an address that is nearly one',
      west({ gateway: { addresses: ['10.0.0.256'] } }),
      `gateway.addresses[0]: ${ADDRESS}, got "10.0.0.256"`,
    ],
    [
      'an address with a port',
      west({ gateway: { addresses: ['10.0.0.1', 'gw.example.com:4143'] } }),
      `gateway.addresses[1]: ${ADDRESS}, got "gw.example.com:4143"`,
    ],
    [
      'an identity outside its suffix',
      west({ gateway: { identity: 'gw.other', identitySuffix: '.example' } }),
      'gateway.identity: expected an identity that ends with identitySuffix, got "gw.other"',
    ],
    [
      'a gateway mirror that needs a hostname',
      west({ gateway: { addresses: ['10.0.0.1'] }, gatewayMirror: 'fqdn' }),
      'gatewayMirror: expected addresses or none (gateway.addresses holds no hostname), got "fqdn"',
    ],
    [
      'a label value that YAML reads as a truth value',
      west({ selector: { matchLabels: { 'mirror.linkerd.io/exported': true } } }),
      'selector.matchLabels["mirror.linkerd.io/exported"]: expected a label value (text, quoted when it looks like a number or true/false), got true',
    ],
    [
      'a label key with a blank',
      west({ selector: { matchLabels: { 'a b': 'c' } } }),
      'selector.matchLabels["a b"]: expected a label key: name or prefix/name, got "a b"',
    ],
    [
      'In without values',
      west({ remoteDiscoverySelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
      'remoteDiscoverySelector.matchExpressions[0].values: expected at least one value for In, got nothing',
    ],
    [
      'Exists with values',
      west({ selector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } }),
      'selector.matchExpressions[0].values: expected none for Exists, got a list',
    ],
    [
      'an unknown operator',
      west({ selector: { matchExpressions: [{ key: 'a', operator: 'Equals' }] } }),
      'selector.matchExpressions[0].operator: expected one of In, NotIn, Exists, DoesNotExist, got "Equals"',
    ],
    ['a truth value as text', west({ headless: 'yes' }), 'headless: expected true or false, got "yes"'],
    ['a field left empty', west({ paused: null }), 'paused: expected true or false, got nothing'],
    [
      'an unknown choice',
      west({ endpoints: 'slices' }),
      'endpoints: expected one of endpoints, endpointslices, got "slices"',
    ],
    ['text for a list', west({ excludedLabels: 'team' }), 'excludedLabels: expected a list, got "team"'],
    ['a bare * as excluded key', west({ excludedLabels: ['*'] }), `excludedLabels[0]: ${KEY}, got "*"`],
    [
      'a cut prefix',
      west({ excludedAnnotations: ['a', 'foo*'] }),
      `excludedAnnotations[1]: ${KEY}, got "foo*"`,
    ],
    [
      'a namespace pattern in upper case',
      west({ namespaces: { deny: ['Kube-*'] } }),
      'namespaces.deny[0]: expected a namespace name or a pattern with *, got "Kube-*"',
    ],
    [
      'an address for a CIDR',
      west({ allowedCIDRs: ['10.0.0.1'] }),
      'allowedCIDRs[0]: expected a CIDR such as 10.0.0.0/8 or 2001:db8::/32, got "10.0.0.1"',
    ],
    [
      'a CIDR of no length',
      west({ allowedCIDRs: ['10.0.0.0/33'] }),
      'allowedCIDRs[0]: expected a CIDR such as 10.0.0.0/8 or 2001:db8::/32, got "10.0.0.0/33"',
    ],
    [
      'a wildcard for a suffix',
      west({ allowedHostnames: ['*.example.com'] }),
      'allowedHostnames[0]: expected a DNS suffix such as example.com, got "*.example.com"',
    ],
    [
      'a fraction of a second',
      west({ firstLookDelay: 1.5 }),
      'firstLookDelay: expected a whole number from 0, got 1.5',
    ],
    [
      'a share above all',
      west({ deleteBrake: { percent: 101 } }),
      'deleteBrake.percent: expected a share from 0 to 100, got 101',
    ],
    ['a number for the brake', west({ deleteBrake: 20 }), 'deleteBrake: expected fields, got 20'],
    [
      'a relative probe path',
      west({ probe: { path: 'ready' } }),
      'probe.path: expected a path that starts with /, got "ready"',
    ],
    ['no period', west({ probe: { period: 0 } }), 'probe.period: expected more than 0 seconds, got 0'],
    [
      'a value that is long',
      west({ namespace: `-${'x'.repeat(60)}` }),
      `namespace: expected ${LABEL}, got "-${'x'.repeat(47)}…"`,
    ],
  ])('%s', (_, input, line) => {
    expect(mistakesIn(input)).toStrictEqual([line]);
  });
});

it('tells all mistakes together, rules that span fields included', () => {
  const document = {
    name: 'federated',
    headless: 1,
    deleteBrake: { percent: -1, most: 3 },
    allowedCIDRs: ['x'],
  };
  expect(mistakesIn(document)).toStrictEqual([
    'headless: expected true or false, got 1',
    'allowedCIDRs[0]: expected a CIDR such as 10.0.0.0/8 or 2001:db8::/32, got "x"',
    'deleteBrake.percent: expected a share from 0 to 100, got -1',
    'deleteBrake.most: unknown field, expected one of percent, atLeast',
    'name: expected another name (mirrors would be called like federated Services), got "federated"',
  ]);
});

describe('unknown fields', () => {
  const document = {
    name: 'west',
    allowedCidrs: [],
    gateway: { port: 1, speed: 2 },
    source: { kubeconfig: 'f', proxy: 'p' },
    selector: { matchLabels: { 'any.example/key': 'kept' }, matchFields: [] },
  };

  it('are refused where a person types them', () => {
    expect(mistakesIn(document)).toStrictEqual([
      'source.proxy: unknown field, expected one of kubeconfig, context',
      'gateway.speed: unknown field, expected one of namespace, name, addresses, port, probePort, identity, identitySuffix, loadBalancer',
      'selector.matchFields: unknown field, expected one of matchLabels, matchExpressions',
      expect.stringMatching(
        /^allowedCidrs: unknown field \(did you mean allowedCIDRs\?\), expected one of name, source, /,
      ),
    ]);
  });

  it('are dropped where they are tolerated, and nothing else is', () => {
    const link = parseLink(document, { unknown: 'tolerate' });
    expect(link).toStrictEqual({
      ...parseLink({ name: 'west' }, { unknown: 'refuse' }),
      source: { kubeconfig: 'f' },
      gateway: { namespace: 'linkerd-multicluster', name: 'linkerd-gateway', port: 1 },
      selector: { matchLabels: { 'any.example/key': 'kept' }, matchExpressions: [] },
    });
  });

  it('do not hide the mistakes of a tolerated document', () => {
    expect(mistakesIn({ ...document, name: 'West' }, 'tolerate')).toStrictEqual([
      'name: expected a DNS label (lower-case letters, digits and -, at most 63), got "West"',
    ]);
  });

  it('two kinds of access stay a mistake', () => {
    expect(mistakesIn(west({ source: { kubeconfig: 'f', eks: ARN } }), 'tolerate')).toStrictEqual([
      'source: expected { kubeconfig: FILE }, { eks: ARN } or { secret: ARN }, got the fields kubeconfig, eks',
    ]);
  });
});
