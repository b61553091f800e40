// The Lease that keeps writers of a link apart, on an embedded API server whose clock the test moves.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLease, foreignHolder, type LeaseGuard, type LeaseTerms } from '../../lib/apply/lease.ts';
import type { Lease } from '../../lib/model/objects.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import type { Faults } from '../support/faults.ts';
import { lease } from '../support/model-builders.ts';
import { type LeaseGround, leaseGround, LINKERDS, NAME, NAMESPACE, START } from './lease-ground.ts';

describe('foreignHolder', () => {
  const now = START;
  it.each<[string, Lease | undefined, string | undefined]>([
    ['no Lease', undefined, undefined],
    ['a Lease that was given up', lease({ holder: '', renewedAt: now }), undefined],
    ['a live one', lease({ holder: 'pod-1', renewedAt: now - 29_999, durationSeconds: 30 }), 'pod-1'],
    [
      'one that ends now',
      lease({ holder: 'pod-1', renewedAt: now - 30_000, durationSeconds: 30 }),
      undefined,
    ],
    ['one that was never renewed', lease({ holder: 'pod-1', renewedAt: 0, durationSeconds: 30 }), undefined],
    ['one from the future, by a wrong clock', lease({ holder: 'pod-1', renewedAt: now + 5000 }), 'pod-1'],
  ])('%s', (_name, seen, expected) => {
    expect(foreignHolder(seen, now)).toBe(expected);
  });
});

describe('on an API server', () => {
  let ground: LeaseGround;
  let clock: TestClock;
  let faults: Faults;
  let terms: LeaseTerms;

  beforeEach(async () => {
    ground = await leaseGround();
    ({ clock, faults } = ground);
    terms = {
      source: ground.source,
      clock,
      link: 'west',
      namespace: NAMESPACE,
      holder: 'run-1',
      targetUid: 'uid-of-target',
    };
  });
  afterEach(() => ground.close());

  const stored: LeaseGround['stored'] = () => ground.stored();
  const put: LeaseGround['put'] = (spec) => ground.put(spec);
  const seen: LeaseGround['seen'] = () => ground.seen();
  const hold = async (): Promise<LeaseGuard> => {
    const acquired = await acquireLease(terms, await seen());
    if (acquired.kind !== 'held') throw new Error(`not held: ${acquired.kind}`);
    return acquired.guard;
  };

  it('makes the Lease where there is none, and remembers the target cluster on it', async () => {
    await hold();
    expect(stored()).toEqual({
      annotations: { 'eks-service-mirror/target-cluster-uid': 'uid-of-target' },
      spec: {
        holderIdentity: 'run-1',
        leaseDurationSeconds: 60,
        acquireTime: '2026-01-01T00:00:00.000000Z',
        renewTime: '2026-01-01T00:00:00.000000Z',
        leaseTransitions: 0,
      },
    });
  });

  it('takes one that was given up, and counts the transition', async () => {
    put({ ...LINKERDS, holderIdentity: '', renewTime: '2026-01-01T00:00:00.000000Z' });
    clock.advance(5);
    await hold();
    expect(stored().spec).toEqual({
      holderIdentity: 'run-1',
      leaseDurationSeconds: 60,
      acquireTime: '2026-01-01T00:00:05.000000Z',
      renewTime: '2026-01-01T00:00:05.000000Z',
      leaseTransitions: 5,
    });
  });

  it('takes one whose holder died, after its time', async () => {
    put({ ...LINKERDS, renewTime: '2026-01-01T00:00:00.000000Z' });
    expect((await acquireLease(terms, await seen())).kind).toBe('foreign');
    clock.advance(30);
    expect((await acquireLease(terms, await seen())).kind).toBe('held');
  });

  it('leaves a live one alone, without asking for it', async () => {
    put({ ...LINKERDS, renewTime: '2026-01-01T00:00:00.000000Z' });
    const present = await seen();
    const before = faults.requests.length;
    expect(await acquireLease(terms, present)).toEqual({
      kind: 'foreign',
      message: `Lease ${NAMESPACE}/${NAME} is held by "controller-west-0": it writes the mirrors of this link now (Linkerd's own service mirror, another stack, or another run); nothing was written`,
    });
    expect(faults.requests).toHaveLength(before);
    expect(stored().spec).toMatchObject({ holderIdentity: 'controller-west-0' });
  });

  it('two runs at once: one of them gets it', async () => {
    const other = { ...terms, holder: 'run-2' };
    const both = await Promise.all([acquireLease(terms, undefined), acquireLease(other, undefined)]);
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(['foreign', 'held']);
  });

  it('somebody who took it in between is seen when it is read again', async () => {
    put({ ...LINKERDS, holderIdentity: '' });
    const stale = await seen();
    put({ ...LINKERDS, renewTime: '2026-01-01T00:00:00.000000Z' });
    expect((await acquireLease(terms, stale)).kind).toBe('foreign');
    expect(stored().spec).toMatchObject({ holderIdentity: 'controller-west-0' });
  });

  it('somebody who only touched it in between is no obstacle', async () => {
    put({ ...LINKERDS, holderIdentity: '' });
    const stale = await seen();
    put({ ...LINKERDS, holderIdentity: '', leaseTransitions: 9 });
    expect((await acquireLease(terms, stale)).kind).toBe('held');
    expect(stored().spec).toMatchObject({ holderIdentity: 'run-1', leaseTransitions: 10 });
  });

  it('whoever moves it twice is faster: the run ends with the error', async () => {
    put({ ...LINKERDS, holderIdentity: '' });
    faults.add({ on: 'PATCH Lease', fail: { kind: 'conflict', when: 'before' } });
    await expect(acquireLease(terms, await seen())).rejects.toThrow('injected conflict');
  });

  it('where its namespace is missing only preconditions keep writers apart, and that is said', async () => {
    const missing = await acquireLease({ ...terms, namespace: 'nowhere' }, undefined);
    expect(missing).toEqual({ kind: 'without', message: expect.stringContaining('no Lease: ') });
  });

  it('a server that forbids it ends the run', async () => {
    faults.add({ on: 'POST Lease', fail: { kind: 'denied', when: 'before' } });
    await expect(acquireLease(terms, undefined)).rejects.toThrow('injected denied');
  });

  it('is renewed before a write once half of it has passed, and not before', async () => {
    const guard = await hold();
    clock.advance(30);
    expect(await guard.hindrance()).toBeUndefined();
    expect(stored().spec).toMatchObject({ renewTime: '2026-01-01T00:00:00.000000Z' });
    clock.advance(1);
    expect(await guard.hindrance()).toBeUndefined();
    expect(stored().spec).toMatchObject({ renewTime: '2026-01-01T00:00:31.000000Z' });
  });

  it('eight writers that ask at once renew it once', async () => {
    const guard = await hold();
    clock.advance(31);
    const before = faults.requests.length;
    const asked = await Promise.all(Array.from({ length: 8 }, () => guard.hindrance()));
    expect(asked).toEqual(Array.from({ length: 8 }));
    expect(faults.requests.slice(before)).toEqual([`PATCH Lease ${NAMESPACE}/${NAME}`]);
  });

  it('J6: while it cannot be renewed writes go on until one request might outlive it, then none starts', async () => {
    const guard = await hold();
    faults.add({ on: 'PATCH Lease', fail: { kind: 'busy', when: 'before' } });
    clock.advance(45);
    expect(await guard.hindrance()).toBeUndefined();
    clock.advance(1);
    expect(await guard.hindrance()).toBe(`not started: the Lease ${NAMESPACE}/${NAME} could not be renewed`);
    faults.clear();
    expect(await guard.hindrance()).toBeUndefined();
    expect(stored().spec).toMatchObject({ renewTime: '2026-01-01T00:00:46.000000Z' });
  });

  it('J6: once somebody else has it, no write starts any more, however often it is asked', async () => {
    const guard = await hold();
    clock.advance(61);
    put({ ...LINKERDS, renewTime: '2026-01-01T00:01:01.000000Z' });
    const lost = `not started: the Lease ${NAMESPACE}/${NAME} was taken by "controller-west-0"`;
    expect(await guard.hindrance()).toBe(lost);
    expect(await guard.hindrance()).toBe(lost);
    expect(stored().spec).toMatchObject({ holderIdentity: 'controller-west-0' });
  });

  it('is given up with an empty holder, and the next run takes it at once', async () => {
    const guard = await hold();
    await guard.release();
    expect(stored().spec).toMatchObject({ holderIdentity: '', leaseTransitions: 0 });
    expect((await acquireLease({ ...terms, holder: 'run-2' }, await seen())).kind).toBe('held');
  });

  it('giving up what somebody else has by now changes nothing, and is no error', async () => {
    const guard = await hold();
    put({ ...LINKERDS, renewTime: '2026-01-01T00:00:00.000000Z' });
    await guard.release();
    expect(stored().spec).toMatchObject({ holderIdentity: 'controller-west-0' });
  });

  it('the clock that counts is that of the API server', async () => {
    put({ ...LINKERDS, renewTime: '2026-01-01T00:00:00.000000Z' });
    const late = testClock(START + 3_600_000);
    const source = ground.connect(late);
    const present = await source.get('Lease', NAMESPACE, NAME);
    expect((await acquireLease({ ...terms, source, clock: late }, present)).kind).toBe('foreign');
  });

  it.each([
    ['made', undefined, 'POST Lease'],
    ['taken', { ...LINKERDS, holderIdentity: '' }, 'PATCH Lease'],
  ] as const)('K2: is held although the answer was lost when it was %s', async (_name, before, on) => {
    if (before !== undefined) put(before);
    faults.add({ on, times: 1, fail: { kind: 'unreachable', when: 'lost' } });
    const guard = await hold();
    expect(stored().spec).toMatchObject({ holderIdentity: 'run-1' });
    await guard.release();
    expect(stored().spec).toMatchObject({ holderIdentity: '' });
  });

  it('K2: a renewal whose answer was lost does not end it', async () => {
    const guard = await hold();
    faults.add({ on: 'PATCH Lease', times: 1, fail: { kind: 'unreachable', when: 'lost' } });
    clock.advance(31);
    expect(await guard.hindrance()).toBeUndefined();
    clock.advance(25);
    expect(await guard.hindrance()).toBeUndefined();
    expect(stored().spec).toMatchObject({ renewTime: '2026-01-01T00:00:56.000000Z' });
    await guard.release();
    expect(stored().spec).toMatchObject({ holderIdentity: '' });
  });

  it('J6: somebody removed it: no write starts, and none is made in its place', async () => {
    const guard = await hold();
    ground.remove();
    clock.advance(31);
    expect(await guard.hindrance()).toBe(`not started: the Lease ${NAMESPACE}/${NAME} was taken away`);
    await guard.release();
    expect(stored().spec).toBeUndefined();
  });
});
