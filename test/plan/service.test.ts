// The change that makes a mirror Service what it should be.
import { describe, expect, it } from 'vitest';
import type { DesiredService } from '../../lib/model/desired.ts';
import type { Meta, Service } from '../../lib/model/objects.ts';
import { planEndpoints } from '../../lib/plan/endpoints.ts';
import { gatewayListing } from '../../lib/plan/listing.ts';
import { deleteService, givesAddresses, planService, takesAddress } from '../../lib/plan/service.ts';
import {
  desiredEndpoints,
  desiredService,
  mirrorService,
  OURS,
  WEB_FQ_NAME,
} from '../support/model-builders.ts';

const MIRROR = { namespace: 'shop', name: 'web-west' };
const VERSION = 'mirror.linkerd.io/remote-resource-version';
const HTTP = { name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 } as const;
const ADMIN = { name: 'admin', protocol: 'TCP', port: 9990, targetPort: 'adm' } as const;

describe('planService', () => {
  it('creates what is missing, with the version that it is made from', () => {
    expect(planService(MIRROR, desiredService(), undefined)).toEqual({
      action: 'create',
      kind: 'Service',
      ...MIRROR,
      mirror: MIRROR,
      needsEarlier: false,
      reasons: ['exported'],
      body: {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { ...MIRROR, labels: OURS, annotations: { ...WEB_FQ_NAME, [VERSION]: '7' } },
        spec: { ports: [HTTP] },
      },
    });
  });

  it.each<[string, Partial<DesiredService>, Parameters<typeof mirrorService>[0]]>([
    ['equal objects', {}, {}],
    ['only the remote version moved', { remoteResourceVersion: '8' }, {}],
    ['the remote version is missing', {}, { meta: { annotations: WEB_FQ_NAME } }],
    [
      'G7: a foreign label and annotation',
      {},
      {
        meta: {
          labels: { ...OURS, scrape: 'yes' },
          annotations: { ...WEB_FQ_NAME, [VERSION]: '7', note: 'theirs' },
          droppable: { labels: Object.keys(OURS), annotations: [VERSION] },
        },
      },
    ],
    ['node ports of the source cluster', {}, { ports: [{ ...HTTP, nodePort: 30080 }] }],
    ['K1: another ClusterIP, type or session affinity', {}, { clusterIP: '10.96.9.9', type: 'NodePort' }],
  ])('%s: nothing to do', (_name, desired, current) => {
    expect(planService(MIRROR, desiredService(desired), mirrorService(current))).toBeUndefined();
  });

  interface Row {
    readonly name: string;
    readonly desired?: Partial<DesiredService>;
    readonly current?: Partial<Service> | { readonly meta: Partial<Meta> };
    readonly patch: object;
    readonly reasons: readonly string[];
  }

  it.each<Row>([
    {
      name: 'C7: a label changed',
      desired: { labels: { ...OURS, tier: 'b' } },
      current: { meta: { labels: { ...OURS, tier: 'a' } } },
      patch: { metadata: { labels: { tier: 'b' }, annotations: { [VERSION]: '7' } } },
      reasons: ['label tier: a → b'],
    },
    {
      name: 'G4: an annotation went',
      current: {
        meta: { annotations: { ...WEB_FQ_NAME, [VERSION]: '6', 'config.linkerd.io/opaque-ports': '3306' } },
      },
      patch: { metadata: { annotations: { 'config.linkerd.io/opaque-ports': null, [VERSION]: '7' } } },
      reasons: ['annotation config.linkerd.io/opaque-ports: 3306 → (none)'],
    },
    {
      name: 'G6: a port was added',
      desired: { ports: [HTTP, ADMIN] },
      patch: { metadata: { annotations: { [VERSION]: '7' } }, spec: { ports: [HTTP, ADMIN] } },
      reasons: ['ports: http TCP 80→8080 → http TCP 80→8080, admin TCP 9990→adm'],
    },
    {
      name: 'G6: appProtocol came',
      desired: { ports: [{ ...HTTP, appProtocol: 'kubernetes.io/h2c' }] },
      patch: {
        metadata: { annotations: { [VERSION]: '7' } },
        spec: { ports: [{ ...HTTP, appProtocol: 'kubernetes.io/h2c' }] },
      },
      reasons: ['ports: http TCP 80→8080 → http TCP 80→8080 kubernetes.io/h2c'],
    },
    {
      name: 'C6: a user edited the ports',
      current: { ports: [{ ...HTTP, port: 81 }] },
      patch: { metadata: { annotations: { [VERSION]: '7' } }, spec: { ports: [HTTP] } },
      reasons: ['ports: http TCP 81→8080 → http TCP 80→8080'],
    },
    {
      name: 'G6: the order of ports',
      desired: { ports: [ADMIN, HTTP] },
      current: { ports: [HTTP, ADMIN] },
      patch: { metadata: { annotations: { [VERSION]: '7' } }, spec: { ports: [ADMIN, HTTP] } },
      reasons: ['ports: http TCP 80→8080, admin TCP 9990→adm → admin TCP 9990→adm, http TCP 80→8080'],
    },
    {
      name: 'the full name is wrong, and the version moves along',
      desired: { remoteResourceVersion: '9' },
      current: { meta: { annotations: { 'mirror.linkerd.io/remote-svc-fq-name': 'x', [VERSION]: '7' } } },
      patch: { metadata: { annotations: { ...WEB_FQ_NAME, [VERSION]: '9' } } },
      reasons: ['annotation mirror.linkerd.io/remote-svc-fq-name: x → web.shop.svc.cluster.local'],
    },
  ])('$name: updated', ({ desired, current, patch, reasons }) => {
    expect(planService(MIRROR, desiredService(desired), mirrorService(current))).toEqual({
      action: 'update',
      kind: 'Service',
      ...MIRROR,
      mirror: MIRROR,
      needsEarlier: false,
      reasons,
      uid: 'uid-of-web-west',
      resourceVersion: '7',
      patch,
    });
  });
});

describe('planService, families', () => {
  const BOTH = { wantsBothFamilies: true };
  const single = { ipFamilyPolicy: 'SingleStack' } as const;
  const prefers = { ipFamilyPolicy: 'PreferDualStack' } as const;

  it.each<[string, Partial<DesiredService>, object]>([
    ['one family is what the API server gives by itself', {}, { ports: [HTTP] }],
    ['both are asked for', BOTH, { ipFamilyPolicy: 'PreferDualStack', ports: [HTTP] }],
    ['a headless one needs no policy', { isHeadless: true }, { clusterIP: 'None', ports: [HTTP] }],
    [
      'a headless one has both by itself',
      { ...BOTH, isHeadless: true },
      { clusterIP: 'None', ports: [HTTP] },
    ],
  ])('A10: created: %s', (_name, desired, spec) => {
    const change = planService(MIRROR, desiredService(desired), undefined);
    expect(change?.action === 'create' && change.body['spec']).toEqual(spec);
  });

  it.each<[string, Partial<DesiredService>, Partial<Service>, string]>([
    ['both are wanted now', BOTH, single, 'SingleStack → PreferDualStack'],
    [
      'both are wanted, whoever set the policy',
      BOTH,
      { ...single, isPolicyOurs: true },
      'SingleStack → PreferDualStack',
    ],
    [
      'one is wanted again, and we asked for both',
      {},
      { ...prefers, isPolicyOurs: true },
      'PreferDualStack → SingleStack',
    ],
  ])('A10: changed: %s', (_name, desired, current, told) => {
    const change = planService(MIRROR, desiredService(desired), mirrorService(current));
    expect(change).toMatchObject({ action: 'update', reasons: [`ipFamilyPolicy: ${told}`] });
    expect(change?.action === 'update' && change.patch).toEqual({
      metadata: { annotations: { [VERSION]: '7' } },
      spec: { ipFamilyPolicy: told.split(' → ')[1] },
    });
    const isUpgrade = told.endsWith('PreferDualStack');
    expect(change !== undefined && [givesAddresses(change), takesAddress(change)]).toEqual([
      isUpgrade,
      !isUpgrade,
    ]);
  });

  it.each<[string, Partial<DesiredService>, Partial<Service>]>([
    ['both are wanted and asked for', BOTH, prefers],
    ['both are wanted, and somebody requires them', BOTH, { ipFamilyPolicy: 'RequireDualStack' }],
    ['one is wanted, and somebody else asked for both', {}, prefers],
    ['one is wanted, and we require nothing', {}, { ipFamilyPolicy: 'RequireDualStack', isPolicyOurs: true }],
    ['one is wanted, and we said so', {}, { ...single, isPolicyOurs: true }],
    ['a headless one, both wanted', { ...BOTH, isHeadless: true }, { ...single, clusterIP: 'None' }],
    [
      'a headless one, one wanted',
      { isHeadless: true },
      { ...prefers, isPolicyOurs: true, clusterIP: 'None' },
    ],
  ])('A10: left as it is: %s', (_name, desired, current) => {
    expect(planService(MIRROR, desiredService(desired), mirrorService(current))).toBeUndefined();
  });
});

describe('givesAddresses', () => {
  it.each<[string, Parameters<typeof planService>[1], Service | undefined, boolean]>([
    ['a new Service', desiredService(), undefined, true],
    ['other labels', desiredService({ labels: { ...OURS, tier: 'b' } }), mirrorService(), false],
    ['other ports', desiredService({ ports: [HTTP, ADMIN] }), mirrorService(), false],
  ])('%s', (_name, desired, current, expected) => {
    const change = planService(MIRROR, desired, current);
    expect(change !== undefined && givesAddresses(change)).toBe(expected);
  });

  it('no list gives any, and no delete', () => {
    const list = planEndpoints(MIRROR, gatewayListing(desiredEndpoints()), undefined);
    expect(list !== undefined && givesAddresses(list)).toBe(false);
    expect(givesAddresses(deleteService(mirrorService(), MIRROR, 'why'))).toBe(false);
  });
});
