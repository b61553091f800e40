// Endpoint mirrors that no pod stands behind any more: what stays of them, and what is never written for them.
import { describe, expect, it } from 'vitest';
import type { HeadlessMirror, PlainMirror } from '../../lib/model/desired.ts';
import type { LinkDocument } from '../../lib/model/link.ts';
import type { Plan } from '../../lib/model/plan.ts';
import { planFor } from '../../lib/plan/plan.ts';
import { linkOf } from '../support/lab.ts';
import {
  decision,
  desiredMirror,
  desiredService,
  mirrorEndpoints,
  mirrorService,
  OURS,
  ourSlice,
  sliceEndpoint,
  sourceOf,
} from '../support/model-builders.ts';

const OF_DB = { ...OURS, 'mirror.linkerd.io/headless-mirror-svc-name': 'db-west' };

const ROOT = mirrorService({ meta: { name: 'db-west' }, clusterIP: 'None', clusterIPs: ['None'] });
const POD = mirrorService({ meta: { name: 'db-0-west', labels: OF_DB } });
const POD_SLICE = ourSlice({
  serviceName: 'db-0-west',
  meta: {
    name: 'db-0-west-x',
    labels: {
      ...OF_DB,
      'kubernetes.io/service-name': 'db-0-west',
      'endpointslice.kubernetes.io/managed-by': 'eks-service-mirror',
    },
  },
});
const FOREIGN = mirrorEndpoints({
  meta: { name: 'db-0-west', labels: { team: 'a' }, annotations: { note: 'a' } },
});

/** A root whose pods are all gone. */
const ROOT_OF_NOBODY: HeadlessMirror = {
  service: desiredService({ isHeadless: true }),
  endpoints: { labels: OURS, annotations: {}, pods: [] },
  createNamespace: false,
};

interface Given {
  readonly desired: HeadlessMirror | PlainMirror;
  readonly source: Parameters<typeof sourceOf>[0];
  readonly link?: Partial<LinkDocument>;
}

const plan = ({ desired, source, link }: Given): Plan =>
  planFor({
    link: linkOf(link),
    decisions: [decision('db', { desired })],
    source: sourceOf(source),
    gateway: undefined,
    unobserved: [],
    refusals: [],
    forceDeletes: false,
    now: Date.UTC(2026, 0, 1),
    covers: () => true,
  });

const ofPod = ({ changes }: Plan): readonly string[] =>
  changes
    .filter(({ part }) => part?.name === 'db-0-west')
    .map(({ action, kind, name }) => `${action} ${kind} ${name}`);

describe('the endpoint mirror of a pod that is gone, within its grace', () => {
  const GRACE = { endpointMirrorGrace: 300 };

  it('is emptied', () => {
    const endpoints = [mirrorEndpoints({ meta: { name: 'db-0-west', labels: OF_DB } })];
    const source = { services: [ROOT, POD], endpoints };
    expect(ofPod(plan({ desired: ROOT_OF_NOBODY, source, link: GRACE }))).toEqual([
      'update Endpoints db-0-west',
    ]);
  });

  it('E4: leaves Endpoints of somebody else at its name alone; where no time can be kept there is no grace', () => {
    const source = { services: [ROOT, POD], foreignEndpoints: [FOREIGN] };
    expect(ofPod(plan({ desired: ROOT_OF_NOBODY, source, link: GRACE }))).toEqual([
      'delete Service db-0-west',
    ]);
  });

  it('E4: is emptied in its slices beside them, and takes no annotation of theirs', () => {
    const source = { services: [ROOT, POD], slices: [POD_SLICE], foreignEndpoints: [FOREIGN] };
    const link = { ...GRACE, endpoints: 'endpointslices' as const };
    const { changes } = plan({ desired: ROOT_OF_NOBODY, source, link });
    const reasons = changes.filter(({ name }) => name === 'db-0-west-x').map((change) => change.reasons);
    expect(reasons).toEqual([
      [
        'annotation eks-service-mirror/pod-gone-at: (none) → 2026-01-01T00:00:00Z',
        'addresses: 203.0.113.1 on http:4143/TCP → (empty)',
      ],
    ]);
  });
});

describe('endpoint mirrors of a root that is to have a ClusterIP', () => {
  const SLICES = { endpoints: 'endpointslices' as const };
  const root = ourSlice({
    serviceName: 'db-west',
    endpoints: [sliceEndpoint('10.96.0.1', { hostname: 'db-0' })],
    meta: { name: 'db-west-x' },
  });
  const source = { services: [ROOT, POD], slices: [root, POD_SLICE] };

  it('D14: go with the shape', () => {
    const desired = desiredMirror();
    expect(ofPod(plan({ desired, source, link: SLICES }))).toEqual([
      'delete EndpointSlice db-0-west-x',
      'delete Service db-0-west',
    ]);
  });

  it('E8: stay while what it lists cannot be decided, as its entries lead to them', () => {
    const desired = desiredMirror({ endpoints: 'unobserved' });
    expect(ofPod(plan({ desired, source, link: SLICES }))).toEqual([]);
  });
});
