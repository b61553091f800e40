// What holds for any two clusters: a second run has nothing to do, and what is not ours is never touched.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Change } from '../../lib/model/plan.ts';
import { markReadBack } from '../support/read-back.ts';
import { ON_SERVERS } from './bounds.ts';
import { serversOf, settle } from './ground.ts';
import { hasPodMirrorAtExportedName, isOurs, type Leftover, world, type World } from './worlds.ts';

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

describe('for any target and any leftovers in the source', () => {
  it('a second plan is empty', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const servers = await serversOf(given);
        const ground = await servers.open();
        try {
          await ground.lab.sync();
          if (hasPodMirrorAtExportedName(given)) await ground.lab.sync();
          const second = await ground.lab.plan();
          expect(second.report.changes).toEqual([]);
          expect(second.report.unobserved).toEqual([]);
        } finally {
          await ground.close();
          await servers.close();
        }
      }),
      ON_SERVERS,
    );
  });

  it('where Endpoints are copied to slices, a link that wrote slices before comes to rest in a few runs', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const servers = await serversOf({ ...given, link: { ...given.link, endpoints: 'endpoints' } });
        const ground = await servers.open({ mirroringController: true });
        try {
          expect(await settle(ground.lab)).toBeLessThanOrEqual(3);
        } finally {
          await ground.close();
          await servers.close();
        }
      }),
      ON_SERVERS,
    );
  });

  it('every change has one outcome, and none fails', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const servers = await serversOf(given);
        const ground = await servers.open();
        try {
          const { report } = await ground.lab.sync();
          expect(
            report.outcomes?.map(({ change, result }) => `${result} ${namedBy(change)}`).toSorted(),
          ).toEqual(report.changes.map((change) => `applied ${namedBy(change)}`).toSorted());
        } finally {
          await ground.close();
          await servers.close();
        }
      }),
      ON_SERVERS,
    );
  });

  it('E3, E4: what is not ours, or only nearly, is in no plan and stays byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const servers = await serversOf(given);
        const ground = await servers.open();
        try {
          markReadBack();
          const foreign = foreignOf(given);
          const lasting = foreign.filter((leftover) => !isUnderOwnedService(leftover, given));
          const read = (): readonly unknown[] =>
            lasting.map(({ resource, object: { metadata } }) =>
              ground.source.get(resource, metadata.namespace ?? '', metadata.name),
            );
          const before = read();
          // Where a Service of ours was deleted, the second run may find its name free and write there.
          for (const [forceDeletes, untouchable] of [
            [false, foreign],
            [true, lasting],
          ] as const) {
            const names = new Set(untouchable.map(nameOf));
            const { report } = await ground.lab.sync({ forceDeletes });
            expect(report.changes.map(namedBy).filter((name) => names.has(name))).toEqual([]);
          }
          expect(read()).toEqual(before);
        } finally {
          await ground.close();
          await servers.close();
        }
      }),
      ON_SERVERS,
    );
  });
});
