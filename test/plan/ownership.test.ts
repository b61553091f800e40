// Which objects are this link's.
import { describe, expect, it } from 'vitest';
import type { StringMap } from '../../lib/model/objects.ts';
import {
  isCopiedSlice,
  isOwnedEndpoints,
  isOwnedService,
  isOwnedSlice,
  rootName,
} from '../../lib/plan/ownership.ts';
import { mirrorService, OURS, ourMeta, ourSlice } from '../support/model-builders.ts';

const MIRRORED = 'mirror.linkerd.io/mirrored-service';
const CLUSTER = 'mirror.linkerd.io/cluster-name';

describe('the ownership pair', () => {
  it.each<[string, StringMap, boolean]>([
    ['both labels', OURS, true],
    ['both labels among others', { ...OURS, tier: 'a' }, true],
    ['no labels', {}, false],
    ['only the mark', { [MIRRORED]: 'true' }, false],
    ['only the cluster, as the Endpoints of the probe Service have it', { [CLUSTER]: 'west' }, false],
    ['another link', { ...OURS, [CLUSTER]: 'east' }, false],
    ['a link whose name begins like ours', { ...OURS, [CLUSTER]: 'west-2' }, false],
    ['the mark with another value', { ...OURS, [MIRRORED]: 'True' }, false],
  ])('%s', (_name, labels, expected) => {
    const meta = ourMeta({ labels });
    expect(isOwnedEndpoints(meta, 'west')).toBe(expected);
    expect(isOwnedService(mirrorService({ meta: { labels } }), 'west')).toBe(expected);
    expect(isOwnedSlice(ourSlice({ meta: { labels } }), 'west')).toBe(expected);
  });

  it.each<[string, Parameters<typeof mirrorService>[0], boolean]>([
    ['E3: a Service with a selector is not', { hasSelector: true }, false],
    ['E3: an ExternalName Service is not', { type: 'ExternalName' }, false],
    ['D1: a headless Service is', { clusterIP: 'None' }, true],
    ['one that somebody turned into a load balancer is', { type: 'LoadBalancer' }, true],
  ])('%s', (_name, given, expected) => {
    expect(isOwnedService(mirrorService(given), 'west')).toBe(expected);
  });

  it.each([
    ['eks-service-mirror', true, false],
    ['endpointslicemirroring-controller.k8s.io', false, true],
    ['endpointslice-controller.k8s.io', false, false],
    ['', false, false],
  ])('a slice managed by "%s"', (managedBy, ours, copied) => {
    const slice = ourSlice({ managedBy });
    expect(isOwnedSlice(slice, 'west')).toBe(ours);
    expect(isCopiedSlice(slice, 'west')).toBe(copied);
  });
});

describe('rootName', () => {
  it('is the own name of an ordinary mirror, and the root of an endpoint mirror', () => {
    expect(rootName(ourMeta(), 'web-west')).toBe('web-west');
    const labels = { ...OURS, 'mirror.linkerd.io/headless-mirror-svc-name': 'db-west' };
    expect(rootName(ourMeta({ labels }), 'db-0-west')).toBe('db-west');
  });
});
