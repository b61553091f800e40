// The API's JSON read into the model: defaults filled in, nothing guessed.
import { describe, expect, it } from 'vitest';
import { microTime, timeOf } from '../../lib/model/microtime.ts';
import { readObject, readPage } from '../../lib/kube/read/object.ts';

const meta = (fields: object = {}): object => ({
  namespace: 'shop',
  name: 'web',
  uid: 'u',
  resourceVersion: '7',
  ...fields,
});

const METADATA = {
  namespace: 'shop',
  name: 'web',
  uid: 'u',
  resourceVersion: '7',
  labels: {},
  annotations: {},
  droppable: { labels: [], annotations: [] },
  createdAt: 0,
  deleting: false,
};

describe('metadata', () => {
  it('is read with its times and maps', () => {
    const service = readObject('Service', {
      metadata: meta({
        labels: { a: '1' },
        annotations: { b: '2' },
        creationTimestamp: '2025-01-31T10:00:00Z',
        deletionTimestamp: '2025-01-31T11:00:00Z',
      }),
    });
    expect(service?.meta).toEqual({
      ...METADATA,
      labels: { a: '1' },
      annotations: { b: '2' },
      createdAt: 1_738_317_600_000,
      deleting: true,
    });
  });

  it.each([
    ['nothing at all', {}],
    [
      'nulls',
      {
        labels: null,
        annotations: null,
        managedFields: null,
        deletionTimestamp: null,
        ownerReferences: null,
      },
    ],
  ])('%s is emptiness', (_, fields) => {
    expect(readObject('Service', { metadata: meta(fields) })?.meta).toEqual(METADATA);
  });
});

describe('droppable keys', () => {
  const entry = (manager: string, labels: readonly string[], more: object = {}): object => ({
    manager,
    operation: 'Update',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': {
        'f:labels': { '.': {}, ...Object.fromEntries(labels.map((key) => [`f:${key}`, {}])) },
        'f:annotations': { [`f:note.of/${manager}`]: {} },
      },
      'f:spec': { 'f:ports': {} },
    },
    ...more,
  });
  const droppable = (...managedFields: readonly object[]): unknown =>
    readObject('Service', { metadata: meta({ managedFields }) })?.meta.droppable;

  it.each([
    [
      'ours and those of the controller that we take over, sorted and once',
      [entry('eks-service-mirror', ['b', 'a']), entry('controller', ['c', 'a'])],
      { labels: ['a', 'b', 'c'], annotations: ['note.of/controller', 'note.of/eks-service-mirror'] },
    ],
    [
      "never somebody else's",
      [entry('kubectl-edit', ['a']), entry('eks-service-mirror', ['b'])],
      { labels: ['b'], annotations: ['note.of/eks-service-mirror'] },
    ],
    [
      'not one that somebody else applied with the same value',
      [entry('argocd', ['a'], { operation: 'Apply' }), entry('eks-service-mirror', ['a', 'b'])],
      { labels: ['b'], annotations: ['note.of/eks-service-mirror'] },
    ],
    [
      'not one of a status update',
      [entry('eks-service-mirror', ['a'], { subresource: 'status' })],
      { labels: [], annotations: [] },
    ],
    [
      'none in fields of other kinds',
      [
        { manager: 'eks-service-mirror' },
        { manager: 'controller', fieldsV1: null },
        { manager: 'controller', fieldsV1: { 'f:metadata': { '.': {} } } },
      ],
      { labels: [], annotations: [] },
    ],
  ])('%s', (_, managedFields, expected) => {
    expect(droppable(...managedFields)).toEqual(expected);
  });
});

describe('Service', () => {
  it('is read whole', () => {
    const read = readObject('Service', {
      metadata: meta(),
      spec: {
        type: 'LoadBalancer',
        clusterIP: '10.96.0.7',
        clusterIPs: ['10.96.0.7', 'fd00::7'],
        ipFamilies: ['IPv4', 'IPv6'],
        ipFamilyPolicy: 'PreferDualStack',
        publishNotReadyAddresses: true,
        selector: { app: 'web' },
        ports: [
          {
            name: 'http',
            protocol: 'TCP',
            port: 80,
            targetPort: 'web',
            appProtocol: 'http',
            nodePort: 30_080,
          },
          { name: 'dns', protocol: 'UDP', port: 53, targetPort: 5353 },
        ],
      },
      status: {
        loadBalancer: { ingress: [{ hostname: 'lb.example.test' }, { ip: '203.0.113.10', ipMode: 'VIP' }] },
      },
    });
    expect(read).toEqual({
      meta: METADATA,
      type: 'LoadBalancer',
      clusterIP: '10.96.0.7',
      clusterIPs: ['10.96.0.7', 'fd00::7'],
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'PreferDualStack',
      isPolicyOurs: false,
      hasSelector: true,
      publishNotReadyAddresses: true,
      ports: [
        { name: 'http', protocol: 'TCP', port: 80, targetPort: 'web', appProtocol: 'http', nodePort: 30_080 },
        { name: 'dns', protocol: 'UDP', port: 53, targetPort: 5353 },
      ],
      ingress: [{ hostname: 'lb.example.test' }, { ip: '203.0.113.10' }],
    });
  });

  it.each([
    ['eks-service-mirror', true],
    ['controller', false],
  ])('whose family policy %s set is ours: %s', (manager, expected) => {
    const managedFields = [
      { manager, fieldsV1: { 'f:spec': { 'f:ipFamilyPolicy': {} } } },
      { manager: 'eks-service-mirror', fieldsV1: { 'f:spec': { 'f:ports': {} } } },
    ];
    const read = readObject('Service', { metadata: { ...meta(), managedFields }, spec: {} });
    expect(read?.isPolicyOurs).toBe(expected);
  });

  it('gets the defaults of the API where they are left out', () => {
    expect(
      readObject('Service', { metadata: meta(), spec: { ports: [{ port: 80, nodePort: 0 }], selector: {} } }),
    ).toEqual({
      meta: METADATA,
      type: 'ClusterIP',
      clusterIP: '',
      clusterIPs: [],
      ipFamilies: [],
      ipFamilyPolicy: '',
      isPolicyOurs: false,
      hasSelector: false,
      publishNotReadyAddresses: false,
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      ingress: [],
    });
  });

  it('of the older API has its one address in the list too, headless ones their None', () => {
    const headless = readObject('Service', { metadata: meta(), spec: { clusterIP: 'None' } });
    expect([headless?.clusterIP, headless?.clusterIPs, headless?.ports]).toEqual(['None', ['None'], []]);
  });
});

describe('Endpoints', () => {
  it('keep subsets apart, ready and not', () => {
    const read = readObject('Endpoints', {
      metadata: meta(),
      subsets: [
        {
          addresses: [{ ip: '10.0.0.1', hostname: 'web-0', nodeName: 'n', targetRef: { kind: 'Pod' } }],
          notReadyAddresses: [{ ip: '10.0.0.2' }],
          ports: [
            { name: 'http', port: 8080, protocol: 'TCP' },
            { port: 53, protocol: 'UDP' },
          ],
        },
        { addresses: null },
      ],
    });
    expect(read?.subsets).toEqual([
      {
        addresses: [{ ip: '10.0.0.1', hostname: 'web-0' }],
        notReadyAddresses: [{ ip: '10.0.0.2' }],
        ports: [
          { name: 'http', protocol: 'TCP', port: 8080 },
          { protocol: 'UDP', port: 53 },
        ],
      },
      { addresses: [], notReadyAddresses: [], ports: [] },
    ]);
  });

  it.each([['absent'], ['null']])('without subsets (%s) are empty', (how) => {
    expect(
      readObject('Endpoints', { metadata: meta(), ...(how === 'null' && { subsets: null }) })?.subsets,
    ).toEqual([]);
  });
});

describe('EndpointSlice', () => {
  it('says whose it is and who writes it', () => {
    const labels = {
      'kubernetes.io/service-name': 'web',
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    };
    const read = readObject('EndpointSlice', {
      metadata: meta({ labels, ownerReferences: [{ kind: 'Service', uid: 'owner' }, { kind: 'Broken' }] }),
      addressType: 'IPv6',
      endpoints: null,
      ports: null,
    });
    expect(read).toEqual({
      meta: { ...METADATA, labels },
      serviceName: 'web',
      managedBy: 'endpointslice-controller.k8s.io',
      addressType: 'IPv6',
      endpoints: [],
      ports: [],
      ownerUids: ['owner'],
    });
  });

  it.each([
    ['no conditions', undefined, { ready: true, serving: true, terminating: false }],
    ['empty conditions', {}, { ready: true, serving: true, terminating: false }],
    ['null conditions', { ready: null, serving: null }, { ready: true, serving: true, terminating: false }],
    ['not ready', { ready: false }, { ready: false, serving: false, terminating: false }],
    [
      'serving while it ends',
      { ready: false, serving: true, terminating: true },
      { ready: false, serving: true, terminating: true },
    ],
  ])('an endpoint with %s', (_, conditions, expected) => {
    const endpoint = {
      addresses: ['10.0.0.1'],
      hostname: 'web-0',
      ...(conditions !== undefined && { conditions }),
    };
    const read = readObject('EndpointSlice', {
      metadata: meta(),
      addressType: 'IPv4',
      endpoints: [endpoint],
    });
    expect(read?.endpoints).toEqual([{ addresses: ['10.0.0.1'], hostname: 'web-0', ...expected }]);
  });

  it('has unnamed ports, and leaves out the one that stands for all ports', () => {
    const read = readObject('EndpointSlice', {
      metadata: meta(),
      addressType: 'IPv4',
      endpoints: [],
      ports: [
        { name: '', port: 80 },
        { name: 'any', port: null },
        { name: 'udp', port: 53, protocol: 'UDP' },
      ],
    });
    expect(read?.ports).toEqual([
      { protocol: 'TCP', port: 80 },
      { name: 'udp', protocol: 'UDP', port: 53 },
    ]);
  });
});

describe('the small kinds', () => {
  it.each([
    ['Active', {}, false],
    ['Terminating', {}, true],
    ['Active', { deletionTimestamp: '2025-01-31T10:00:00Z' }, true],
  ])('a Namespace in phase %s with %j', (phase, fields, terminating) => {
    expect(readObject('Namespace', { metadata: meta(fields), status: { phase } })?.terminating).toBe(
      terminating,
    );
  });

  it('a Lease with its holder and time', () => {
    const spec = {
      holderIdentity: 'somebody',
      renewTime: '2025-01-31T10:00:00.250999Z',
      leaseDurationSeconds: 30,
      leaseTransitions: 4,
    };
    expect(readObject('Lease', { metadata: meta(), spec })).toEqual({
      meta: METADATA,
      holder: 'somebody',
      renewedAt: 1_738_317_600_250,
      durationSeconds: 30,
      transitions: 4,
    });
  });

  it.each([
    ['an empty spec', {}],
    ['nulls', { holderIdentity: null, renewTime: null, leaseDurationSeconds: null, leaseTransitions: null }],
    ['an unreadable time', { renewTime: 'yesterday' }],
  ])('a Lease with %s is held by nobody', (_, spec) => {
    const { holder, renewedAt, durationSeconds, transitions } =
      readObject('Lease', { metadata: meta(), spec }) ?? {};
    expect([holder, renewedAt, durationSeconds, transitions]).toEqual(['', 0, 0, 0]);
  });

  it('a ServiceCIDR with its ranges', () => {
    const spec = { cidrs: ['10.96.0.0/16', 'fd00::/108'] };
    expect(readObject('ServiceCIDR', { metadata: meta(), spec })?.cidrs).toEqual([
      '10.96.0.0/16',
      'fd00::/108',
    ]);
  });
});

describe('times of a Lease', () => {
  it.each([
    [1_738_317_600_250, '2025-01-31T10:00:00.250000Z'],
    [1_738_317_600_000, '2025-01-31T10:00:00.000000Z'],
  ])('%i and back', (ms, text) => {
    expect(microTime(ms)).toBe(text);
    expect(timeOf(text)).toBe(ms);
  });
});

describe('what is no object and no list', () => {
  it.each([
    ['null', null],
    ['text', 'x'],
    ['a list', []],
    ['no metadata', {}],
    ['a Status', { kind: 'Status' }],
  ])('%s', (_, json) => {
    expect(readObject('Service', json)).toBeUndefined();
    expect(readPage('Service', json, false)).toBeUndefined();
  });

  it('a list without items is no list; one whose items are null is empty', () => {
    expect(readPage('Service', { kind: 'ServiceList', metadata: {} }, false)).toBeUndefined();
    expect(readPage('Service', { kind: 'Service', metadata: {}, items: [] }, false)).toBeUndefined();
    expect(readPage('Service', { kind: 'ServiceList', metadata: {}, items: null }, false)).toEqual({
      items: [],
      next: undefined,
    });
  });
});
