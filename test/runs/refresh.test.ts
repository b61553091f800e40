// Timers of the refresh queue: asked once per TTL, and the mirrors follow only when something changed.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refresh } from '../../lib/runs/refresh.ts';
import { tick } from '../../lib/runs/tick.ts';
import { workOn } from '../../lib/runs/work.ts';
import { aService, aSlice, GATEWAY_HOST } from '../support/builders.ts';
import { SERVFAIL } from '../support/dns.ts';
import { endpointsOf, linkOf } from '../support/lab.ts';
import { memoryProber } from '../probe/memory-prober.ts';
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
const goOff = (message = firstTimer()) => refresh(lab.world, message, lab.clock.now() + 60_000);
const clusterRequests = (): number =>
  lab.servers.source.requests.all.length + lab.servers.target.requests.all.length;
const storedAnswers = async () => (await lab.world.names.get(GATEWAY_HOST, 'IPv4'))?.value;

describe('one timer', () => {
  it('asks when the TTL has ended, sets the next one, and touches no cluster when the answer is the same', async () => {
    lab.clock.advance(62);
    const before = clusterRequests();
    const state = await lab.world.gateways.load('west');
    expect(await goOff()).toEqual({ kind: 'asked', answer: 'addresses', changed: {}, age: 0 });
    expect(clusterRequests()).toBe(before);
    expect(lab.work.sent).toEqual([]);
    expect(lab.timers.sent).toHaveLength(2);
    expect(await lab.world.gateways.load('west')).toEqual(state);
  });

  it('A3: lets the mirrors follow a changed answer by itself, without a reconcile and without the target', async () => {
    lab.clock.advance(62);
    lab.dns.set(GATEWAY_HOST, ['203.0.113.10', '203.0.113.77']);
    const before = lab.servers.target.requests.all.length;
    expect(await goOff()).toEqual({
      kind: 'asked',
      answer: 'addresses',
      changed: { west: 'followed' },
      age: 0,
    });
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.10', '203.0.113.77']);
    expect(lab.servers.target.requests.all).toHaveLength(before);
    expect(lab.work.sent).toEqual([]);
    const [newest] = await lab.world.journal.recent('west', 1);
    expect(newest).toMatchObject({ what: 'update Endpoints shop/web-west', result: 'applied' });
  });

  it('A3: a disjoint answer is first listed beside the old one, then alone', async () => {
    lab.clock.advance(62);
    lab.dns.set(GATEWAY_HOST, ['203.0.113.77']);
    await goOff();
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.10', '203.0.113.77']);
    lab.clock.advance(62);
    await goOff();
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.77']);
  });

  it('A2: the first addresses of a gateway go to the work queue, and fill what is empty for want of them', async () => {
    await lab.store({ name: 'north', gateway: { addresses: ['new.example.test'] } });
    await workOn(lab.world, { link: 'north', hop: 0 }, lab.clock.now() + 60_000);
    const mirror = { namespace: 'shop', name: 'web-north' };
    expect((await endpointsOf(lab.source, mirror))?.ready).toEqual([]);
    lab.clock.advance(70);
    lab.dns.set('new.example.test', ['198.51.100.5']);
    const timer = { hostname: 'new.example.test', family: 'IPv4', due: 0, hop: 0 } as const;
    expect(await goOff(timer)).toMatchObject({ changed: { north: 'queued' } });
    await lab.work.deliver(async (message) => {
      await workOn(lab.world, message, lab.clock.now() + 60_000);
    });
    expect((await endpointsOf(lab.source, mirror))?.ready).toEqual(['198.51.100.5']);
  });

  it('leaves an empty mirror empty, and a link whose lock is taken to the work queue', async () => {
    await lab.target.patch('EndpointSlice', 'shop', 'web-abcde', { endpoints: [] });
    await workOn(lab.world, { link: 'west', hop: 0 }, lab.clock.now() + 60_000);
    lab.clock.advance(62);
    lab.dns.set(GATEWAY_HOST, ['203.0.113.10', '203.0.113.77']);
    expect(await goOff()).toMatchObject({ changed: { west: 'followed' } });
    expect((await endpointsOf(lab.source))?.ready).toEqual([]);
    await lab.target.patch('EndpointSlice', 'shop', 'web-abcde', {
      endpoints: [{ addresses: ['10.1.0.1'], conditions: { ready: true } }],
    });
    await workOn(lab.world, { link: 'west', hop: 0 }, lab.clock.now() + 60_000);
    await lab.world.links.claim('west', 'somebody else', 600);
    lab.clock.advance(62);
    lab.dns.set(GATEWAY_HOST, ['203.0.113.10', '203.0.113.77', '203.0.113.78']);
    expect(await goOff()).toMatchObject({ changed: { west: 'queued' } });
    expect(lab.work.sent.map(({ body }) => body)).toEqual([{ link: 'west', hop: 0 }]);
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.10', '203.0.113.77']);
  });

  it('that comes twice, or early, does nothing', async () => {
    expect(await goOff()).toEqual({ kind: 'idle' });
    lab.clock.advance(62);
    await goOff();
    expect(await goOff()).toEqual({ kind: 'idle' });
    expect(lab.timers.sent).toHaveLength(2);
  });

  it('that goes off twice at the same moment asks once and sets one next timer', async () => {
    lab.clock.advance(62);
    const asked = lab.dns.asked.length;
    const results = await Promise.all([goOff(), goOff()]);
    expect(results.map(({ kind }) => kind).sort()).toEqual(['asked', 'idle']);
    expect(lab.dns.asked).toHaveLength(asked + 1);
    expect(lab.timers.sent).toHaveLength(2);
  });

  it('A8: a resolver that fails changes nothing, and is asked again sooner', async () => {
    lab.clock.advance(62);
    lab.dns.set(GATEWAY_HOST, SERVFAIL);
    expect(await goOff()).toEqual({ kind: 'asked', answer: 'unknown', changed: {}, age: 62 });
    expect(lab.timers.sent[1]?.delaySeconds).toBeLessThanOrEqual(18);
    await workOn(lab.world, { link: 'west', hop: 0 }, lab.clock.now() + 60_000);
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.10']);
  });

  it('A8: a day of the same answer is no day of silence at the first failures', async () => {
    for (let hour = 0; hour < 25; hour += 1) {
      lab.clock.advance(3600);
      await goOff();
    }
    lab.dns.set(GATEWAY_HOST, SERVFAIL);
    for (let minute = 0; minute < 20; minute += 1) {
      lab.clock.advance(150);
      await goOff();
      await workOn(lab.world, { link: 'west', hop: 0 }, lab.clock.now() + 60_000);
    }
    expect(await endpointsOf(lab.source)).toMatchObject({ ready: ['203.0.113.10'], notReady: [] });
  });

  it('A15: a name that never resolves is asked by its back-off, not by every run', async () => {
    lab.dns.set(GATEWAY_HOST, SERVFAIL);
    lab.clock.advance(62);
    await goOff();
    const asked = lab.dns.asked.length;
    for (let run = 0; run < 5; run += 1)
      await workOn(lab.world, { link: 'west', hop: 0 }, lab.clock.now() + 60_000);
    expect(lab.dns.asked).toHaveLength(asked);
  });

  it('of a name that no link uses any more ends, and the name is forgotten', async () => {
    expect(await goOff({ ...firstTimer(), hostname: 'other.example.test' })).toEqual({ kind: 'idle' });
    await lab.world.links.end('west');
    await workOn(lab.world, { link: 'west', hop: 0 }, lab.clock.now() + 60_000);
    lab.clock.advance(62);
    expect(await goOff()).toMatchObject({ kind: 'asked' });
    expect(await storedAnswers()).toBeUndefined();
    expect(lab.timers.sent).toHaveLength(1);
  });
});

describe('the journal of published addresses', () => {
  const lines = async (link = 'west') =>
    (await lab.world.journal.recent(link, 50))
      .filter(({ what }) => what === 'gateway addresses')
      .map(({ reasons }) => reasons)
      .toReversed()
      .slice(1); // after the first look
  const work = () => workOn(lab.world, { link: 'west', hop: 0 }, lab.clock.now() + 60_000);

  it('A3: has a line for each step of a replaced load balancer, and none for the same answer', async () => {
    lab.clock.advance(62);
    await goOff();
    lab.dns.set(GATEWAY_HOST, ['203.0.113.77']);
    for (let check = 0; check < 4; check += 1) {
      lab.clock.advance(62);
      await goOff();
      await work();
    }
    const answer = 'lb.example.test: 203.0.113.77, TTL 60';
    expect(await lines()).toEqual([
      ['203.0.113.10 → 203.0.113.10, 203.0.113.77', answer],
      ['203.0.113.10, 203.0.113.77 → 203.0.113.10 (draining), 203.0.113.77', answer],
      ['203.0.113.10 (draining), 203.0.113.77 → 203.0.113.77', answer],
    ]);
    const stored = (await lab.world.gateways.load('west'))?.value;
    expect(stored?.published?.since).toEqual({ '203.0.113.77': expect.any(Number) });
  });

  it('A8: has none for a resolver that fails', async () => {
    lab.dns.set(GATEWAY_HOST, SERVFAIL);
    for (let check = 0; check < 5; check += 1) {
      lab.clock.advance(130);
      await goOff();
      await work();
    }
    expect(await lines()).toEqual([]);
  });

  it('A10: has what left the status and what came, when a reconcile sees it', async () => {
    await lab.target.patchStatus('Service', 'linkerd-multicluster', 'linkerd-gateway', {
      loadBalancer: { ingress: [{ ip: '203.0.113.9' }] },
    });
    await work();
    await work();
    expect(await lines()).toEqual([
      ['203.0.113.10 → 203.0.113.9', 'lb.example.test left the status', '203.0.113.9 came into the status'],
    ]);
  });

  it('B1: has a dead address with what the probe met', async () => {
    await lab.world.links.put(linkOf({ probe: {} }), 1);
    const prober = memoryProber(lab.clock);
    prober.set('203.0.113.10', 'refused');
    const world = { ...lab.world, prober };
    const probe = () => workOn(world, { link: 'west', hop: 0 }, lab.clock.now() + 60_000);
    await probe();
    await probe();
    prober.set('203.0.113.10', 200);
    await probe();
    expect(await lines()).toEqual([
      ['203.0.113.10 → 203.0.113.10 (down)', '203.0.113.10 dead: 3 failures (connection refused)'],
      ['203.0.113.10 (down) → 203.0.113.10', '203.0.113.10 is alive again'],
    ]);
  });
});

describe('names that links share', () => {
  it('are asked once: a second link takes what is known, and both follow', async () => {
    const asked = lab.dns.asked.length;
    await lab.store({ name: 'north' });
    await workOn(lab.world, { link: 'north', hop: 0 }, lab.clock.now() + 60_000);
    expect(lab.dns.asked).toHaveLength(asked);
    expect((await endpointsOf(lab.source, { namespace: 'shop', name: 'web-north' }))?.ready).toEqual([
      '203.0.113.10',
    ]);
    lab.clock.advance(62);
    lab.dns.set(GATEWAY_HOST, ['203.0.113.10', '203.0.113.77']);
    expect(await goOff()).toMatchObject({ changed: { north: 'followed', west: 'followed' } });
    expect(lab.dns.asked).toHaveLength(asked + 1);
    expect((await endpointsOf(lab.source, { namespace: 'shop', name: 'web-north' }))?.ready).toEqual([
      '203.0.113.10',
      '203.0.113.77',
    ]);
  });

  it('whose timer got lost get a new one by the tick', async () => {
    lab.clock.advance(80);
    expect((await tick(lab.world)).timers).toBe(0);
    lab.clock.advance(20);
    expect((await tick(lab.world)).timers).toBe(1);
    expect(lab.timers.sent.at(-1)).toMatchObject({
      body: { hostname: GATEWAY_HOST, family: 'IPv4' },
      delaySeconds: 0,
    });
  });
});
