// What holds for any two clusters: a second run has nothing to do, and what is not ours is never touched.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyText } from '../../lib/model/keys.ts';
import type { Change } from '../../lib/model/plan.ts';
import type { Report } from '../../lib/model/report.ts';
import { markReadBack } from '../support/read-back.ts';
import { ON_SERVERS } from './bounds.ts';
import { onGround, settle } from './ground.ts';
import { isOurs, type Leftover } from './leftovers.ts';
import { world, type World } from './worlds.ts';

const RESOURCES = { Service: 'services', Endpoints: 'endpoints', EndpointSlice: 'endpointslices' } as const;

const nameOf = ({ resource, object: { metadata } }: Leftover): string =>
  `${resource} ${metadata.namespace}/${metadata.name}`;
const namedBy = ({ kind, namespace, name }: Change): string =>
  `${kind === 'Namespace' ? 'namespaces' : RESOURCES[kind]} ${namespace}/${name}`;

/** Endpoints that stand under somebody else's Service belong to that Service, whatever labels they carry. */
const isUnderForeignService = ({ object, resource }: Leftover, { source }: World): boolean =>
  resource === 'endpoints' &&
  source.some(
    (other) =>
      other.resource === 'services' &&
      !isOurs(other) &&
      other.object.metadata.namespace === object.metadata.namespace &&
      other.object.metadata.name === object.metadata.name,
  );

/** The API server itself removes the Endpoints of a Service that is deleted: what stood under a mirror of ours may go with it. */
const isUnderOwnedService = ({ object, resource }: Leftover, { source }: World): boolean =>
  resource === 'endpoints' &&
  source.some(
    (other) =>
      other.resource === 'services' &&
      isOurs(other) &&
      other.object.metadata.namespace === object.metadata.namespace &&
      other.object.metadata.name === object.metadata.name,
  );

const foreignOf = (given: World): readonly Leftover[] =>
  given.source.filter((leftover) => !isOurs(leftover) || isUnderForeignService(leftover, given));

/**
 * Whether a run deletes what stood at a name that it refused to write to: the next one takes the name. Who keeps a name is decided
 * before anything is written, by what stands there.
 */
const freesRefusedName = ({ changes, refusals }: Report): boolean => {
  const freed = changes.filter(({ action }) => action === 'delete').map(keyText);
  // A slice's name begins with that of its Service.
  const isFreed = (name: string): boolean => freed.some((key) => key === name || key.startsWith(`${name}-`));
  return refusals
    .filter(({ reason }) => reason === 'NameConflict' || reason === 'NotOwned')
    .some(({ message }) => message.split(' ').some(isFreed));
};

describe('for any target and any leftovers in the source', () => {
  it('a second plan is empty, but where the first run freed a name that it had refused', async () => {
    await fc.assert(
      fc.asyncProperty(world, (given) =>
        onGround(given, async ({ lab }) => {
          const { report } = await lab.sync();
          if (freesRefusedName(report)) await settle(lab, 2);
          const second = await lab.plan();
          expect(second.report.changes).toEqual([]);
          expect(second.report.unobserved).toEqual([]);
        }),
      ),
      ON_SERVERS,
    );
  });

  it('where Endpoints are copied to slices, a link that wrote slices before comes to rest in a few runs', async () => {
    await fc.assert(
      fc.asyncProperty(world, (given) =>
        onGround(
          { ...given, link: { ...given.link, endpoints: 'endpoints' } },
          async ({ lab }) => {
            expect(await settle(lab)).toBeLessThanOrEqual(3);
          },
          { mirroringController: true },
        ),
      ),
      ON_SERVERS,
    );
  });

  it('every change has one outcome, and none fails', async () => {
    await fc.assert(
      fc.asyncProperty(world, (given) =>
        onGround(given, async ({ lab }) => {
          const { report } = await lab.sync();
          expect(
            report.outcomes?.map(({ change, result }) => `${result} ${namedBy(change)}`).toSorted(),
          ).toEqual(report.changes.map((change) => `applied ${namedBy(change)}`).toSorted());
        }),
      ),
      ON_SERVERS,
    );
  });

  it('E3, E4: what is not ours, or only nearly, is in no plan and stays byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(world, (given) =>
        onGround(given, async ({ lab, source }) => {
          markReadBack();
          const foreign = foreignOf(given);
          const lasting = foreign.filter((leftover) => !isUnderOwnedService(leftover, given));
          const read = (): readonly unknown[] =>
            lasting.map(({ resource, object: { metadata } }) =>
              source.get(resource, metadata.namespace ?? '', metadata.name),
            );
          const before = read();
          // Where a run deleted a Service of ours, the next ones may find its name free and write there.
          for (const [forceDeletes, untouchable] of [
            [false, given.before === undefined ? foreign : lasting],
            [true, lasting],
          ] as const) {
            const names = new Set(untouchable.map(nameOf));
            const { report } = await lab.sync({ forceDeletes });
            expect(report.changes.map(namedBy).filter((name) => names.has(name))).toEqual([]);
          }
          expect(read()).toEqual(before);
        }),
      ),
      ON_SERVERS,
    );
  });
});
