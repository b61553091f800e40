// The plan of a whole link: decisions beside what stands in the source cluster.
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../lib/model/plan.ts';
import { planFor, type PlanInput } from '../../lib/plan/plan.ts';
import { linkOf } from '../support/lab.ts';
import {
  copiedSlice,
  decision,
  desiredMirror,
  mirrorEndpoints,
  mirrorService,
  ourSlice,
  sourceOf,
} from '../support/model-builders.ts';

const plan = (given: Partial<PlanInput> = {}): Plan =>
  planFor({
    link: linkOf(),
    decisions: [decision()],
    source: sourceOf(),
    gateway: undefined,
    unobserved: [],
    refusals: [],
    forceDeletes: false,
    now: 0,
    covers: () => true,
    ...given,
  });

const shown = ({ changes }: Plan): readonly string[] =>
  changes.map(({ action, kind, namespace, name }) => `${action} ${kind} ${namespace}/${name}`);

const IN_SYNC = { services: [mirrorService()], endpoints: [mirrorEndpoints()], slices: [copiedSlice()] };

describe('planFor', () => {
  it('K1: has nothing to say of a link in sync', () => {
    expect(plan({ source: sourceOf(IN_SYNC) })).toEqual({
      changes: [],
      refusals: [],
      unobserved: [],
      notes: [],
    });
  });

  it('I1: creates each missing namespace once, before the mirrors in it', () => {
    const desired = desiredMirror({ createNamespace: true });
    const inNew = (name: string) => ({
      ...decision(name, { desired }),
      key: { namespace: 'new', name },
      mirror: { namespace: 'new', name: `${name}-west` },
    });
    const made = plan({ decisions: [inNew('web'), inNew('api')] });
    expect(shown(made)).toEqual([
      'create Namespace /new',
      'create Service new/api-west',
      'create Endpoints new/api-west',
      'create Service new/web-west',
      'create Endpoints new/web-west',
    ]);
    expect(made.changes[0]).toMatchObject({
      reasons: ['createNamespaces is on'],
      body: {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: {
          name: 'new',
          labels: { 'mirror.linkerd.io/mirrored-service': 'true', 'mirror.linkerd.io/cluster-name': 'west' },
        },
      },
    });
  });

  it('E7: what a decision declines stays, what no decision wants goes', () => {
    const { desired: _, ...declined } = decision('held');
    const source = sourceOf({
      services: [
        mirrorService({ meta: { name: 'held-west' } }),
        mirrorService({ meta: { name: 'gone-west' } }),
      ],
    });
    expect(shown(plan({ source, decisions: [declined] }))).toEqual(['delete Service shop/gone-west']);
  });

  it('E8: a part of the target that was not seen forbids every delete of a mirror', () => {
    const source = sourceOf({ services: [mirrorService({ meta: { name: 'gone-west' } })] });
    const unobserved = [{ what: 'target EndpointSlices', message: 'timeout' }];
    const blind = plan({ source, decisions: [], unobserved });
    expect(blind).toEqual({ changes: [], refusals: [], unobserved, notes: [] });
    expect(shown(plan({ source, decisions: [] }))).toEqual(['delete Service shop/gone-west']);
  });

  it('E4: Endpoints of somebody else that were found by name only are an obstacle', () => {
    const foreignEndpoints = [mirrorEndpoints({ meta: { labels: {} }, subsets: [] })];
    const { changes, refusals } = plan({ source: sourceOf({ foreignEndpoints }) });
    expect(changes).toEqual([]);
    expect(refusals).toMatchObject([{ namespace: 'shop', name: 'web', reason: 'NotOwned' }]);
  });

  it('a run for a part of the link plans nothing else, but still knows what is exported', () => {
    const source = sourceOf({
      services: [
        mirrorService({ meta: { name: 'gone-west' } }),
        mirrorService({ meta: { name: 'api-west' } }),
      ],
    });
    const covers = ({ name }: { readonly name: string }) => name !== 'web-west';
    expect(shown(plan({ source, covers, decisions: [decision(), decision('api')] }))).toEqual([
      'create Endpoints shop/api-west',
      'delete Service shop/gone-west',
    ]);
  });

  it('refusals are sorted by object, those of the gateway among them', () => {
    const refusal = { namespace: 'shop', reason: 'InvalidService', message: 'm' } as const;
    const { refusals } = plan({
      decisions: [decision('web', { refusals: [{ ...refusal, name: 'web' }] })],
      refusals: [
        {
          namespace: 'linkerd-multicluster',
          name: 'linkerd-gateway',
          reason: 'NoGatewayAddress',
          message: 'm',
        },
      ],
      source: sourceOf({ services: [mirrorService({ meta: { labels: {} } })] }),
    });
    expect(refusals.map(({ namespace, name, reason }) => `${namespace}/${name} ${reason}`)).toEqual([
      'linkerd-multicluster/linkerd-gateway NoGatewayAddress',
      'shop/web InvalidService',
      'shop/web NotOwned',
    ]);
  });
});

describe('notes of a plan', () => {
  const UNCOPIED =
    'nothing copies our Endpoints to EndpointSlices in the source cluster, so proxies and DNS there do not see 1 mirrors: switch the endpointslice-mirroring-controller on, or set endpoints: endpointslices';

  it('C4: a cluster without a mirroring controller hides our Endpoints', () => {
    const source = sourceOf({ services: [mirrorService()], endpoints: [mirrorEndpoints()] });
    expect(plan({ source }).notes).toEqual([UNCOPIED]);
    expect(plan({ source, link: linkOf({ endpoints: 'endpointslices' }) }).notes).toEqual([]);
  });

  it('C4: one copy shows that there is a controller; empty Endpoints are never copied and show nothing', () => {
    expect(plan({ source: sourceOf(IN_SYNC) }).notes).toEqual([]);
    const empty = sourceOf({ services: [mirrorService()], endpoints: [mirrorEndpoints({ subsets: [] })] });
    expect(plan({ source: empty }).notes).toEqual([]);
  });

  it('C4: slices that stay beside the Endpoints are named', () => {
    const source = sourceOf({
      services: [mirrorService()],
      endpoints: [mirrorEndpoints()],
      slices: [ourSlice()],
    });
    expect(plan({ source }).notes).toEqual([
      'our EndpointSlices of 1 mirrors stay (shop/web-west): no copy of their Endpoints lists the same addresses yet',
      UNCOPIED,
    ]);
  });
});
