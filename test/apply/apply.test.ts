// Walking a plan: what runs side by side, what waits, what is skipped, and when all stops.
import { describe, expect, it } from 'vitest';
import type { Change } from '../../lib/model/plan.ts';
import { apply, EARLIER, shown } from './applying.ts';
import { aCreate, aDelete, anUpdate } from './changes.ts';

const mirror = (name: string): readonly Change[] => [
  aCreate({ name }),
  aCreate({ kind: 'Endpoints', name, needsEarlier: true }),
];

describe('applyChanges', () => {
  it('E10: the changes of a mirror run one after the other, each with one outcome', async () => {
    const { applied, source, told } = await apply(mirror('web-west'));
    expect(source.asked).toEqual(['POST Service shop/web-west', 'POST Endpoints shop/web-west']);
    expect(source.mostAtOnce()).toBe(1);
    expect(shown(applied)).toEqual(['applied Service web-west', 'applied Endpoints web-west']);
    expect(told).toEqual(applied);
  });

  it('mirrors run side by side, eight at once and never more', async () => {
    const names = Array.from({ length: 20 }, (_unused, index) => `m${index}-west`);
    const { applied, source } = await apply(names.map((name) => aCreate({ name })));
    expect(applied).toHaveLength(20);
    expect(source.mostAtOnce()).toBe(8);
  });

  it('I1: namespaces are there before anything else starts', async () => {
    const { source } = await apply([
      aCreate({ name: 'web-west' }),
      aCreate({ kind: 'Namespace', name: 'shop' }),
      aCreate({ name: 'api-west' }),
    ]);
    expect(source.asked[0]).toBe('POST Namespace /shop');
    expect(source.asked).toHaveLength(3);
  });

  it('what needs the earlier changes of its mirror is skipped when one of them failed; neighbours go on', async () => {
    const { applied } = await apply([...mirror('web-west'), ...mirror('api-west')], {
      script: { 'POST Service shop/web-west': [{ kind: 'invalid' }] },
    });
    expect(shown(applied).toSorted()).toEqual([
      'applied Endpoints api-west',
      'applied Service api-west',
      'failed Service web-west: it was invalid',
      `skipped Endpoints web-west: ${EARLIER}`,
    ]);
  });

  it('what does not need them is tried all the same', async () => {
    const { applied } = await apply([anUpdate(), anUpdate({ kind: 'Endpoints' })], {
      script: { 'PATCH Service': [{ kind: 'denied' }] },
    });
    expect(shown(applied)).toEqual(['failed Service web-west: it was denied', 'applied Endpoints web-west']);
  });

  it('a Service is never deleted before the objects that carry its addresses', async () => {
    const { source, applied } = await apply(
      [aDelete({ kind: 'Endpoints', needsEarlier: true }), aDelete({ needsEarlier: true })],
      { script: { 'DELETE Endpoints': [{ kind: 'denied' }] } },
    );
    expect(source.asked).toEqual(['DELETE Endpoints shop/web-west']);
    expect(shown(applied)).toEqual([
      'failed Endpoints web-west: it was denied',
      `skipped Service web-west: ${EARLIER}`,
    ]);
  });

  it('C4: a slice belongs to the Service that was created just before', async () => {
    const ownedBy = { name: 'web-west', uid: undefined };
    const { source } = await apply([
      aCreate(),
      aCreate({ kind: 'EndpointSlice', name: 'slice', mirror: 'web-west', ownedBy, needsEarlier: true }),
    ]);
    expect(source.sent[1]).toMatchObject({ metadata: { ownerReferences: [{ uid: 'uid-of-web-west' }] } });
  });

  it.each([
    ['conflict', { isConflict: true }],
    ['invalid', { isConflict: false, refused: 'InvalidService' }],
    ['notFound', { isConflict: false, refused: 'MissingNamespace' }],
  ] as const)('says what %s means for the rest of the run', async (kind, expected) => {
    const { applied } = await apply([aCreate()], { script: { POST: [{ kind }] } });
    expect(applied).toMatchObject([{ result: 'failed', ...expected }]);
  });
});

describe('when nothing may be written any more', () => {
  it('J6: every write asks, and what has not started is skipped with the reason', async () => {
    const allowed = ['first', 'second'];
    const { applied, source } = await apply(
      [anUpdate(), anUpdate({ kind: 'Endpoints' }), anUpdate({ kind: 'EndpointSlice' })],
      {
        hindrance: () => (allowed.shift() === undefined ? 'not started: the deadline has passed' : undefined),
      },
    );
    expect(source.asked).toEqual(['PATCH Service shop/web-west', 'PATCH Endpoints shop/web-west']);
    expect(shown(applied)).toEqual([
      'applied Service web-west',
      'applied Endpoints web-west',
      'skipped EndpointSlice web-west: not started: the deadline has passed',
    ]);
  });

  it('K2: a server that answers nobody is not asked for every change', async () => {
    const names = Array.from({ length: 100 }, (_unused, index) => `m${index}-west`);
    const silence = Array.from({ length: 1000 }, () => ({ kind: 'unreachable' }) as const);
    const { applied, source } = await apply(
      names.map((name) => aCreate({ name })),
      { script: { '': silence } },
    );
    expect(applied.filter(({ result }) => result === 'failed')).toHaveLength(8);
    expect(applied.filter(({ result }) => result === 'skipped')).toHaveLength(92);
    expect(applied.find(({ result }) => result === 'skipped')?.message).toBe(
      'not started: the source cluster does not answer (it was unreachable)',
    );
    expect(source.asked).toHaveLength(8 * 6);
  });

  it('K2: one object that is never answered stops nobody else', async () => {
    const silence = Array.from({ length: 20 }, () => ({ kind: 'busy' }) as const);
    const names = Array.from({ length: 100 }, (_unused, index) => `m${index}-west`);
    const { applied } = await apply(
      names.map((name) => aCreate({ name })),
      { script: { 'POST Service shop/m3-west': silence } },
    );
    expect(applied.filter(({ result }) => result === 'applied')).toHaveLength(99);
    expect(applied.filter(({ result }) => result === 'failed').map(({ change }) => change.name)).toEqual([
      'm3-west',
    ]);
  });
});
