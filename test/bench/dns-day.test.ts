// The hostile day: as hostile as it says, and the same whenever the seed is.
import { describe, expect, it } from 'vitest';
import { hostileDay } from '../../bench/dns/day.ts';
import { live } from '../../bench/dns/hostile.ts';
import { judge } from '../../bench/dns/judge.ts';
import { seeded } from '../../bench/dns/random.ts';
import { sharedEngine } from '../../bench/dns/shared-engine.ts';

const aDay = (seed: number) => live(hostileDay(seeded(seed), { ttl: 60, busy: false }), seed);

describe('a hostile day', () => {
  it('lasts 24 hours, in order, and meets every kind of answer', async () => {
    const { script, checks } = await aDay(1);
    const times = script.chapters.map(({ from }) => from);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(script.length).toBe(86_400);
    expect(checks.length).toBeGreaterThan(1_200);
    const kinds = Map.groupBy(checks, ({ heard: { answer } }) =>
      answer.kind === 'addresses' ? answer.kind : answer.why,
    );
    expect([...kinds.keys()].sort()).toEqual(['NXDOMAIN', 'SERVFAIL', 'addresses', 'timeout']);
  });

  it('has bursts of SERVFAIL, or of timeouts that take their time', async () => {
    const script = hostileDay(seeded(1), { ttl: 60, busy: true, bursts: 'timeout' });
    const { checks } = await live(script, 1);
    const whys = checks.flatMap(({ heard: { answer } }) => (answer.kind === 'unknown' ? [answer.why] : []));
    expect(new Set(whys)).toEqual(new Set(['timeout']));
    expect(whys.length).toBeGreaterThan(50);
  });

  it('comes again with its seed, and is another with another', async () => {
    const [first, again, other] = [await aDay(1), await aDay(1), await aDay(2)];
    expect(again.checks).toEqual(first.checks);
    expect(other.checks).not.toEqual(first.checks);
  });

  it('A8, A9: leaves the engine nothing to be blamed for', async () => {
    const { script, checks } = await aDay(1);
    const { onsets, ...verdict } = judge(script, checks);
    expect(verdict).toMatchObject({ lost: [], kept: [], idle: [], darkened: [] });
    expect(verdict.writes).toBeGreaterThan(20);
    expect([...onsets.values()].every((writes) => writes.length <= 3)).toBe(true);
  });
});

describe('a hostile day of a name that two links share', () => {
  it('A8, A9: leaves the deployment nothing to be blamed for', async () => {
    const script = hostileDay(seeded(1_000), { ttl: 60, busy: false });
    const { checks } = await live(script, 1_000, sharedEngine);
    const { onsets, ...verdict } = judge(script, checks);
    expect(checks.length).toBeGreaterThan(1_200);
    expect(verdict).toMatchObject({ lost: [], kept: [], idle: [], darkened: [] });
    expect(verdict.writes).toBeGreaterThan(20);
    expect([...onsets.values()].every((writes) => writes.length <= 3)).toBe(true);
  });
});
