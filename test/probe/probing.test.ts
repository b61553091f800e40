// probeAll on a timeline: follow-ups, what is in flight, the end of the time, and whole runs from probe to published addresses.
import { describe, expect, it } from 'vitest';
import { judgeNetwork, verdictOf, type Witnesses } from '../../lib/gateway/liveness-network.ts';
import type { ProbeResults } from '../../lib/gateway/liveness-schedule.ts';
import { stepLiveness, withLiveness } from '../../lib/gateway/liveness.ts';
import type { ProbeSettings } from '../../lib/gateway/probe.ts';
import { NO_LIVENESS, type Liveness } from '../../lib/model/liveness.ts';
import { probeAll, type ProbedGateway } from '../../lib/probing.ts';
import { afterMinutes, anAddress, DEAD, FAIL, IP, OK, OTHER } from '../gateway/liveness-support.ts';
import { shown } from '../gateway/support.ts';
import { memoryProber, type MemoryProber } from './memory-prober.ts';
import { timeline } from './timeline.ts';

const SETTINGS: ProbeSettings = {
  off: false,
  anyAnswer: true,
  path: '/ready',
  port: 4191,
  period: 3,
  timeout: 5,
  failureThreshold: 3,
  notes: [],
};

type GatewayParts = Partial<Omit<ProbedGateway, 'settings' | 'addresses'>> & {
  readonly ips?: readonly string[];
  readonly settings?: Partial<ProbeSettings>;
};

const aGateway = ({ ips = [IP], settings, ...rest }: GatewayParts = {}): ProbedGateway => ({
  link: 'west',
  addresses: ips.map((ip) => anAddress(ip)),
  liveness: NO_LIVENESS,
  settings: { ...SETTINGS, ...settings },
  mayDial: () => true,
  ...rest,
});

/** A prober on a timeline of its own, and runs of it. */
const aBench = () => {
  const clock = timeline();
  const prober = memoryProber(clock);
  const probe = (gateways: readonly ProbedGateway[], budgetMs = 40_000) =>
    probeAll({ prober, clock, gateways, budgetMs });
  return { clock, prober, probe };
};

const kinds = (results: ReadonlyMap<string, ProbeResults>, link = 'west') =>
  [...(results.get(link) ?? [])].map(([ip, tries]) => [ip, tries.map(({ kind }) => kind).join(' ')]);

const times = ({ dialled }: MemoryProber, of: string = IP): readonly number[] =>
  dialled.filter(({ ip }) => ip === of).map(({ at }) => at);

describe('one run', () => {
  it('probes every address once while they answer', async () => {
    const { prober, probe } = aBench();
    prober.set('*', 200);
    expect(kinds(await probe([aGateway({ ips: [IP, OTHER] })]))).toEqual([
      [IP, 'alive'],
      [OTHER, 'alive'],
    ]);
    expect(prober.dialled.map(({ ip, at }) => [ip, at])).toEqual([
      [IP, 0],
      [OTHER, 0],
    ]);
  });

  it('asks as the settings say', async () => {
    const { prober, probe } = aBench();
    const settings = { path: '/live', port: 4192, timeout: 2, anyAnswer: false, failureThreshold: 1 };
    await probe([aGateway({ settings })]);
    expect(prober.dialled.map(({ target }) => target)).toEqual([
      { ip: IP, port: 4192, path: '/live', timeoutMs: 2_000, anyAnswer: false },
    ]);
  });

  it('B5: follows a first failure up at the period, to the threshold', async () => {
    const { prober, probe } = aBench();
    expect(kinds(await probe([aGateway()]))).toEqual([[IP, 'failed failed failed']]);
    expect(times(prober)).toEqual([0, 3_000, 6_000]);
  });

  it('B5: fail, fail, ok ends the follow-up', async () => {
    const { prober, probe } = aBench();
    prober.set(IP, 'refused', 'refused', 200);
    expect(kinds(await probe([aGateway()]))).toEqual([[IP, 'failed failed alive']]);
  });

  it('B5: at most one probe of an address is in flight while it hangs', async () => {
    const { prober, probe } = aBench();
    prober.set(IP, 'silent');
    prober.set(OTHER, 'silent');
    await probe([aGateway({ ips: [IP, OTHER] })]);
    expect(times(prober)).toEqual([0, 5_000, 10_000]);
    expect([prober.mostInFlight(IP), prober.mostInFlight()]).toEqual([1, 2]);
  });

  it('looks at a dead address once', async () => {
    const { prober, probe } = aBench();
    expect(kinds(await probe([aGateway({ liveness: DEAD })]))).toEqual([[IP, 'failed']]);
    expect(times(prober)).toEqual([0]);
  });

  it('goes on counting where the last run had to stop', async () => {
    const { prober, probe } = aBench();
    await probe([aGateway({ liveness: afterMinutes(OK, FAIL) })]);
    expect(times(prober)).toEqual([0, 3_000]);
  });

  it.each([
    ['probing is off', { off: true }],
    ['there is no port', { port: undefined }],
  ])('probes nothing when %s', async (_situation, settings) => {
    const { prober, probe } = aBench();
    expect(await probe([aGateway({ settings })])).toEqual(new Map([['west', new Map()]]));
    expect(prober.dialled).toEqual([]);
  });

  it('keeps links apart, each with its own settings', async () => {
    const { prober, probe } = aBench();
    prober.set(OTHER, 200);
    const east = aGateway({ link: 'east', ips: [OTHER], settings: { port: 5000 } });
    const results = await probe([aGateway(), east]);
    expect(kinds(results)).toEqual([[IP, 'failed failed failed']]);
    expect(kinds(results, 'east')).toEqual([[OTHER, 'alive']]);
    expect(prober.dialled.find(({ ip }) => ip === OTHER)?.target.port).toBe(5000);
  });
});

describe('the filter of the moment', () => {
  it('keeps an address from being dialled at all', async () => {
    const { prober, probe } = aBench();
    prober.set('*', 200);
    const mayDial = (ip: string) => ip !== IP;
    expect(kinds(await probe([aGateway({ ips: [IP, OTHER], mayDial })]))).toEqual([
      [IP, 'unknown'],
      [OTHER, 'alive'],
    ]);
    expect(times(prober)).toEqual([]);
  });

  it('is asked again before each follow-up', async () => {
    const { clock, prober, probe } = aBench();
    const mayDial = () => clock.now() < 3_000;
    expect(kinds(await probe([aGateway({ mayDial })]))).toEqual([[IP, 'failed unknown']]);
    expect(times(prober)).toEqual([0]);
  });
});

describe('the end of the time', () => {
  it.each([
    ['too short for one whole probe: none', 4_999, []],
    ['enough for one', 5_000, [0]],
    ['enough for a follow-up', 8_000, [0, 3_000]],
    ['enough for all', 11_000, [0, 3_000, 6_000]],
  ])('%s', async (_situation, budgetMs, expected) => {
    const { clock, prober, probe } = aBench();
    await probe([aGateway()], budgetMs);
    expect(times(prober)).toEqual(expected);
    expect(clock.now()).toBeLessThanOrEqual(budgetMs);
  });

  it('an address whose turn comes too late was not probed', async () => {
    const { prober, probe } = aBench();
    prober.set('*', 'silent');
    const ips = Array.from({ length: 20 }, (_, index) => `192.0.2.${index + 1}`);
    const results = (await probe([aGateway({ ips })], 9_000)).get('west');
    expect([...(results?.keys() ?? [])]).toEqual(ips.slice(0, 16));
    expect(prober.dialled).toHaveLength(16);
  });
});

describe('many addresses', () => {
  it.each([
    ['of one gateway', 1],
    ['of many gateways', 8],
  ])('%s: 16 at once and no more, every one of them in the end', async (_situation, links) => {
    const { prober, probe } = aBench();
    prober.set('*', 'silent', 'silent', 200);
    const gateways = Array.from({ length: links }, (_, link) =>
      aGateway({
        link: `link-${link}`,
        ips: Array.from({ length: 64 / links }, (_, index) => `203.0.113.${(link * 64) / links + index}`),
        settings: { failureThreshold: 1 },
      }),
    );
    const results = await probe(gateways);
    expect([...results.values()].flatMap((rows) => [...rows.keys()])).toHaveLength(64);
    expect([prober.mostInFlight(), prober.dialled.length]).toEqual([16, 64]);
  });
});

interface Scene {
  readonly liveness: Readonly<Record<string, Liveness>>; // by link
  readonly witnesses?: Partial<Witnesses>;
}

/** A whole run over links: probed, judged, counted, published. */
const wholeRun = async (
  { clock, probe }: ReturnType<typeof aBench>,
  links: readonly ProbedGateway[],
  { liveness, witnesses }: Scene,
) => {
  const gateways = links.map((gateway) => ({ ...gateway, liveness: liveness[gateway.link] ?? NO_LIVENESS }));
  const results = await probe(gateways);
  const resultsOf = (link: string): ProbeResults => results.get(link) ?? new Map();
  const now = clock.now() / 1000;
  const network = judgeNetwork({
    gateways: gateways.flatMap((gateway) => verdictOf(resultsOf(gateway.link), gateway.liveness) ?? []),
    witnesses: { sourceApi: true, resolver: true, targetApi: true, ...witnesses },
    now,
  });
  const after = gateways.map(({ link, addresses, settings, liveness: state }) => ({
    link,
    addresses,
    liveness: stepLiveness({ state, addresses, results: resultsOf(link), network, settings, now }),
  }));
  return {
    network: network.kind,
    liveness: Object.fromEntries(after.map((row) => [row.link, row.liveness])),
    published: after.flatMap((row) => shown(withLiveness(row.addresses, row.liveness))),
  };
};

describe('from probe to published address', () => {
  const west = aGateway({ link: 'west', ips: [IP] });
  const east = aGateway({ link: 'east', ips: [OTHER] });

  it('B1: one run takes a sole gateway from alive to dead, and one answer brings it back', async () => {
    const bench = aBench();
    const died = await wholeRun(bench, [west], {
      liveness: { west: afterMinutes(OK) },
      witnesses: { targetApi: false },
    });
    expect(died.published).toEqual([`${IP} down`]);
    bench.prober.set(IP, 403);
    expect((await wholeRun(bench, [west], died)).published).toEqual([IP]);
  });

  it('nothing else answers: it is our own network', async () => {
    const witnesses = { sourceApi: false, resolver: false, targetApi: false };
    const liveness = { west: afterMinutes(OK) };
    expect(await wholeRun(aBench(), [west], { liveness, witnesses })).toEqual({
      network: 'ignored',
      liveness,
      published: [IP],
    });
  });

  it('two gateways at once: it is our own network, however long it lasts', async () => {
    const bench = aBench();
    let scene: Scene = { liveness: { west: afterMinutes(OK) } };
    for (let minute = 0; minute < 20; minute += 1) {
      const run = await wholeRun(bench, [west, east], scene);
      expect([run.network, run.published]).toEqual(['ignored', [IP, OTHER]]);
      scene = run;
      await bench.clock.sleep(60_000);
    }
    expect(scene.liveness).toEqual({ west: afterMinutes(OK), east: {} });
  });

  it('B1: one of two gateways is dead, the other carries on', async () => {
    const bench = aBench();
    bench.prober.set(OTHER, 200);
    const run = await wholeRun(bench, [west, east], { liveness: { west: afterMinutes(OK) } });
    expect([run.network, run.published]).toEqual(['counts', [`${IP} down`, OTHER]]);
  });

  it('B1: the last one that lives is found dead, though the other has been for an hour', async () => {
    const bench = aBench();
    bench.prober.set(OTHER, 200);
    const first = await wholeRun(bench, [west, east], { liveness: {} });
    expect(first.published).toEqual([`${IP} down`, OTHER]);
    bench.prober.set(OTHER, 'refused');
    expect((await wholeRun(bench, [west, east], first)).published).toEqual([`${IP} down`, OTHER]);
    await bench.clock.sleep(3_600_000);
    expect((await wholeRun(bench, [west, east], first)).published).toEqual([`${IP} down`, `${OTHER} down`]);
  });

  it('B2: what the filter lets nobody probe is unknown, and published as DNS says', async () => {
    const bench = aBench();
    const refused = aGateway({ link: 'west', mayDial: () => false });
    expect((await wholeRun(bench, [refused], { liveness: {} })).published).toEqual([IP]);
    expect(bench.prober.dialled).toEqual([]);
  });
});
