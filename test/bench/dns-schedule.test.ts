// The schedule of the simulations: events in order, a queue at its worst, and a deployment that lives by both.
import { describe, expect, it } from 'vitest';
import { agenda } from '../../bench/dns/agenda.ts';
import { seeded } from '../../bench/dns/random.ts';
import { scheduleOf } from '../../bench/dns/schedule.ts';
import { type Mishaps, simQueue } from '../../bench/dns/sim-queue.ts';
import { largestShare, longestDistance } from '../../bench/dns/spacing.ts';
import { never } from './dns-support.ts';

const PEACE: Mishaps = { late: 0, lost: 0, doubled: 0 };

describe('the agenda', () => {
  it('lets things happen in order of time, then as they were put down, and what they put down too', async () => {
    const time = agenda();
    const happened: string[] = [];
    const note = (text: string) => async () => void happened.push(`${time.now()} ${text}`);
    for (const at of [5, 3, 9, 3, 1, 7, 3]) time.at(at, note(`of ${at}`));
    time.at(3, async () => time.at(4, note('put down at 3')));
    await time.runUntil(7);
    expect(happened).toEqual(['1 of 1', '3 of 3', '3 of 3', '3 of 3', '4 put down at 3', '5 of 5', '7 of 7']);
    await time.runUntil(20);
    expect([happened.at(-1), time.now()]).toEqual(['9 of 9', 20]);
  });

  it('is in order however much there is', async () => {
    const [time, random] = [agenda(), seeded(1)];
    const seen: number[] = [];
    for (let count = 0; count < 500; count += 1) time.at(random(), async () => void seen.push(time.now()));
    await time.runUntil(1);
    expect(seen).toHaveLength(500);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });
});

describe('the queue', () => {
  const queueOf = (mishaps: Mishaps, random = never) => {
    const time = agenda();
    const received: string[] = [];
    const receive = async (body: string): Promise<void> => void received.push(`${time.now()} ${body}`);
    return { time, received, queue: simQueue({ agenda: time, random, mishaps, receive }) };
  };

  it('delivers when the whole seconds of the delay are over', async () => {
    const { time, received, queue } = queueOf(PEACE);
    await queue.send([{ body: 'a', delaySeconds: 59.2 }, { body: 'b' }]);
    await time.runUntil(59.9);
    expect([received, queue.inFlight()]).toEqual([['0 b'], ['a']]);
    await time.runUntil(60);
    expect([received, queue.inFlight()]).toEqual([['0 b', '60 a'], []]);
  });

  it.each([
    [{ ...PEACE, lost: 1 }, []],
    [{ ...PEACE, doubled: 1 }, ['0 a', '0 a']],
  ])('suffers %o', async (mishaps, expected) => {
    const { time, received, queue } = queueOf(PEACE);
    queue.suffer(mishaps);
    await queue.send([{ body: 'a' }]);
    await time.runUntil(10);
    expect(received).toEqual(expected);
  });

  it('is late, by no more than was said', async () => {
    const { time, received, queue } = queueOf({ ...PEACE, late: 2 }, seeded(3));
    await queue.send(Array.from({ length: 50 }, () => ({ body: 'a', delaySeconds: 10 })));
    await time.runUntil(12);
    const times = received.map((text) => Number.parseFloat(text));
    expect(times).toHaveLength(50);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(10);
    expect(Math.max(...times)).toBeGreaterThan(11);
  });
});

describe('how queries are spaced', () => {
  it('is the longest time between two of one name', () => {
    const queries = [
      { at: 0, hostname: 'a' },
      { at: 10, hostname: 'b' },
      { at: 61, hostname: 'a' },
      { at: 80, hostname: 'b' },
      { at: 125, hostname: 'a' },
    ];
    expect(longestDistance(queries)).toBe(70);
  });

  it('is the largest share of a second in its minute', () => {
    const at = (...times: readonly number[]) => times.map((time) => ({ at: time, hostname: 'a' }));
    expect(largestShare(at(0, 1, 2, 3.1, 3.9, 60, 61, 62, 63, 64))).toBe(40);
  });
});

describe('a deployment', () => {
  const plan = {
    hostnames: { west: ['a.example.test', 'b.example.test'], east: ['a.example.test'] },
    ttlOf: () => 60,
    mishaps: PEACE,
    seed: 1,
  };

  it('asks each name once a TTL, whoever uses it, and keeps one timer of it', async () => {
    const { queries, timers, agenda: time } = await scheduleOf(plan);
    await time.runUntil(600);
    const counts = Map.groupBy(queries, ({ hostname }) => hostname);
    expect([...counts].map(([name, asked]) => [name, asked.length])).toEqual([
      ['a.example.test', 10],
      ['b.example.test', 10],
    ]);
    expect(
      timers
        .inFlight()
        .map(({ hostname }) => hostname)
        .sort(),
    ).toEqual(['a.example.test', 'b.example.test']);
  });

  it('sets timers anew that were lost', async () => {
    const { queries, timers, agenda: time } = await scheduleOf({ ...plan, mishaps: { ...PEACE, lost: 1 } });
    await time.runUntil(90);
    expect([queries.length, timers.inFlight().length]).toEqual([2, 0]);
    timers.suffer(PEACE);
    await time.runUntil(400);
    expect(timers.inFlight()).toHaveLength(2);
    expect(queries.length).toBeGreaterThan(6);
  });
});
