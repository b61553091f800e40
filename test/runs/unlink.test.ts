// The end of a link: its mirrors first, then what is stored of it; nothing of anybody else.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resync, resyncRequest } from '../../lib/runs/resync.ts';
import { status } from '../../lib/runs/status.ts';
import { workOn } from '../../lib/runs/work.ts';
import { aMirror, aService, aSlice, GATEWAY_HOST } from '../support/builders.ts';
import { openRunLab, type RunLab } from '../support/run-lab.ts';

let lab: RunLab;
beforeEach(async () => {
  lab = await openRunLab();
  lab.dns.set(GATEWAY_HOST, ['203.0.113.10']);
  for (let index = 0; index < 15; index += 1) {
    await lab.target.create('Service', aService({ name: `web-${index}` }));
    await lab.target.create('EndpointSlice', aSlice({ service: `web-${index}` }));
  }
  await lab.store({});
  await lab.store({ name: 'other' });
  await workOn(lab.world, { link: 'west', hop: 0 }, lab.clock.now() + 60_000);
  await lab.source.create('Service', aMirror({ name: 'mine-west', labels: { team: 'a' } }));
});
afterEach(() => lab.close());

const run = (request: object) => resync(lab.world, resyncRequest.parse(request), lab.clock.now() + 60_000);
const mirrors = async (): Promise<readonly string[]> =>
  (await lab.source.list('Service', 'shop')).map(({ metadata }) => metadata.name);

describe('unlink', () => {
  it('E11: removes all mirrors past the delete brake, forgets the link, and leaves what is not its own', async () => {
    expect(await mirrors()).toHaveLength(16);
    lab.unreachable.add('west');
    const { links, errors } = await run({ link: 'west', unlink: true });
    expect(errors).toEqual([]);
    expect(links).toMatchObject([{ link: 'west', done: true, deleted: 30, failed: 0 }]);
    expect(await mirrors()).toEqual(['mine-west']);
    expect(await lab.source.list('Endpoints', 'shop')).toEqual([]);
    expect(await lab.world.links.get('west')).toBeUndefined();
    expect(await lab.world.gateways.load('west')).toBeUndefined();
    expect(await lab.world.links.get('other')).toBeDefined();
  });

  it('E11: that was cut short goes on with the next message and mirrors nothing anew', async () => {
    const first = await resync(
      lab.world,
      resyncRequest.parse({ link: 'west', unlink: true }),
      lab.clock.now(),
    );
    expect(first.links).toMatchObject([{ done: false, deleted: 0, failed: 30 }]);
    expect((await lab.world.links.get('west'))?.ending).toBe(true);
    const next = await workOn(lab.world, { link: 'west', hop: 0 }, lab.clock.now() + 60_000);
    expect(next).toMatchObject({ kind: 'unlinked', unlinked: { done: true } });
    expect(await mirrors()).toEqual(['mine-west']);
  });

  it('E11: while another function writes its mirrors it removes nothing yet, and goes on with the next message', async () => {
    const claim = await lab.world.links.claim('west', 'another', 60);
    const { links } = await run({ link: 'west', unlink: true });
    expect(links).toMatchObject([{ done: false, deleted: 0, refusals: [{ reason: 'HeldBy' }] }]);
    expect(await mirrors()).toHaveLength(16);
    await claim?.release();
    await workOn(lab.world, { link: 'west', hop: 0 }, lab.clock.now() + 60_000);
    expect(await mirrors()).toEqual(['mine-west']);
    expect(await lab.world.links.get('west')).toBeUndefined();
  });

  it('of a link that is not stored says so', async () => {
    expect(await run({ link: 'nowhere', unlink: true })).toEqual({
      links: [],
      errors: [{ link: 'nowhere', message: 'link nowhere is not stored' }],
    });
  });
});

describe('resync', () => {
  it('with dryRun writes nothing and says what it would do', async () => {
    await lab.target.remove('Service', 'shop', 'web-0');
    const { links } = await run({ link: 'west', dryRun: true });
    expect(links).toMatchObject([
      {
        link: 'west',
        changes: [
          { action: 'delete', kind: 'Endpoints', name: 'web-0-west' },
          { action: 'delete', kind: 'Service', name: 'web-0-west' },
        ],
      },
    ]);
    expect(await mirrors()).toHaveLength(16);
  });

  it('asks the gateway’s names whatever is left of their TTL', async () => {
    const before = lab.dns.asked.length;
    await run({ link: 'west' });
    expect(lab.dns.asked).toHaveLength(before + 1);
  });

  it('works on one Service only, when told so', async () => {
    await lab.target.remove('Service', 'shop', 'web-0');
    await lab.target.remove('Service', 'shop', 'web-1');
    await run({ link: 'west', services: ['shop/web-1'] });
    expect(await mirrors()).toContain('web-0-west');
    expect(await mirrors()).not.toContain('web-1-west');
  });

  it('names every mistake of a request at once', () => {
    const parsed = resyncRequest.safeParse({ link: '', services: ['web'], force: true });
    expect(parsed.error?.issues.map(({ path, code }) => `${path.join('.')} ${code}`)).toEqual([
      'link too_small',
      'services.0 invalid_format',
      ' unrecognized_keys',
    ]);
  });
});

describe('status', () => {
  it('tells links, gateway and journal without asking a cluster', async () => {
    const before = lab.servers.source.requests.all.length;
    const data = await status(lab.world, 'west');
    expect(data.broken).toEqual([]);
    expect(data.links).toMatchObject([
      {
        link: 'west',
        state: 'active',
        gateway: {
          identity: 'gw.id',
          names: [
            { hostname: GATEWAY_HOST, state: 'FRESH', addresses: [{ ip: '203.0.113.10', state: 'ready' }] },
          ],
        },
        lastRun: { mirrors: { 'in sync': 15, 'to create': 0, 'to update': 0, refused: 0 } },
      },
    ]);
    expect(lab.servers.source.requests.all).toHaveLength(before);
  });
});
