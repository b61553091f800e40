// Cases of the gateway behind a headless mirror: other addresses (A3, A6), and its death (B1, B4).
import { describe, expect, it } from 'vitest';
import { memoryProber, type MemoryProber } from '../probe/memory-prober.ts';
import { aGateway, GATEWAY_HOST } from '../support/builders.ts';
import { slicesOf, type Lab } from '../support/lab.ts';
import { aHeadless, aPodSlice, mirrorOf, nameless, ordinals, scale } from './headless.ts';
import { clusterIPsIn, mirrorsIn } from './seen.ts';
import { arrangeTarget, expectInSync, type LabHandle, sorted } from './suite.ts';
import { watch } from './watcher.ts';

const IP = '203.0.113.10';
const FORMS = ['endpoints', 'endpointslices'] as const;

/** How an address leaves the lists once another is there: slices know draining, Endpoints do not. */
const DEPARTURES = {
  endpoints: ['203.0.113.77'],
  endpointslices: [`${IP} (draining), 203.0.113.77`, '203.0.113.77'],
} as const;

const arrangeBehind = (lab: Lab, gateway = aGateway()): Promise<void> =>
  arrangeTarget(
    lab,
    [
      ['Service', aHeadless()],
      ['EndpointSlice', aPodSlice(ordinals(2))],
    ],
    gateway,
  );

const behindGateway = (...lists: readonly string[]): readonly string[] => [
  ...lists.map((list, index) => `db-${index}-west pg:5432 of db-west → ${list} at pg:4143`),
  `db-west pg:5432 headless → ${lists.map((_list, index) => `db-${index}=db-${index}-west`).join(', ')} at pg:5432`,
];

const mirrorNames = ['db-0-west', 'db-1-west'];

const listWrites = async (lab: Lab, form: (typeof FORMS)[number]): Promise<readonly string[]> => {
  if (form === 'endpoints') return mirrorNames.map((name) => `PATCH Endpoints shop/${name}`);
  const slices = await Promise.all(
    mirrorNames.map((name) => slicesOf(lab.source, { namespace: 'shop', name })),
  );
  return slices.flat().map(({ metadata }) => `PATCH EndpointSlice shop/${metadata.name}`);
};

/** A headless mirror in sync with a gateway that answers, and a prober in the test's hand. */
const probed = async (lab: Lab, form: (typeof FORMS)[number]): Promise<MemoryProber> => {
  const prober = memoryProber(lab.clock);
  prober.set(IP, 200);
  lab.probeWith({ prober, others: () => Promise.resolve([]) });
  lab.setLink({ probe: {}, endpoints: form });
  await arrangeBehind(lab, aGateway({ ingress: [{ ip: IP }] }));
  await lab.sync();
  expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
  return prober;
};

export const headlessGatewayCases = (handle: LabHandle): void => {
  describe.each(FORMS)('the gateway behind a headless mirror, as %s', (form) => {
    it('A3: endpoint mirrors list old and new addresses, then the new ones; each is written once per step', async () => {
      const { lab } = handle;
      lab.setLink({ endpoints: form });
      lab.dns.set(GATEWAY_HOST, [IP]);
      await arrangeBehind(lab);
      await lab.sync();
      expect(await mirrorsIn(lab.source)).toEqual(behindGateway(IP, IP));
      const ips = await clusterIPsIn(lab.source);
      const written = await listWrites(lab, form);
      const watcher = await watch(lab);
      lab.dns.set(GATEWAY_HOST, ['203.0.113.77']);
      expect(sorted((await lab.syncLater()).writes)).toEqual(written);
      const both = `${IP}, 203.0.113.77`;
      expect(await mirrorsIn(lab.source)).toEqual(behindGateway(both, both));
      await expectInSync(lab);
      for (const list of DEPARTURES[form]) {
        expect(sorted((await lab.syncLater(62)).writes)).toEqual(written);
        expect(await mirrorsIn(lab.source)).toEqual(behindGateway(list, list));
      }
      for (let run = 0; run < 3; run += 1) expect((await lab.syncLater(62)).writes).toEqual([]);
      expect(await clusterIPsIn(lab.source)).toEqual(ips);
      expect(watcher.faults()).toEqual([]);
    });

    it('A3: an answer that overlaps takes one step', async () => {
      const { lab } = handle;
      lab.setLink({ endpoints: form });
      lab.dns.set(GATEWAY_HOST, [IP, '203.0.113.11']);
      await arrangeBehind(lab);
      await lab.sync();
      const written = await listWrites(lab, form);
      lab.dns.set(GATEWAY_HOST, ['203.0.113.11', '203.0.113.12']);
      const writes: string[] = [];
      for (let run = 0; run < 6; run += 1) writes.push(...(await lab.syncLater(62)).writes);
      const now = '203.0.113.11, 203.0.113.12';
      expect(await mirrorsIn(lab.source)).toEqual(behindGateway(now, now));
      expect(sorted(writes)).toEqual(sorted(DEPARTURES[form].flatMap(() => written)));
    });

    it('B4: a dead gateway is not ready behind every pod, the root keeps naming them, and recovery turns it back', async () => {
      const { lab } = handle;
      const prober = await probed(lab, form);
      const ips = await clusterIPsIn(lab.source);
      const written = await listWrites(lab, form);
      prober.set(IP, 'refused');
      expect(sorted((await lab.syncLater()).writes)).toEqual(written);
      expect(await mirrorsIn(lab.source)).toEqual(behindGateway(`${IP} (down)`, `${IP} (down)`));
      expect((await lab.syncLater()).writes).toEqual([]);
      prober.set(IP, 403);
      expect(sorted((await lab.syncLater()).writes)).toEqual(written);
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
      expect(await clusterIPsIn(lab.source)).toEqual(ips);
      expect((await lab.syncLater()).writes).toEqual([]);
    });

    it('B1: an endpoint mirror that is made while the gateway is dead is born not ready', async () => {
      const { lab } = handle;
      const prober = await probed(lab, form);
      prober.set(IP, 'refused');
      await lab.syncLater();
      const watcher = await watch(lab);
      await scale(lab, ordinals(3));
      await lab.syncLater();
      const down = `${IP} (down)`;
      expect(await mirrorsIn(lab.source)).toEqual(behindGateway(down, down, down));
      const born = watcher.looks.flatMap((seen) => seen.get('db-2-west')?.list ?? []);
      expect(born.length).toBeGreaterThan(0);
      expect(born.filter(({ state }) => state === 'ready')).toEqual([]);
      expect(watcher.faults()).toEqual([]);
      prober.set(IP, 200);
      await lab.syncLater();
      expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1', 'db-2'));
    });

    it('B1: a mirror that changes its shape while the gateway is dead stays not ready', async () => {
      const { lab } = handle;
      const prober = await probed(lab, form);
      prober.set(IP, 'refused');
      await lab.syncLater();
      await scale(lab, nameless(ordinals(2)));
      await lab.syncLater();
      expect(await mirrorsIn(lab.source)).toEqual([`db-west pg:5432 → ${IP} (down) at pg:4143`]);
      await scale(lab, ordinals(2));
      await lab.syncLater();
      expect(await mirrorsIn(lab.source)).toEqual(behindGateway(`${IP} (down)`, `${IP} (down)`));
      expect((await lab.syncLater()).writes).toEqual([]);
    });
  });

  it('a name that does not resolve yet leaves root and endpoint mirrors standing, and fills them when it does', async () => {
    const { lab } = handle;
    await arrangeBehind(lab);
    await lab.sync();
    expect(await mirrorsIn(lab.source)).toEqual([
      'db-0-west pg:5432 of db-west → nobody',
      'db-1-west pg:5432 of db-west → nobody',
      'db-west pg:5432 headless → db-0=db-0-west, db-1=db-1-west at pg:5432',
    ]);
    lab.dns.set(GATEWAY_HOST, [IP]);
    expect(sorted((await lab.syncLater(300)).writes)).toEqual(await listWrites(lab, 'endpoints'));
    expect(await mirrorsIn(lab.source)).toEqual(mirrorOf('db-0', 'db-1'));
  });
};
