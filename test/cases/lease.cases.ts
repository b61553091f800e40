// The Lease by which everybody who writes the mirrors of a link agrees who does, through the whole reconcile.
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../support/api.ts';
import { endpointsOf, type Lab, openLab, refusalsOf } from '../support/lab.ts';
import { at } from '../support/wire.ts';
import {
  arrangeTarget,
  expectInSync,
  gatewayAt,
  type LabHandle,
  mirrorWeb,
  resultsOf,
  setTier,
  tierOf,
  WEB,
} from './suite.ts';

const NAME = 'service-mirror-write-west';
const FILLED = { ready: ['203.0.113.10'], notReady: [], ports: ['http:4143'] };
const CREATES = ['POST Service shop/web-west', 'POST Endpoints shop/web-west'];
const LINKERD = 'linkerd-service-mirror-west-7d9f';

/** RFC 3339 with six digits, as Kubernetes' MicroTime; s ago by the wall clock, which the API servers go by. */
const ago = (seconds: number): string =>
  new Date(Date.now() - seconds * 1000).toISOString().replace('Z', '000Z');

const aLease = (spec: object): KubeObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'linkerd-multicluster', name: NAME },
  spec,
});

/** Held since 120 s ago and renewed so many seconds ago, for 30 s. */
const heldBy = (holderIdentity: string, renewed: number): object => ({
  holderIdentity,
  leaseDurationSeconds: 30,
  acquireTime: ago(120),
  renewTime: ago(renewed),
  leaseTransitions: 4,
});

const readLease = async (lab: Lab): Promise<KubeObject> => {
  const lease = await lab.source.read('Lease', 'linkerd-multicluster', NAME);
  if (lease === undefined) throw new Error('there is no Lease');
  return lease;
};

const holderOf = async (lab: Lab): Promise<unknown> => (await readLease(lab))['spec'].holderIdentity;

/** Takes the Lease by force, as somebody does who thinks that it is free. */
const takeByForce = (lab: Lab): Promise<KubeObject> =>
  lab.source.patch('Lease', 'linkerd-multicluster', NAME, { spec: heldBy(LINKERD, 0) });

const leaseRequests = ({ sourceFaults }: Lab): readonly string[] =>
  sourceFaults.requests.flatMap((request) => /^(\w+) Lease /.exec(request)?.[1] ?? []);

export const leaseCases = (handle: LabHandle): void => {
  describe('a Lease that somebody else holds', () => {
    it('stops the run: nothing is written, and who holds it is said', async () => {
      const { lab } = handle;
      await lab.source.create('Lease', aLease(heldBy(LINKERD, 2)));
      const before = await readLease(lab);
      const run = await mirrorWeb(lab);
      expect(run.report.refusals).toEqual([
        {
          namespace: 'linkerd-multicluster',
          name: 'west',
          reason: 'HeldBy',
          message: `Lease linkerd-multicluster/${NAME} is held by "${LINKERD}": it writes the mirrors of this link now (Linkerd's own service mirror, another stack, or another run); nothing was written`,
        },
      ]);
      expect(run.writes).toEqual([]);
      expect(resultsOf(run)).toEqual([
        'create Service web-west: skipped',
        'create Endpoints web-west: skipped',
      ]);
      expect(await lab.source.list('Service', 'shop')).toEqual([]);
      expect(await readLease(lab)).toEqual(before);
      const planned = await lab.plan();
      expect(refusalsOf(planned)).toEqual(['HeldBy linkerd-multicluster/west']);
      expect(planned.report.changes).toHaveLength(2);
    });

    it('is taken over when its time is up, and counts the change of hands', async () => {
      const { lab } = handle;
      await lab.source.create('Lease', aLease(heldBy(LINKERD, 45)));
      const run = await mirrorWeb(lab);
      expect(run.report.refusals).toEqual([]);
      expect(run.writes).toEqual(CREATES);
      expect((await readLease(lab))['spec']).toMatchObject({ holderIdentity: '', leaseTransitions: 5 });
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
      await expectInSync(lab);
    });

    it.each([
      ['an hour ahead', 3600],
      ['an hour behind', -3600],
    ])("is judged by the API server's clock, when ours is %s", async (_title, seconds) => {
      const { lab } = handle;
      lab.clock.advance(seconds);
      await lab.source.create('Lease', aLease(heldBy(LINKERD, 2)));
      expect(refusalsOf(await mirrorWeb(lab))).toEqual(['HeldBy linkerd-multicluster/west']);
      expect(await lab.source.list('Service', 'shop')).toEqual([]);
      await lab.source.patch('Lease', 'linkerd-multicluster', NAME, { spec: heldBy(LINKERD, 45) });
      expect((await lab.sync()).writes).toEqual(CREATES);
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
    });

    it('of another link is no matter of ours', async () => {
      const { lab } = handle;
      const lease = aLease(heldBy(LINKERD, 2));
      await lab.source.create('Lease', {
        ...lease,
        metadata: { ...lease.metadata, name: 'service-mirror-write-east' },
      });
      await mirrorWeb(lab);
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
    });
  });

  describe('a Lease that nobody holds', () => {
    it.each([
      ['with an empty holder', { ...heldBy('', 2) }],
      ['without a holder', { leaseDurationSeconds: 30, renewTime: ago(2) }],
      ['that was never renewed', { holderIdentity: LINKERD, leaseDurationSeconds: 30 }],
      ['without anything', {}],
    ])('%s is taken', async (_title, spec) => {
      const { lab } = handle;
      await lab.source.create('Lease', aLease(spec));
      expect((await mirrorWeb(lab)).writes).toEqual(CREATES);
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
      expect(await holderOf(lab)).toBe('');
      await expectInSync(lab);
    });

    it('is made when there is none, held while writing, and given up with an empty holder, never null', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, WEB, gatewayAt('203.0.113.10'));
      let during: unknown;
      lab.sourceFaults.add({
        on: 'POST Service',
        hook: async () => {
          during = (await readLease(lab))['spec'];
        },
      });
      await lab.sync();
      expect(during).toMatchObject({
        holderIdentity: expect.stringMatching(/^run-/),
        leaseDurationSeconds: 60,
        leaseTransitions: 0,
      });
      expect(leaseRequests(lab)).toEqual(['GET', 'POST', 'PATCH']);
      expect((await readLease(lab))['spec']).toHaveProperty('holderIdentity', '');
    });

    it('remembers which cluster the link was made for, beside what others wrote on it', async () => {
      const { lab } = handle;
      const lease = aLease({});
      await lab.source.create('Lease', {
        ...lease,
        metadata: { ...lease.metadata, annotations: { note: 'x' } },
      });
      await mirrorWeb(lab);
      const uid = (await lab.target.read('Namespace', '', 'kube-system'))?.metadata.uid;
      expect((await readLease(lab)).metadata.annotations).toEqual({
        note: 'x',
        'eks-service-mirror/target-cluster-uid': uid,
      });
    });

    it('is given up after writes that failed, too', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, WEB, gatewayAt('203.0.113.10'));
      lab.sourceFaults.add({ on: 'POST Service', fail: { kind: 'denied', when: 'before' } });
      expect(resultsOf(await lab.sync())).toEqual([
        'create Service web-west: failed',
        'create Endpoints web-west: skipped',
      ]);
      expect(await holderOf(lab)).toBe('');
    });

    it('is not asked for when there is nothing to write', async () => {
      const { lab } = handle;
      await mirrorWeb(lab);
      const before = await readLease(lab);
      lab.sourceFaults.requests.splice(0);
      await expectInSync(lab);
      expect(leaseRequests(lab)).toEqual(['GET']);
      expect(await readLease(lab)).toEqual(before);
    });

    it('is made when it was deleted between our look and our write', async () => {
      const { lab } = handle;
      await lab.source.create('Lease', aLease({}));
      lab.sourceFaults.add({
        on: 'PATCH Lease',
        times: 1,
        hook: () => lab.source.remove('Lease', 'linkerd-multicluster', NAME),
      });
      const run = await mirrorWeb(lab);
      expect(run.report.notes).toEqual([]);
      expect(run.writes).toEqual(CREATES);
      expect(leaseRequests(lab)).toEqual(['GET', 'PATCH', 'GET', 'POST', 'PATCH']);
      expect(await holderOf(lab)).toBe('');
    });

    it('and that somebody else takes between our look and our write stops the run', async () => {
      const { lab } = handle;
      await lab.source.create('Lease', aLease({}));
      lab.sourceFaults.add({ on: 'PATCH Lease', times: 1, hook: () => takeByForce(lab) });
      const run = await mirrorWeb(lab);
      expect(refusalsOf(run)).toEqual(['HeldBy linkerd-multicluster/west']);
      expect(run.writes).toEqual([]);
      expect(await holderOf(lab)).toBe(LINKERD);
      expect(await lab.source.list('Service', 'shop')).toEqual([]);
    });

    it('is held although the answer to our taking it was lost', async () => {
      const { lab } = handle;
      const wire = await lab.wire('source');
      wire.add({ on: at('POST', '/leases'), times: 1, action: 'lost' });
      const run = await mirrorWeb(lab);
      expect(run.report.refusals).toEqual([]);
      expect(run.writes).toEqual(CREATES);
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
      expect(await holderOf(lab)).toBe('');
    });
  });

  describe('without a place for a Lease', () => {
    it('writes go on with their preconditions alone, and a note says so', async () => {
      const { lab } = handle;
      lab.setLink({ namespace: 'nowhere' });
      const run = await mirrorWeb(lab);
      expect(run.report.refusals).toEqual([]);
      expect(run.report.notes).toEqual([
        'no Lease: namespaces "nowhere" not found; only preconditions keep other writers apart',
      ]);
      expect(run.writes).toEqual(CREATES);
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
      expect((await lab.source.list('Namespace')).map(({ metadata }) => metadata.name)).not.toContain(
        'nowhere',
      );
      await expectInSync(lab);
    });
  });

  describe('in the middle of a run', () => {
    /** The first write takes so long that half of the Lease has passed, by the API server's clock. */
    const beSlow = (lab: Lab, meanwhile?: () => Promise<unknown>): void => {
      lab.sourceFaults.add({
        on: 'POST Service',
        times: 1,
        afterwards: async () => {
          await meanwhile?.();
          lab.clock.advance(35);
        },
      });
    };

    it('the Lease is renewed when half of it has passed', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, WEB, gatewayAt('203.0.113.10'));
      beSlow(lab);
      const run = await lab.sync();
      expect(run.writes).toEqual(CREATES);
      expect(leaseRequests(lab)).toEqual(['GET', 'POST', 'PATCH', 'PATCH']);
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
      expect(await holderOf(lab)).toBe('');
    });

    it('a Lease lost to somebody else stops all further writes, and stays theirs', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, WEB, gatewayAt('203.0.113.10'));
      beSlow(lab, () => takeByForce(lab));
      const run = await lab.sync();
      expect(run.writes).toEqual(['POST Service shop/web-west']);
      expect(resultsOf(run)).toEqual([
        'create Service web-west: applied',
        'create Endpoints web-west: skipped',
      ]);
      expect(run.report.outcomes?.[1]?.message).toBe(
        `not started: the Lease linkerd-multicluster/${NAME} was taken by "${LINKERD}"`,
      );
      expect(await holderOf(lab)).toBe(LINKERD);
      expect(await endpointsOf(lab.source)).toBeUndefined();
      expect(refusalsOf(await lab.sync())).toEqual(['HeldBy linkerd-multicluster/west']);
      await lab.source.patch('Lease', 'linkerd-multicluster', NAME, { spec: { holderIdentity: '' } });
      expect((await lab.sync()).writes).toEqual(['POST Endpoints shop/web-west']);
    });

    it('a renewal whose answer was lost is ours, and is given up in the end', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, WEB, gatewayAt('203.0.113.10'));
      const wire = await lab.wire('source');
      wire.add({ on: at('PATCH', `/leases/${NAME}`), times: 1, action: 'lost' });
      beSlow(lab);
      const run = await lab.sync();
      expect(run.writes).toEqual(CREATES);
      expect(await holderOf(lab)).toBe('');
      expect(await endpointsOf(lab.source)).toEqual(FILLED);
    });

    it('a note that somebody puts on the Lease does not end it', async () => {
      const { lab } = handle;
      await arrangeTarget(lab, WEB, gatewayAt('203.0.113.10'));
      beSlow(lab, () =>
        lab.source.patch('Lease', 'linkerd-multicluster', NAME, { metadata: { annotations: { note: 'x' } } }),
      );
      const run = await lab.sync();
      expect(run.writes).toEqual(CREATES);
      expect((await readLease(lab)).metadata.annotations?.['note']).toBe('x');
      expect(await holderOf(lab)).toBe('');
    });

    it('no write is repeated when too little of the Lease is left', async () => {
      const { lab } = handle;
      await mirrorWeb(lab);
      await setTier(lab, 'a');
      lab.sourceFaults.add({
        on: 'PATCH Service',
        times: 1,
        fail: { kind: 'busy', when: 'before' },
        hook: async () => {
          await takeByForce(lab);
          lab.clock.advance(50);
        },
      });
      const run = await lab.sync();
      expect(run.writes).toEqual(['PATCH Service shop/web-west']);
      expect(new Set(run.report.outcomes?.map(({ result }) => result))).toEqual(
        new Set(['failed', 'skipped']),
      );
      expect(await tierOf(lab)).toBeUndefined();
      expect(await holderOf(lab)).toBe(LINKERD);
    });
  });

  it('requests for the Lease count apart from the writes', async () => {
    const { lab } = handle;
    const run = await mirrorWeb(lab);
    const { reads, writes, leases } = run.report.requests.source;
    expect({ writes, leases }).toEqual({ writes: 2, leases: 3 });
    expect(reads).toBe(
      lab.sourceFaults.requests.filter((request) => /^(GET|LIST) (?!Lease)/.test(request)).length,
    );
    const again = await lab.sync();
    expect(again.report.requests.source).toMatchObject({ writes: 0, leases: 1 });
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
  });

  it('of two runs at the same time no write is made twice, and the end is the same', async () => {
    const { lab } = handle;
    await arrangeTarget(lab, WEB, gatewayAt('203.0.113.10'));
    const other = openLab(lab.servers);
    const runs = await Promise.all([lab.sync(), other.sync()]);
    const applied = runs.flatMap(resultsOf).filter((result) => result.endsWith('applied'));
    expect(new Set(applied)).toEqual(
      new Set(['create Service web-west: applied', 'create Endpoints web-west: applied']),
    );
    expect(await lab.source.list('Service', 'shop')).toHaveLength(1);
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
    expect(await holderOf(lab)).toBe('');
    await expectInSync(lab);
    await other.close();
  });

  it('a paused link writes nothing, and says what it would', async () => {
    const { lab } = handle;
    lab.setLink({ paused: true });
    const run = await mirrorWeb(lab);
    expect(refusalsOf(run)).toEqual(['Paused linkerd-multicluster/west']);
    expect(run.writes).toEqual([]);
    expect(run.report.changes).toHaveLength(2);
    expect(await lab.source.list('Service', 'shop')).toEqual([]);
    lab.setLink({ paused: false });
    expect((await lab.sync()).writes).toEqual(CREATES);
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
  });
};
