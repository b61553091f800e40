// A plan is written only while nobody else may write: pause, the deployment's lock, the Lease, deadline and stop.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Replanner } from '../../lib/apply/replanner.ts';
import { applyGuarded, standstill, type WriteTerms } from '../../lib/apply/guarded.ts';
import type { Change, Plan } from '../../lib/model/plan.ts';
import type { Claim } from '../../lib/ports.ts';
import { writesIn } from '../support/faults.ts';
import { linkOf } from '../support/lab.ts';
import { sourceOf } from '../support/model-builders.ts';
import { type LeaseGround, leaseGround, LINKERDS, NAME, NAMESPACE, START } from './lease-ground.ts';

const LIVE = { ...LINKERDS, renewTime: '2026-01-01T00:00:00.000000Z' };
const LINK = { namespace: NAMESPACE, name: 'west' };

const createOf = (name: string): Change => ({
  action: 'create',
  kind: 'Service',
  namespace: 'shop',
  name,
  mirror: { namespace: 'shop', name },
  needsEarlier: false,
  reasons: [],
  body: {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'shop', name },
    spec: { ports: [{ port: 80 }] },
  },
});

const planOf = (changes: readonly Change[]): Plan => ({ changes, refusals: [], unobserved: [], notes: [] });

const NO_REPLAN: Replanner = {
  readAgain: () => Promise.reject(new Error('nothing is read again here')),
  decideAgain: () => Promise.reject(new Error('nothing is decided again here')),
};

let ground: LeaseGround;
beforeEach(async () => {
  ground = await leaseGround();
});
afterEach(() => ground.close());

const termsOf = (given: Partial<WriteTerms> = {}): WriteTerms => ({
  link: linkOf(),
  source: ground.source,
  clock: ground.clock,
  runId: 'run-1',
  targetUid: 'uid-of-target',
  ...given,
});

const apply = async (
  given: Partial<WriteTerms> = {},
  changes: readonly Change[] = [createOf('web-west')],
  replanner: Replanner = NO_REPLAN,
) => {
  const seen = { source: sourceOf(), lease: await ground.seen() };
  const from = ground.faults.requests.length;
  const written = await applyGuarded(termsOf(given), planOf(changes), seen, replanner);
  const requests = ground.faults.requests.slice(from);
  return {
    ...written,
    results: written.outcomes.map(({ result, message }) =>
      message === undefined ? result : `${result}: ${message}`,
    ),
    writes: writesIn(requests),
    leases: requests.filter((request) => request.includes('Lease')),
  };
};

/** A lock that notes what becomes of it. */
const lockOf = (granted: boolean) => {
  const noted: string[] = [];
  const claim: Claim = {
    fence: 1,
    release: () => {
      noted.push('released');
      return Promise.resolve();
    },
  };
  const lock = () => {
    noted.push(granted ? 'granted' : 'refused');
    return Promise.resolve(granted ? claim : undefined);
  };
  return { lock, noted };
};

describe('applyGuarded', () => {
  it('writes under the Lease and gives it up', async () => {
    const done = await apply();
    expect(done.results).toEqual(['applied']);
    expect(done.leases).toEqual([`POST Lease ${NAMESPACE}/${NAME}`, `PATCH Lease ${NAMESPACE}/${NAME}`]);
    expect(done.refusals).toEqual([]);
    expect(done.notes).toEqual([]);
    expect(ground.stored().spec).toMatchObject({ holderIdentity: '' });
  });

  it('K1: a plan without changes asks for no lock', async () => {
    const { lock, noted } = lockOf(true);
    expect(await apply({ lock }, [])).toMatchObject({ outcomes: [], refusals: [], writes: [], leases: [] });
    expect(noted).toEqual([]);
  });

  it('a paused link writes nothing, and every change says so', async () => {
    const done = await apply({ link: linkOf({ paused: true }) });
    expect(done.results).toEqual(['skipped: link west: paused is true']);
    expect(done.refusals).toEqual([{ ...LINK, reason: 'Paused', message: 'link west: paused is true' }]);
    expect([...done.writes, ...done.leases]).toEqual([]);
  });

  it('a live holder is left alone', async () => {
    ground.put(LIVE);
    const done = await apply();
    expect(done.results).toEqual([expect.stringContaining('skipped: Lease ')]);
    expect(done.refusals).toMatchObject([{ ...LINK, reason: 'HeldBy' }]);
    expect([...done.writes, ...done.leases]).toEqual([]);
  });

  it('where the namespace of the Lease is missing preconditions alone have to do, and a note says so', async () => {
    const done = await apply({ link: linkOf({ namespace: 'nowhere' }) });
    expect(done.results).toEqual(['applied']);
    expect(done.notes).toEqual([
      expect.stringMatching(/^no Lease: .*; only preconditions keep other writers apart$/),
    ]);
  });

  it('a server that does not give the Lease gets no write', async () => {
    ground.faults.add({ on: 'POST Lease', fail: { kind: 'denied', when: 'before' } });
    const done = await apply();
    const message = `no Lease: source: POST Lease ${NAMESPACE}/${NAME}: injected denied; nothing was written`;
    expect(done.results).toEqual([`skipped: ${message}`]);
    expect(done.refusals).toEqual([{ ...LINK, reason: 'Error', message }]);
    expect(done.writes).toEqual([]);
  });

  it("the deployment's lock comes first and goes last", async () => {
    const { lock, noted } = lockOf(true);
    expect((await apply({ lock })).results).toEqual(['applied']);
    expect(noted).toEqual(['granted', 'released']);
  });

  it("without the deployment's lock the Lease is not even asked for", async () => {
    const { lock } = lockOf(false);
    const done = await apply({ lock });
    expect(done.refusals).toMatchObject([{ ...LINK, reason: 'HeldBy' }]);
    expect(done.results).toEqual([expect.stringContaining('skipped: link west: another function')]);
    expect([...done.writes, ...done.leases]).toEqual([]);
  });

  it("the deployment's lock is given up when the Lease is not to be had", async () => {
    const { lock, noted } = lockOf(true);
    ground.faults.add({ on: 'POST Lease', fail: { kind: 'denied', when: 'before' } });
    await apply({ lock });
    expect(noted).toEqual(['granted', 'released']);
  });

  it('K3: a plan that was overtaken is decided again under the lock, mirror by mirror', async () => {
    const { lock, noted } = lockOf(true);
    const isOvertaken = () => {
      noted.push('asked');
      return Promise.resolve(true);
    };
    const decideAgain: Replanner['decideAgain'] = () =>
      Promise.resolve((_snapshot, mirror) => ({
        changes: mirror.name === 'web-west' ? [] : [createOf(`${mirror.name}-anew`)],
        refusals: [],
      }));
    const changes = [createOf('web-west'), createOf('api-west')];
    const done = await apply({ lock, isOvertaken }, changes, { ...NO_REPLAN, decideAgain });
    expect(done.writes).toEqual(['POST Service shop/api-west-anew']);
    expect(done.results).toEqual(['applied']);
    expect(noted).toEqual(['granted', 'asked', 'released']);
  });

  it('K3: nothing is written by a plan that was overtaken and cannot be decided again', async () => {
    const isOvertaken = () => Promise.resolve(true);
    const decideAgain = () => Promise.resolve(undefined);
    const done = await apply({ isOvertaken }, undefined, { ...NO_REPLAN, decideAgain });
    expect(done.results).toEqual([expect.stringContaining('skipped: another run found out more meanwhile')]);
    expect([...done.writes, ...done.leases]).toEqual([]);
    expect((await apply({ isOvertaken: () => Promise.resolve(false) })).results).toEqual(['applied']);
  });

  it('no write starts after the deadline; the Lease is given up all the same', async () => {
    const second: Change = { ...createOf('second-west'), mirror: createOf('web-west').mirror };
    const onWritten = (): void => ground.clock.advance(2);
    const done = await apply({ deadline: START + 1000, onWritten }, [createOf('web-west'), second]);
    expect(done.results).toEqual(['applied', 'skipped: not started: the deadline of this run has passed']);
    expect(done.writes).toEqual(['POST Service shop/web-west']);
    expect(ground.stored().spec).toMatchObject({ holderIdentity: '' });
  });

  it('no write starts after the run was stopped', async () => {
    const done = await apply({ signal: AbortSignal.abort() });
    expect(done.results).toEqual(['skipped: not started: the run was stopped']);
    expect(done.writes).toEqual([]);
  });

  it('every change that came to an end is told, as it happens', async () => {
    let told = 0;
    await apply(
      {
        onWritten: () => {
          told += 1;
        },
      },
      [createOf('a-west'), createOf('b-west')],
    );
    expect(told).toBe(2);
  });
});

describe('standstill', () => {
  it.each<[string, Partial<typeof LIVE> | undefined, boolean, string | undefined]>([
    ['nobody holds the Lease', undefined, false, undefined],
    ['a dead holder', { ...LIVE, renewTime: '2025-12-31T23:59:00.000000Z' }, false, undefined],
    ['a live holder', LIVE, false, 'HeldBy'],
    ['a paused link, whoever holds the Lease', LIVE, true, 'Paused'],
  ])('%s', async (_name, spec, paused, expected) => {
    if (spec !== undefined) ground.put(spec);
    const stop = standstill(termsOf({ link: linkOf({ paused }) }), await ground.seen());
    expect(stop?.reason).toBe(expected);
  });
});
