// Messages of the work queue, through embedded API servers: what comes twice, late or beside itself changes only when things happen.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MOST_HOPS } from '../../lib/model/messages.ts';
import { tick } from '../../lib/runs/tick.ts';
import { workOn } from '../../lib/runs/work.ts';
import { aService, aSlice, GATEWAY_HOST } from '../support/builders.ts';
import { endpointsOf } from '../support/lab.ts';
import { openRunLab, type RunLab } from '../support/run-lab.ts';

let lab: RunLab;
beforeEach(async () => {
  lab = await openRunLab();
  lab.dns.set(GATEWAY_HOST, ['203.0.113.10']);
  await lab.target.create('Service', aService());
  await lab.target.create('EndpointSlice', aSlice());
});
afterEach(() => lab.close());

const deadline = (): number => lab.clock.now() + 60_000;
const work = (link = 'west', hop = 0) => workOn(lab.world, { link, hop }, deadline());
const writesTo = (): readonly string[] =>
  lab.servers.source.requests.all
    .filter(
      ({ method, path }) => method !== 'GET' && !path.includes('/leases') && !path.endsWith('/namespaces'),
    )
    .map(({ method, path }) => `${method} ${path}`);

describe('one message of the work queue', () => {
  it('mirrors what the target exports, writes the journal and remembers what it said', async () => {
    await lab.store({});
    const done = await work();
    expect(done.kind).toBe('reconciled');
    expect(await endpointsOf(lab.source)).toEqual({
      ready: ['203.0.113.10'],
      notReady: [],
      ports: ['http:4143'],
    });
    const journal = await lab.world.journal.recent('west', 10);
    expect(journal.map(({ what, result, runId }) => [what, result, runId])).toEqual([
      ['create Endpoints shop/web-west', 'applied', 'run-1'],
      ['create Service shop/web-west', 'applied', 'run-1'],
      ['gateway addresses', 'applied', 'run-1'],
    ]);
    expect(journal.at(-1)?.reasons).toEqual([
      'nothing remembered → 203.0.113.10',
      'lb.example.test: 203.0.113.10, TTL 60',
    ]);
    const record = await lab.world.links.get('west');
    expect(record?.lastRun?.mirrors).toEqual({
      'in sync': 1,
      'to create': 0,
      'to update': 0,
      waiting: 0,
      refused: 0,
    });
  });

  it('K3: delivered again it writes nothing, and one that is late sees the present state of both clusters', async () => {
    await lab.store({});
    await work();
    const before = writesTo().length;
    await work();
    expect(writesTo().slice(before)).toEqual([]);
    await lab.target.patch('Service', 'shop', 'web', {
      spec: { ports: [{ name: 'http', port: 81, targetPort: 8080 }] },
    });
    await work();
    await work();
    expect(writesTo().slice(before)).toEqual(['PATCH /api/v1/namespaces/shop/services/web-west']);
    expect((await lab.source.read('Service', 'shop', 'web-west'))?.['spec'].ports[0].port).toBe(81);
  });

  it('two at the same time: one of them writes', async () => {
    await lab.store({});
    await Promise.all([work(), work()]);
    const { pathname: services } = new URL('http://x/api/v1/namespaces/shop/services');
    expect(writesTo().filter((request) => request === `POST ${services}`)).toHaveLength(1);
    expect((await endpointsOf(lab.source))?.ready).toEqual(['203.0.113.10']);
  });

  it('K5: an unchanged run says nothing new: no journal line, no summary, no timer', async () => {
    await lab.store({});
    await work();
    const first = await lab.world.links.get('west');
    const lines = (await lab.world.journal.recent('west', 10)).length;
    const sent = lab.timers.sent.length;
    lab.clock.advance(30);
    await work();
    expect(await lab.world.links.get('west')).toEqual(first);
    expect(lines).toBe(3);
    expect(await lab.world.journal.recent('west', 10)).toHaveLength(lines);
    expect(lab.timers.sent).toHaveLength(sent);
  });

  it('a link that is not stored any more is left alone, whatever its mirrors hold', async () => {
    await lab.store({});
    await work();
    await lab.world.links.end('west');
    await lab.world.links.remove('west');
    const before = writesTo().length;
    expect(await work()).toEqual({ kind: 'gone' });
    expect(writesTo()).toHaveLength(before);
    expect(await lab.world.links.get('west')).toBeUndefined();
  });

  it('at its deadline it hands the rest to a follow-up message, but not for ever', async () => {
    await lab.store({});
    await workOn(lab.world, { link: 'west', hop: 3 }, lab.clock.now());
    expect(lab.work.sent.map(({ body }) => body)).toEqual([{ link: 'west', hop: 4 }]);
    expect(await lab.source.read('Service', 'shop', 'web-west')).toBeUndefined();
    await workOn(lab.world, { link: 'west', hop: MOST_HOPS }, lab.clock.now());
    expect(lab.work.sent).toHaveLength(1);
  });

  it('writes nothing while another function of the deployment has the lock, says so, and comes again soon', async () => {
    await lab.store({});
    const claim = await lab.world.links.claim('west', 'another', 60);
    const done = await work();
    expect(done.kind === 'reconciled' ? done.report.refusals.map(({ reason }) => reason) : []).toEqual([
      'HeldBy',
    ]);
    expect(await lab.source.read('Service', 'shop', 'web-west')).toBeUndefined();
    expect(lab.work.sent).toEqual([{ body: { link: 'west', hop: 1 }, delaySeconds: 5 }]);
    await work('west', MOST_HOPS);
    expect(lab.work.sent).toHaveLength(1);
    await claim?.release();
    await work();
    expect(await lab.source.read('Service', 'shop', 'web-west')).toBeDefined();
  });

  it('sets one timer for the name that it asked, at the end of its TTL', async () => {
    await lab.store({});
    await work();
    expect(lab.timers.sent).toHaveLength(1);
    const [timer] = lab.timers.sent;
    expect(timer?.body).toMatchObject({ hostname: GATEWAY_HOST, family: 'IPv4', hop: 0 });
    expect(timer?.delaySeconds).toBeGreaterThanOrEqual(60);
    expect(timer?.delaySeconds).toBeLessThanOrEqual(62);
  });
});

describe('the tick', () => {
  it('J1: sends every link that has something to be done; a target that refuses connections holds up no other', async () => {
    for (const name of ['west', 'north', 'south']) await lab.store({ name });
    await lab.store({ name: 'asleep', paused: true });
    lab.unreachable.add('north');
    const result = await tick(lab.world);
    expect(result).toEqual({ sent: ['north', 'south', 'west'], paused: ['asleep'], broken: [], timers: 0 });
    await lab.work.deliver(async ({ link, hop }) => {
      await workOn(lab.world, { link, hop }, deadline());
    });
    expect((await lab.source.list('Service', 'shop')).map(({ metadata }) => metadata.name).sort()).toEqual([
      'web-south',
      'web-west',
    ]);
    const north = await lab.world.links.get('north');
    expect(north?.lastRun?.unobserved.map(({ what }) => what)).toEqual(['target cluster']);
    lab.unreachable.clear();
    await work('north');
    expect(await lab.source.read('Service', 'shop', 'web-north')).toBeDefined();
  });

  it('sends nothing when there is no link', async () => {
    expect(await tick(lab.world)).toEqual({ sent: [], paused: [], broken: [], timers: 0 });
    expect(lab.work.sent).toEqual([]);
  });
});
