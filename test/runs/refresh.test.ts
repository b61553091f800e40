// Timers of the refresh queue: asked once per TTL, and the mirrors follow only when something changed.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refresh } from '../../lib/runs/refresh.ts';
import { workOn } from '../../lib/runs/work.ts';
import { aService, aSlice, GATEWAY_HOST } from '../support/builders.ts';
import { SERVFAIL } from '../support/dns.ts';
import { endpointsOf } from '../support/lab.ts';
import { openRunLab, type RunLab } from '../support/run-lab.ts';

let lab: RunLab;
beforeEach(async () => {
  lab = await openRunLab();
  lab.dns.set(GATEWAY_HOST, ['203.0.113.10']);
  await lab.target.create('Service', aService());
  await lab.target.create('EndpointSlice', aSlice());
  await lab.store({});
  await workOn(lab.world, { link: 'west', hop: 0 }, lab.clock.now() + 60_000);
});
afterEach(() => lab.close());

const firstTimer = () => {
  const body = lab.timers.sent[0]?.body;
  if (body === undefined) throw new Error('no timer was set');
  return body;
};
const clusterRequests = (): number =>
  lab.servers.source.requests.all.length + lab.servers.target.requests.all.length;

describe('one timer', () => {
  it('asks when the TTL has ended, sets the next one, and touches no cluster when the answer is the same', async () => {
    lab.clock.advance(62);
    const before = clusterRequests();
    expect(await refresh(lab.world, firstTimer())).toEqual({
      kind: 'asked',
      changed: false,
      answer: 'addresses',
    });
    expect(clusterRequests()).toBe(before);
    expect(lab.work.sent).toEqual([]);
    expect(lab.timers.sent).toHaveLength(2);
  });

  it('A3: sends the link to work when the answer changed, and the mirrors follow', async () => {
    lab.clock.advance(62);
    lab.dns.set(GATEWAY_HOST, ['203.0.113.10', '203.0.113.77']);
    expect(await refresh(lab.world, firstTimer())).toMatchObject({ kind: 'asked', changed: true });
    const asked = lab.dns.asked.length;
    await lab.work.deliver(async (message) => {
      await workOn(lab.world, message, lab.clock.now() + 60_000);
    });
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.10', '203.0.113.77']);
    expect(lab.dns.asked).toHaveLength(asked);
  });

  it('that comes twice, or early, does nothing', async () => {
    expect(await refresh(lab.world, firstTimer())).toEqual({ kind: 'idle', why: 'it was asked meanwhile' });
    lab.clock.advance(62);
    await refresh(lab.world, firstTimer());
    expect(await refresh(lab.world, firstTimer())).toEqual({ kind: 'idle', why: 'it was asked meanwhile' });
    expect(lab.timers.sent).toHaveLength(2);
  });

  it('that goes off twice at the same moment sets one next timer', async () => {
    lab.clock.advance(62);
    const results = await Promise.all([refresh(lab.world, firstTimer()), refresh(lab.world, firstTimer())]);
    expect(results.map(({ kind }) => kind).sort()).toEqual(['asked', 'idle']);
    expect(lab.timers.sent).toHaveLength(2);
  });

  it('A8: a resolver that fails changes nothing, and is asked again sooner', async () => {
    lab.clock.advance(62);
    lab.dns.set(GATEWAY_HOST, SERVFAIL);
    expect(await refresh(lab.world, firstTimer())).toEqual({
      kind: 'asked',
      changed: false,
      answer: 'unknown',
    });
    expect(lab.timers.sent[1]?.delaySeconds).toBeLessThanOrEqual(18);
    await workOn(lab.world, { link: 'west', hop: 0 }, lab.clock.now() + 60_000);
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.10']);
  });

  it('of a link that is gone, or of a name that is gone, ends', async () => {
    lab.clock.advance(62);
    expect(await refresh(lab.world, { ...firstTimer(), hostname: 'other.example.test' })).toMatchObject({
      kind: 'idle',
    });
    await lab.world.links.end('west');
    expect(await refresh(lab.world, firstTimer())).toMatchObject({ kind: 'idle' });
    expect(lab.timers.sent).toHaveLength(1);
  });
});
