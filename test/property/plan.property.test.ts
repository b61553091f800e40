// What holds for the plan of any two clusters, whatever order they were read in. Pure: no server is asked.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change, Plan } from '../../lib/model/plan.ts';
import { gatewayView } from '../support/model-builders.ts';
import { PURE } from './bounds.ts';
import { isOurs } from './leftovers.ts';
import { planOf, view } from './plans.ts';
import { anyOrder, frozen, shuffled, type Snapshots, snapshotsOf } from './snapshots.ts';
import { crowdedWorld } from './worlds.ts';

const nameOf = ({ kind, namespace, name }: Change): string => `${kind} ${namespace}/${name}`;

const mirrorOf = ({ mirror }: Change): string => `${mirror.namespace}/${mirror.name}`;

const RESOURCES = { services: 'Service', endpoints: 'Endpoints', endpointslices: 'EndpointSlice' } as const;

/** Why a list goes while its mirror stays: its addresses stand elsewhere, or what is exported now can have none. */
const REPLACED = [
  'remote discovery has no endpoints',
  'the link writes EndpointSlices',
  'a copy of the Endpoints lists the same addresses',
  'no address left for it',
];

describe('for any target, any leftovers and any gateway', () => {
  it('the plan does not depend on the order in which anything was read', () => {
    fc.assert(
      fc.property(crowdedWorld, view, anyOrder, (given, view, order) => {
        const snapshots = snapshotsOf(given);
        const plan = planOf(given, { snapshots, view });
        const other = planOf(given, { snapshots: shuffled(snapshots, order), view, order });
        expect(JSON.stringify(other)).toBe(JSON.stringify(plan));
      }),
      PURE,
    );
  });

  it('C5: nothing that was observed is changed by deciding and planning', () => {
    fc.assert(
      fc.property(crowdedWorld, view, (given, view) => {
        const snapshots = snapshotsOf(given);
        const before = structuredClone(snapshots);
        planOf(given, { snapshots: frozen(snapshots), view: frozen(view) });
        expect(snapshots.source.services).toEqual(before.source.services);
        expect(snapshots.source.endpoints).toEqual(before.source.endpoints);
        expect(snapshots.target.services).toEqual(before.target.services);
      }),
      PURE,
    );
  });

  it('E4: what a mirror gets does not depend on whether names of other Endpoints were looked up for another one', () => {
    fc.assert(
      fc.property(crowdedWorld, view, (given, view) => {
        const { target, source } = snapshotsOf(given);
        const { foreignEndpoints: _, ...unaware } = source;
        const before = planOf(given, { snapshots: { target, source: unaware }, view });
        const after = planOf(given, { snapshots: { target, source }, view });
        const creates = new Set(before.changes.filter(({ action }) => action === 'create').map(mirrorOf));
        const others = ({ changes }: Plan) => changes.filter((change) => !creates.has(mirrorOf(change)));
        expect(others(after)).toEqual(others(before));
      }),
      PURE,
    );
  });

  it('no plan names an object twice, but to delete it and make it again', () => {
    fc.assert(
      fc.property(crowdedWorld, view, (given, view) => {
        const { changes } = planOf(given, { snapshots: snapshotsOf(given), view });
        const twice = [...Map.groupBy(changes, nameOf).values()].filter(({ length }) => length > 1);
        expect(
          twice
            .map((members) => members.map(({ action }) => action).join(' '))
            .filter((actions) => actions !== 'delete create'),
        ).toEqual([]);
      }),
      PURE,
    );
  });

  it('E3, E4: no plan names an object that is not ours', () => {
    fc.assert(
      fc.property(crowdedWorld, view, (given, view) => {
        const foreign = new Set(
          given.source
            .filter((leftover) => !isOurs(leftover))
            .map(
              ({ resource, object: { metadata } }) =>
                `${RESOURCES[resource]} ${metadata.namespace}/${metadata.name}`,
            ),
        );
        const { changes } = planOf(given, { snapshots: snapshotsOf(given), view });
        expect(changes.map(nameOf).filter((name) => foreign.has(name))).toEqual([]);
      }),
      PURE,
    );
  });

  it('E8: while a part of the target is unobserved no Service is deleted, and no endpoints change for lack of sight', () => {
    fc.assert(
      fc.property(crowdedWorld, (given) => {
        const why = { what: 'target EndpointSlices', message: 'timeout' };
        const { source, target } = snapshotsOf(given);
        const snapshots: Snapshots = {
          source,
          target: {
            ...target,
            ready: { observed: false, why, reason: 'Unobserved' },
            headless: new Map(),
          },
        };
        const { changes, unobserved } = planOf(given, { snapshots, view: gatewayView(), unobserved: [why] });
        expect(unobserved).toEqual([why]);
        const ofGatewayMode = changes.filter(
          ({ kind, reasons }) =>
            kind !== 'Service' &&
            kind !== 'Namespace' &&
            !reasons.includes('remote discovery has no endpoints'),
        );
        expect(ofGatewayMode).toEqual([]);
        expect(changes.filter(({ action, kind }) => action === 'delete' && kind === 'Service')).toEqual([]);
      }),
      PURE,
    );
  });

  it('E8: while anything else is unobserved nothing is deleted but a list that another of the same mirror replaces', () => {
    const why = { what: 'gateway state', message: 'timeout' };
    const anyView = fc.oneof(view, fc.constantFrom('unobserved' as const, 'none' as const));
    fc.assert(
      fc.property(crowdedWorld, anyView, (given, view) => {
        const { changes } = planOf(given, { snapshots: snapshotsOf(given), view, unobserved: [why] });
        const deleted = changes.filter(({ action }) => action === 'delete');
        expect(
          deleted.filter(
            ({ kind, reasons: [reason = ''] }) => kind === 'Service' || !REPLACED.includes(reason),
          ),
        ).toEqual([]);
      }),
      PURE,
    );
  });

  it('namespaces come first, and mirrors that only lose objects come last', () => {
    fc.assert(
      fc.property(crowdedWorld, view, (given, view) => {
        const { changes } = planOf(given, { snapshots: snapshotsOf(given), view });
        const groups = [
          ...Map.groupBy(changes, ({ mirror }) => `${mirror.namespace}/${mirror.name}`).values(),
        ];
        const ranks = groups.map((members) => {
          if (members.some(({ kind }) => kind === 'Namespace')) return 0;
          if (members.some(({ action }) => action === 'create')) return 1;
          return members.some(({ action }) => action === 'update') ? 2 : 3;
        });
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
        expect(groups.flat()).toEqual(changes); // a mirror's changes stand together
      }),
      PURE,
    );
  });
});
