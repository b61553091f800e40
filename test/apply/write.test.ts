// One change and what becomes of it: the table of errors, and what is sent.
import { describe, expect, it } from 'vitest';
import type { ClusterErrorKind } from '../../lib/errors.ts';
import type { Change } from '../../lib/model/plan.ts';
import { write, type Written } from '../../lib/apply/write.ts';
import { testClock } from '../support/clock.ts';
import { aCreate, aDelete, anUpdate } from './changes.ts';
import { type Failure, scriptedCluster, type Step } from './scripted-cluster.ts';

const BACKOFF = [250, 500, 1000, 2000, 4000];
const always = (failure: Failure): readonly Step[] => Array.from({ length: 20 }, () => failure);

interface Trial {
  readonly change: Change;
  readonly steps?: readonly Step[];
  readonly ownerUid?: string;
  readonly hindrances?: readonly (string | undefined)[];
}

const trial = async ({ change, steps = [], ownerUid, hindrances = [] }: Trial) => {
  const clock = testClock(0);
  const source = scriptedCluster(clock, { '': steps });
  const left = [...hindrances];
  const context = { source, clock, hindrance: () => Promise.resolve(left.shift()) };
  const written = await write(context, change, { ownerUid, made: () => undefined });
  return { written, tries: source.asked.length, slept: clock.slept, sent: source.sent };
};

const CHANGES = { create: aCreate(), update: anUpdate(), delete: aDelete() } as const;

describe('what an error means', () => {
  const applied: Written = { result: 'applied', made: undefined };
  const conflict = (kind: ClusterErrorKind): Written => ({ result: 'conflict', message: `it was ${kind}` });
  const refused = (
    kind: ClusterErrorKind,
    reason: 'MissingNamespace' | 'InvalidService' | 'Error',
  ): Written => ({
    result: 'refused',
    reason,
    message: `it was ${kind}`,
  });

  it.each<[ClusterErrorKind, keyof typeof CHANGES, Written]>([
    ['conflict', 'create', conflict('conflict')],
    ['conflict', 'update', conflict('conflict')],
    ['conflict', 'delete', conflict('conflict')],
    ['exists', 'create', conflict('exists')],
    ['notFound', 'create', refused('notFound', 'MissingNamespace')],
    ['notFound', 'update', conflict('notFound')],
    ['notFound', 'delete', applied],
    ['gone', 'update', refused('gone', 'Error')],
    ['denied', 'create', refused('denied', 'Error')],
    ['denied', 'update', refused('denied', 'Error')],
    ['denied', 'delete', refused('denied', 'Error')],
    ['invalid', 'create', refused('invalid', 'InvalidService')],
    ['invalid', 'update', refused('invalid', 'InvalidService')],
    ['exhausted', 'create', refused('exhausted', 'Error')],
    ['unsupported', 'create', refused('unsupported', 'Error')],
  ])('%s of a %s: decided at once', async (kind, action, expected) => {
    const { written, tries, slept } = await trial({ change: CHANGES[action], steps: always({ kind }) });
    expect(written).toEqual(expected);
    expect(tries).toBe(1);
    expect(slept).toEqual([]);
  });

  it('I2: a namespace that is being deleted forbids creates', async () => {
    const steps = always({ kind: 'denied', reason: 'NamespaceTerminating' });
    const { written, tries } = await trial({ change: aCreate(), steps });
    expect(written).toEqual({ result: 'refused', reason: 'MissingNamespace', message: 'it was denied' });
    expect(tries).toBe(1);
  });

  it('I1: a namespace that exists already is what was asked for', async () => {
    const change = aCreate({ kind: 'Namespace', name: 'shop' });
    expect((await trial({ change, steps: always({ kind: 'exists' }) })).written).toEqual(applied);
  });

  it('a fault of the program is thrown on', async () => {
    await expect(trial({ change: aCreate(), steps: [new TypeError('a fault')] })).rejects.toThrow('a fault');
  });
});

describe('trying again', () => {
  it.each(['busy', 'unreachable'] as const)('K2: %s: six times, with growing waits', async (kind) => {
    const { written, tries, slept } = await trial({ change: anUpdate(), steps: always({ kind }) });
    expect(written).toEqual({ result: 'unanswered', message: `it was ${kind}` });
    expect(tries).toBe(6);
    expect(slept).toEqual(BACKOFF);
  });

  it('K2: stops with the first success', async () => {
    const steps: readonly Step[] = [{ kind: 'busy' }, { kind: 'unreachable' }];
    const { written, tries, slept } = await trial({ change: anUpdate(), steps });
    expect(written).toEqual({
      result: 'applied',
      made: { uid: 'uid-of-web-west', clusterIPs: [] },
    });
    expect(tries).toBe(3);
    expect(slept).toEqual([250, 500]);
  });

  it('E10: a create whose answer was lost meets itself, which is read again', async () => {
    const steps: readonly Step[] = [{ kind: 'unreachable' }, { kind: 'exists' }];
    expect((await trial({ change: aCreate(), steps })).written).toEqual({
      result: 'conflict',
      message: 'it was exists',
    });
  });

  it('a delete whose answer was lost is done', async () => {
    const steps: readonly Step[] = [{ kind: 'unreachable' }, { kind: 'notFound' }];
    expect((await trial({ change: aDelete(), steps })).written.result).toBe('applied');
  });

  it.each([
    { retryAfterMs: 100, slept: [250], tries: 2, why: 'shorter than our own wait' },
    { retryAfterMs: 3000, slept: [3000], tries: 2, why: 'longer than our own wait' },
    { retryAfterMs: 10_000, slept: [10_000], tries: 2, why: 'the longest that is waited for' },
    { retryAfterMs: 10_001, slept: [], tries: 1, why: 'too long: left for the next run' },
  ])('K2: Retry-After of $retryAfterMs ms, $why', async ({ retryAfterMs, slept, tries }) => {
    const seen = await trial({ change: anUpdate(), steps: [{ kind: 'busy', retryAfterMs }] });
    expect(seen.slept).toEqual(slept);
    expect(seen.tries).toBe(tries);
  });

  it('J6: a repetition is a write too: none starts when the Lease, the deadline or the run has ended', async () => {
    const { written, tries } = await trial({
      change: anUpdate(),
      steps: always({ kind: 'busy' }),
      hindrances: [undefined, 'not started: the deadline of this run has passed'],
    });
    expect(written).toEqual({
      result: 'unanswered',
      message: 'it was busy; again not started: the deadline of this run has passed',
    });
    expect(tries).toBe(2);
  });
});

describe('what is sent', () => {
  const reference = (uid: string) => [{ apiVersion: 'v1', kind: 'Service', name: 'web-west', uid }];

  it('a create as it was planned', async () => {
    expect((await trial({ change: aCreate() })).sent).toEqual([
      { kind: 'Service', metadata: { namespace: 'shop', name: 'web-west', labels: { a: 'b' } } },
    ]);
  });

  it('an update with the version it was decided on', async () => {
    expect((await trial({ change: anUpdate() })).sent).toEqual([
      { metadata: { labels: { a: 'c' }, resourceVersion: '5' } },
    ]);
  });

  it('a delete with what it was decided on', async () => {
    expect((await trial({ change: aDelete() })).sent).toEqual([
      expect.objectContaining({ uid: 'seen', resourceVersion: '5' }),
    ]);
  });

  it.each([
    ['known when it was planned', 'planned', 'later', 'planned'],
    ['known only when its Service was created', undefined, 'later', 'later'],
  ])('the owner of a slice, %s', async (_name, uid, ownerUid, expected) => {
    const ownedBy = { name: 'web-west', uid };
    const created = await trial({ change: aCreate({ kind: 'EndpointSlice', ownedBy }), ownerUid });
    expect(created.sent).toMatchObject([
      { metadata: { labels: { a: 'b' }, ownerReferences: reference(expected) } },
    ]);
    const updated = await trial({ change: anUpdate({ kind: 'EndpointSlice', ownedBy }), ownerUid });
    expect(updated.sent).toEqual([
      { metadata: { labels: { a: 'c' }, ownerReferences: reference(expected), resourceVersion: '5' } },
    ]);
  });
});
