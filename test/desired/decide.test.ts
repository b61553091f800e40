// The decision about one Service of the target cluster, from facts.
import { describe, expect, it } from 'vitest';
import { desiredFor } from '../../lib/desired/decide.ts';
import type { Facts } from '../../lib/desired/facts.ts';
import { decideAll } from '../../lib/desired/decisions.ts';
import type { LinkDocument } from '../../lib/model/link.ts';
import { linkOf } from '../support/lab.ts';
import {
  desiredMirror,
  exported,
  gatewayView,
  headlessExported,
  mirrorService,
  namespace,
  OURS,
  podEndpoint,
  published,
  rootService,
  sourceOf,
  targetOf,
  targetSlice,
  WEB_FQ_NAME,
} from '../support/model-builders.ts';
import { facts } from './facts.ts';

const REMOTE_DISCOVERY = { 'mirror.linkerd.io/exported': 'remote-discovery' };
const LONG = `long-${'x'.repeat(54)}`; // 59 characters: with -west 64

describe('desiredFor, mirrored', () => {
  it('F4: gateway mode has a Service with the exported ports and endpoints that are the gateway', () => {
    expect(desiredFor(facts())).toEqual({
      key: { namespace: 'shop', name: 'web' },
      mirror: { namespace: 'shop', name: 'web-west' },
      mode: 'gateway',
      desired: {
        service: {
          isHeadless: false,
          wantsBothFamilies: false,
          labels: OURS,
          annotations: WEB_FQ_NAME,
          ports: [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }],
          remoteResourceVersion: '7',
        },
        endpoints: {
          labels: OURS,
          annotations: { ...WEB_FQ_NAME, 'mirror.linkerd.io/remote-gateway-identity': 'gw.id' },
          ports: [{ name: 'http', protocol: 'TCP', port: 4143 }],
          addresses: [{ ip: '203.0.113.1', family: 'IPv4', state: 'ready' }],
        },
        createNamespace: false,
      },
      protects: true,
      refusals: [],
    });
  });

  it('F4: remote discovery has no endpoints, whatever the gateway', () => {
    const service = exported({ meta: { labels: REMOTE_DISCOVERY } });
    for (const gateway of [gatewayView(), 'none', 'unobserved'] as const) {
      const decision = desiredFor(facts({ service, gateway }));
      expect(decision.desired?.endpoints).toBe('none');
      expect(decision.mode).toBe('remote-discovery');
      expect(decision.refusals).toEqual([]);
    }
  });

  it('G6: a port keeps its name, protocol, target port and appProtocol; node ports stay at home', () => {
    const service = exported({
      type: 'NodePort',
      ports: [
        {
          name: 'h2',
          protocol: 'TCP',
          port: 80,
          targetPort: 'http',
          appProtocol: 'kubernetes.io/h2c',
          nodePort: 30080,
        },
        { name: 'dns', protocol: 'UDP', port: 53, targetPort: 5353 },
      ],
    });
    const { desired } = desiredFor(facts({ service }));
    expect(desired?.service.ports).toEqual([
      { name: 'h2', protocol: 'TCP', port: 80, targetPort: 'http', appProtocol: 'kubernetes.io/h2c' },
      { name: 'dns', protocol: 'UDP', port: 53, targetPort: 5353 },
    ]);
    expect(desired?.endpoints).toMatchObject({
      ports: [
        { name: 'h2', protocol: 'TCP', port: 4143 },
        { name: 'dns', protocol: 'UDP', port: 4143 },
      ],
    });
  });

  it('an unnamed port stays unnamed', () => {
    const service = exported({ ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }] });
    expect(desiredFor(facts({ service })).desired?.endpoints).toMatchObject({
      ports: [{ protocol: 'TCP', port: 4143 }],
    });
  });

  it.each<[string, Partial<Facts>, object]>([
    ['C1: without a ready endpoint the mirror lists nobody', { ready: false }, { addresses: [] }],
    [
      'every address of the gateway travels with its state',
      { gateway: gatewayView({ addresses: [published('203.0.113.1', 'down'), published('2001:db8::1')] }) },
      {
        addresses: [
          { ip: '203.0.113.1', family: 'IPv4', state: 'down' },
          { ip: '2001:db8::1', family: 'IPv6', state: 'ready' },
        ],
      },
    ],
    [
      'A5: the gateway has neither address nor port',
      { gateway: gatewayView({ port: undefined, addresses: [] }) },
      { addresses: [], ports: [] },
    ],
    ['A5: the gateway has no address', { gateway: gatewayView({ addresses: [] }) }, { addresses: [] }],
  ])('%s', (_name, given, expected) => {
    const { desired, refusals } = desiredFor(facts(given));
    expect(desired?.endpoints).toMatchObject(expected);
    expect(refusals).toEqual([]);
  });

  it.each<[string, Partial<Facts>]>([
    ['E8: readiness was not observed', { ready: undefined }],
    ['the gateway was not observed', { gateway: 'unobserved' }],
    ['the gateway has addresses but no port', { gateway: gatewayView({ port: undefined }) }],
  ])('%s: the Service is mirrored, its endpoints stay as they are', (_name, given) => {
    const { desired, refusals } = desiredFor(facts(given));
    expect(desired).toEqual({ ...desiredMirror(), endpoints: 'unobserved' });
    expect(refusals).toEqual([]);
  });

  it.each<[string, Partial<LinkDocument>, Facts['namespace'], boolean]>([
    [
      'I1: a missing namespace is created when the link asks for it',
      { createNamespaces: true },
      'absent',
      true,
    ],
    ['I1: one that exists is not', { createNamespaces: true }, 'present', false],
  ])('%s', (_name, link, state, expected) => {
    expect(desiredFor(facts({ link, namespace: state })).desired?.createNamespace).toBe(expected);
  });

  it('E1: a mirror name of 63 characters fits', () => {
    const service = exported({ meta: { name: LONG.slice(1) } });
    expect(desiredFor(facts({ service })).mirror.name).toHaveLength(63);
    expect(desiredFor(facts({ service })).desired).toBeDefined();
  });
});

describe('desiredFor, declined', () => {
  it.each<[string, Parameters<typeof facts>[0], string, string]>([
    [
      'the namespace is denied',
      { service: exported({ meta: { namespace: 'kube-system' } }) },
      'NamespaceDenied',
      'Service kube-system/web: the link may not write to namespace kube-system: namespaces.deny has "kube-*"',
    ],
    [
      'E1: the name of the mirror would be too long',
      { service: exported({ meta: { name: LONG } }) },
      'NameTooLong',
      `Service shop/${LONG}: mirror name ${LONG}-west: expected at most 63 characters, got 64`,
    ],
    [
      'it is an ExternalName Service',
      { service: exported({ type: 'ExternalName', clusterIP: '' }) },
      'InvalidService',
      'Service shop/web: spec.type: expected ClusterIP, NodePort or LoadBalancer, got ExternalName',
    ],
    [
      'it has no ports',
      { service: exported({ ports: [] }) },
      'InvalidService',
      'Service shop/web: spec.ports: expected at least one, got none',
    ],
    [
      'D16: it is headless, and exported in remote-discovery mode',
      {
        service: exported({ clusterIP: 'None', clusterIPs: ['None'], meta: { labels: REMOTE_DISCOVERY } }),
      },
      'Unsupported',
      'Service shop/web: spec.clusterIP: None: a headless Service is mirrored in gateway mode only, and it is exported in remote-discovery mode',
    ],
    [
      'F3: the link has no gateway',
      { gateway: 'none' },
      'NoGatewayAddress',
      'Service shop/web: it is exported in gateway mode, but the link declares that the target cluster has no gateway',
    ],
    [
      'I1: its namespace is missing',
      { namespace: 'absent' },
      'MissingNamespace',
      'Service shop/web: namespace shop does not exist in the source cluster',
    ],
    [
      'I2: its namespace is being deleted',
      { namespace: 'terminating' },
      'MissingNamespace',
      'Service shop/web: namespace shop is being deleted in the source cluster',
    ],
    [
      'I2: a namespace that is being deleted is not created either',
      { namespace: 'terminating', link: { createNamespaces: true } },
      'MissingNamespace',
      'Service shop/web: namespace shop is being deleted in the source cluster',
    ],
    [
      'of two reasons the first row speaks',
      { service: exported({ type: 'ExternalName', ports: [] }), namespace: 'absent' },
      'InvalidService',
      'Service shop/web: spec.type: expected ClusterIP, NodePort or LoadBalancer, got ExternalName',
    ],
  ])('%s: what stands there stays', (_name, given, reason, message) => {
    const decision = desiredFor(facts(given));
    const { namespace, name } = decision.key;
    expect(decision.refusals).toEqual([{ namespace, name, reason, message }]);
    expect(decision.desired).toBeUndefined();
    expect(decision.protects).toBe(true);
  });

  it('a member of a federated Service is told that those are not built yet, beside its own mirror', () => {
    const federated = { 'mirror.linkerd.io/federated': 'member' };
    const refusal = {
      namespace: 'shop',
      name: 'web',
      reason: 'Unsupported',
      message: 'federated Services are not built yet; those that another controller made stay',
    };
    const both = exported({ meta: { labels: { ...federated, 'mirror.linkerd.io/exported': 'true' } } });
    expect(desiredFor(facts({ service: both }))).toMatchObject({
      desired: desiredMirror(),
      refusals: [refusal],
    });
    const only = exported({ meta: { labels: federated } });
    expect(desiredFor(facts({ service: only }))).toMatchObject({ protects: false, refusals: [refusal] });
  });

  it('E6: a mirror is no export, and its own mirror is not protected', () => {
    const service = exported({
      meta: { name: 'web-east', labels: { ...OURS, 'mirror.linkerd.io/exported': 'true' } },
    });
    expect(desiredFor(facts({ service }))).toEqual({
      key: { namespace: 'shop', name: 'web-east' },
      mirror: { namespace: 'shop', name: 'web-east-west' },
      protects: false,
      refusals: [],
      because: 'it is itself a mirror, and mirrors are never mirrored',
    });
  });

  it('F1: what no selector matches says so', () => {
    const service = exported({ meta: { labels: { tier: 'a' } } });
    expect(desiredFor(facts({ service }))).toEqual({
      key: { namespace: 'shop', name: 'web' },
      mirror: { namespace: 'shop', name: 'web-west' },
      protects: false,
      refusals: [],
      because:
        'its labels {"tier":"a"} match neither selector {"mirror.linkerd.io/exported":"true"} nor remoteDiscoverySelector {"mirror.linkerd.io/exported":"remote-discovery"}',
    });
  });
});

describe('decideAll', () => {
  it.each([
    ['none', [], undefined],
    ['a headless one', [rootService()], true],
    ['one with an address', [mirrorService({ meta: { name: 'db-west' } })], false],
  ])('D13: knows the mirror that stands: %s', (_name, services, isHeadless) => {
    const target = targetOf([headlessExported()], []);
    const [decided] = decideAll(linkOf(), { target, source: sourceOf({ services }) }, gatewayView());
    expect(decided?.desired?.service.isHeadless).toBe(isHeadless);
  });

  it('D6: hands each headless Service its own slices', () => {
    const named = (namespace: string) => headlessExported({ meta: { namespace } });
    const target = {
      ...targetOf([named('shop'), named('other')]),
      headless: new Map([['other/db', [targetSlice([podEndpoint('db-0', '10.1.0.1')])]]]),
    };
    const source = sourceOf({ namespaces: [namespace(), namespace('other')] });
    const decided = decideAll(linkOf(), { target, source }, gatewayView());
    expect(decided.map(({ key, desired }) => [key.namespace, desired?.service.isHeadless])).toEqual([
      ['shop', undefined],
      ['other', true],
    ]);
  });

  it('decides each Service with its own readiness and namespace', () => {
    const target = targetOf(
      [
        exported(),
        exported({ meta: { name: 'empty' } }),
        exported({ meta: { namespace: 'lonely' } }),
        exported({ meta: { namespace: 'leaving' } }),
      ],
      ['shop/web', 'lonely/web'],
    );
    const source = sourceOf({ namespaces: [namespace(), namespace('leaving', true)] });
    const decisions = decideAll(linkOf(), { target, source }, gatewayView());
    expect(decisions.map(({ key, refusals }) => [key.namespace, key.name, refusals[0]?.reason])).toEqual([
      ['shop', 'web', undefined],
      ['shop', 'empty', undefined],
      ['lonely', 'web', 'MissingNamespace'],
      ['leaving', 'web', 'MissingNamespace'],
    ]);
    expect(decisions[0]?.desired).toEqual(desiredMirror());
    expect(decisions[1]?.desired?.endpoints).toMatchObject({ addresses: [] });
  });

  it('E8: unobserved EndpointSlices make no Service look empty', () => {
    const target = {
      ...targetOf([exported()]),
      ready: {
        observed: false,
        why: { what: 'target EndpointSlices', message: 'timeout' },
        reason: 'Unobserved',
      },
    } as const;
    const [decision] = decideAll(linkOf(), { target, source: sourceOf() }, gatewayView());
    expect(decision?.desired?.endpoints).toBe('unobserved');
  });
});
