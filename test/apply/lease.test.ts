// The Lease that keeps writers of a link apart, on an embedded API server whose clock the test moves.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedApiServer, startApiServer } from '../../sandbox/apiserver/server.ts';
import { acquireLease, foreignHolder, type LeaseGuard, type LeaseTerms } from '../../lib/apply/lease.ts';
import { bearer } from '../../lib/kube/connection.ts';
import { kubeCluster } from '../../lib/kube/cluster.ts';
import type { Lease } from '../../lib/model/objects.ts';
import { aNamespace } from '../support/builders.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import { type Faults, faultsOf } from '../support/faults.ts';
import { lease } from '../support/model-builders.ts';
import { markReadBack } from '../support/read-back.ts';

const START = Date.UTC(2026, 0, 1);
const NAMESPACE = 'linkerd-multicluster';
const NAME = 'service-mirror-write-west';

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
  let server: EmbeddedApiServer;
  let clock: TestClock;
  let faults: Faults;
  let terms: LeaseTerms;
  let close: () => Promise<void>;

  beforeEach(async () => {
    clock = testClock(START);
    server = await startApiServer({ clock });
    server.store.put('namespaces', aNamespace(NAMESPACE));
    const cluster = kubeCluster(
      { name: 'source', server: server.url, credentials: bearer(() => Promise.resolve('any')) },
      { clock },
    );
    faults = faultsOf();
    terms = {
      source: faults.wrap(cluster, 'source'),
      clock,
      link: 'west',
      namespace: NAMESPACE,
      holder: 'run-1',
      targetUid: 'uid-of-target',
    };
    close = async () => {
      await cluster.close();
      await server.close();
    };
  });
  afterEach(() => close());

  /** The Lease as the server holds it. */
  const stored = (): { annotations: Readonly<Record<string, string>>; spec: unknown } => {
    markReadBack();
    const object = server.store.get('leases', NAMESPACE, NAME);
    return { annotations: object?.metadata.annotations ?? {}, spec: Object(object)['spec'] };
  };
  const put = (spec: object): void => {
    const { resourceVersion } = { ...server.store.get('leases', NAMESPACE, NAME)?.metadata };
    server.store.put('leases', {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: NAMESPACE, name: NAME, resourceVersion },
      spec,
    });
  };
  const seen = () => terms.source.get('Lease', NAMESPACE, NAME);
  const hold = async (): Promise<LeaseGuard> => {
    const acquired = await acquireLease(terms, await seen());
    if (acquired.kind !== 'held') throw new Error(`not held: ${acquired.kind}`);
    return acquired.guard;
  };
  const LINKERDS = { holderIdentity: 'controller-west-0', leaseDurationSeconds: 30, leaseTransitions: 4 };

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
    const cluster = kubeCluster(
      { name: 'source', server: server.url, credentials: bearer(() => Promise.resolve('any')) },
      { clock: late },
    );
    const present = await cluster.get('Lease', NAMESPACE, NAME);
    expect((await acquireLease({ ...terms, source: cluster, clock: late }, present)).kind).toBe('foreign');
    await cluster.close();
  });
});
