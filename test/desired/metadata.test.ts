// What travels of labels and annotations: each rule beside its nearest neighbour that is no rule.
import { describe, expect, it } from 'vitest';
import {
  endpointAnnotations,
  endpointLabels,
  serviceAnnotations,
  serviceLabels,
} from '../../lib/desired/metadata.ts';
import { linkOf } from '../support/lab.ts';
import { OURS } from '../support/model-builders.ts';

const WEB = { namespace: 'shop', name: 'web' };
const FQ_NAME = { 'mirror.linkerd.io/remote-svc-fq-name': 'web.shop.svc.cluster.local' };

/** Keys that never travel, as labels and as annotations. */
const STAYS_BEHIND = [
  'mirror.linkerd.io/exported',
  'mirror.linkerd.io/anything',
  'multicluster.linkerd.io/remote-discovery',
  'kubernetes.io/service-name',
  'endpointslice.kubernetes.io/managed-by',
  'endpointslice.kubernetes.io/skip-mirror',
  'endpoints.kubernetes.io/last-change-trigger-time',
  'service.kubernetes.io/topology-mode',
  'service.kubernetes.io/headless',
  'service.beta.kubernetes.io/aws-load-balancer-type',
  'service.alpha.kubernetes.io/tolerate-unready-endpoints',
  'argocd.argoproj.io/instance',
  'argocd.argoproj.io/tracking-id',
  'argocd.argoproj.io/installation-id',
  'app.kubernetes.io/instance',
  'meta.helm.sh/release-name',
  'meta.helm.sh/release-namespace',
  'kustomize.toolkit.fluxcd.io/name',
  'helm.toolkit.fluxcd.io/namespace',
  'kubectl.kubernetes.io/last-applied-configuration',
  'external-dns.alpha.kubernetes.io/hostname',
] as const;

/** Keys that look like one of them and travel. */
const TRAVELS = [
  'team',
  'mirror.example.test/exported',
  'linkerd.io/inject',
  'config.linkerd.io/proxy-cpu-limit',
  'kubernetes.io/cluster-service',
  'my.kubernetes.io/service-name',
  'notservice.kubernetes.io/x',
  'service.kubernetes.io.example.test/x',
  'argocd.argoproj.io/sync-options',
  'app.kubernetes.io/name',
  'app.kubernetes.io/component',
  'helm.sh/chart',
  'toolkit.fluxcd.example/x',
  'kubectl.kubernetes.io/restartedAt',
  'external-dns.example.test/hostname',
  'argocd.argoproj.io',
] as const;

describe('labels', () => {
  it.each(STAYS_BEHIND)('F7, G1: %s stays behind', (key) => {
    expect(endpointLabels(linkOf(), { [key]: 'x', team: 'a' })).toEqual({ team: 'a', ...OURS });
  });

  it.each(TRAVELS)('G1: %s travels', (key) => {
    expect(endpointLabels(linkOf(), { [key]: 'x' })).toEqual({ [key]: 'x', ...OURS });
  });

  it.each([
    ['Helm', {}],
    ['helmfile', { 'app.kubernetes.io/managed-by': 'helmfile' }],
    ['', { 'app.kubernetes.io/managed-by': '' }],
  ])('G1: app.kubernetes.io/managed-by with value "%s"', (value, copied) => {
    expect(endpointLabels(linkOf(), { 'app.kubernetes.io/managed-by': value })).toEqual({
      ...copied,
      ...OURS,
    });
  });

  it('the ownership pair wins over what the exported Service carries', () => {
    const labels = {
      'mirror.linkerd.io/cluster-name': 'east',
      'mirror.linkerd.io/mirrored-service': 'false',
    };
    expect(endpointLabels(linkOf(), labels)).toEqual(OURS);
  });

  it.each<[string, string[], Record<string, string>, Record<string, string>]>([
    ['an exact key', ['tier'], { tier: 'a', 'tier-2': 'b' }, { 'tier-2': 'b' }],
    ['a key with a prefix', ['x.test/a'], { 'x.test/a': '1', 'x.test/ab': '2' }, { 'x.test/ab': '2' }],
    ['a whole prefix', ['x.test/*'], { 'x.test/a': '1', 'y.x.test/a': '2' }, { 'y.x.test/a': '2' }],
    ['a prefix needs a slash', ['x.test/*'], { 'x.test': '1' }, { 'x.test': '1' }],
  ])("the link's exclusions: %s", (_name, excludedLabels, labels, copied) => {
    expect(endpointLabels(linkOf({ excludedLabels }), labels)).toEqual({ ...copied, ...OURS });
  });

  it('exclusions of annotations leave labels alone', () => {
    expect(endpointLabels(linkOf({ excludedAnnotations: ['tier'] }), { tier: 'a' })).toEqual({
      tier: 'a',
      ...OURS,
    });
  });

  it('F4: a mirror Service in remote-discovery mode names the link and the Service', () => {
    expect(serviceLabels(linkOf(), WEB, { labels: { tier: 'a' }, mode: 'remote-discovery' })).toEqual({
      tier: 'a',
      ...OURS,
      'multicluster.linkerd.io/remote-discovery': 'west',
      'multicluster.linkerd.io/remote-service': 'web',
    });
  });

  it('F4: in gateway mode it does not', () => {
    expect(serviceLabels(linkOf(), WEB, { labels: { tier: 'a' }, mode: 'gateway' })).toEqual({
      tier: 'a',
      ...OURS,
    });
  });
});

describe('annotations of a mirror Service', () => {
  it.each(STAYS_BEHIND)('F7, G1, G2: %s stays behind', (key) => {
    expect(serviceAnnotations(linkOf(), WEB, { [key]: 'x', note: 'a' })).toEqual({ note: 'a', ...FQ_NAME });
  });

  it.each(TRAVELS)('G1: %s travels', (key) => {
    expect(serviceAnnotations(linkOf(), WEB, { [key]: 'x' })).toEqual({ [key]: 'x', ...FQ_NAME });
  });

  it('G4: opaque ports follow even when the link excludes them', () => {
    const link = linkOf({ excludedAnnotations: ['config.linkerd.io/*', 'config.linkerd.io/opaque-ports'] });
    const annotations = {
      'config.linkerd.io/opaque-ports': '3306',
      'config.linkerd.io/skip-outbound-ports': '1',
    };
    expect(serviceAnnotations(link, WEB, annotations)).toEqual({
      'config.linkerd.io/opaque-ports': '3306',
      ...FQ_NAME,
    });
  });

  it('exclusions of labels leave annotations alone', () => {
    expect(serviceAnnotations(linkOf({ excludedLabels: ['note'] }), WEB, { note: 'a' })).toEqual({
      note: 'a',
      ...FQ_NAME,
    });
  });

  it("the full name is in the target cluster's own domain", () => {
    expect(serviceAnnotations(linkOf({ targetClusterDomain: 'west.example.test' }), WEB, {})).toEqual({
      'mirror.linkerd.io/remote-svc-fq-name': 'web.shop.svc.west.example.test',
    });
  });
});

describe('annotations of endpoints objects', () => {
  it('A7: carry the gateway identity', () => {
    expect(endpointAnnotations(linkOf(), WEB, 'gw.id')).toEqual({
      ...FQ_NAME,
      'mirror.linkerd.io/remote-gateway-identity': 'gw.id',
    });
  });

  it('A7: have no identity where there is none', () => {
    expect(endpointAnnotations(linkOf(), WEB, '')).toEqual(FQ_NAME);
  });
});
