// The recursor of the simulations: what a look-up meets.
import { describe, expect, it } from 'vitest';
import { recursorOf } from '../../bench/dns/recursor.ts';
import { A, aChapter, aScript, B, C, chance, never } from './dns-support.ts';

const found = (addresses: readonly string[], ttl: number) => ({
  kind: 'addresses',
  addresses,
  ttl,
  partial: false,
});
const none = (negativeTtl: number) => ({ kind: 'nothing', why: 'NXDOMAIN', negativeTtl });

const answersOf = async (script: ReturnType<typeof aScript>, times: readonly number[], random = never) => {
  const recursor = recursorOf(script, random);
  const answers = [];
  for (const at of times) answers.push((await recursor.lookUp(at)).answer);
  return answers;
};

describe('a cached copy', () => {
  const moved = aScript({ chapters: [aChapter(0), aChapter(10, { truth: [A, C] })] });

  it('counts its TTL down and hides what changed, until it has expired', async () => {
    expect(await answersOf(moved, [0, 20, 59.5, 60.5])).toEqual([
      found([A, B], 60),
      found([A, B], 40),
      found([A, B], 0),
      found([A, C], 60),
    ]);
  });

  it('is renewed by others when the recursor is busy', async () => {
    expect(await answersOf({ ...moved, busy: true }, [0, 70])).toEqual([
      found([A, B], 60),
      found([A, C], 50),
    ]);
  });

  it('says when it was fetched', async () => {
    const recursor = recursorOf(moved, never);
    expect((await recursor.lookUp(5)).fetchedAt).toEqual([5]);
    expect((await recursor.lookUp(30)).fetchedAt).toEqual([5]);
  });

  it('repeats a "no" long after the zone took it back', async () => {
    const script = aScript({
      chapters: [aChapter(0, { view: { kind: 'nothing', negativeTtl: 900 } }), aChapter(10)],
    });
    expect(await answersOf(script, [0, 300, 899, 900])).toEqual([
      none(900),
      none(600),
      none(1),
      found([A, B], 60),
    ]);
  });

  it('is another one in each cache', async () => {
    const two = aScript({
      chapters: [aChapter(0, { caches: 2 }), aChapter(10, { truth: [A, C], caches: 2 })],
    });
    const draws = [0.9, 0.1, 0.9, 0.6]; // lost or not, which cache, twice over
    const random = (): number => draws.shift() ?? 0;
    expect(await answersOf(two, [0, 20], random)).toEqual([found([A, B], 60), found([A, C], 60)]);
  });
});

describe('silence', () => {
  const quiet = (why: string) => aScript({ silences: [{ from: 100, until: 200, why }] });

  it.each([
    ['timeout', 5],
    ['SERVFAIL', 0],
  ])('%s takes %i s, and nothing is known', async (why, took) => {
    const recursor = recursorOf(quiet(why), never);
    expect(await recursor.lookUp(150)).toEqual({ answer: { kind: 'unknown', why }, fetchedAt: [], took });
    expect((await recursor.lookUp(200)).answer).toEqual(found([A, B], 60));
  });

  it('of the zone: a busy recursor has nothing newer than its end; of the way to it: it goes on', async () => {
    const fetched = async (why: string) => {
      const recursor = recursorOf({ ...quiet(why), busy: true }, never);
      await recursor.lookUp(0);
      return (await recursor.lookUp(210)).fetchedAt;
    };
    expect(await fetched('SERVFAIL')).toEqual([200]); // expired at 120, renewed when the zone was back
    expect(await fetched('timeout')).toEqual([180]);
  });

  it('takes the share of look-ups that the story says', async () => {
    const recursor = recursorOf(aScript({ lost: 0.25 }), chance());
    let lost = 0;
    for (let at = 0; at < 1_000; at += 1)
      lost += (await recursor.lookUp(at)).answer.kind === 'unknown' ? 1 : 0;
    expect(lost).toBeGreaterThan(200);
    expect(lost).toBeLessThan(300);
  });
});

describe('what the zone shows', () => {
  it('one part after the other', async () => {
    const turn = aScript({ chapters: [aChapter(0, { view: { kind: 'turn', parts: [[A], [B, C]] } })] });
    expect(await answersOf(turn, [0, 60, 120])).toEqual([found([A], 60), found([B, C], 60), found([A], 60)]);
  });

  it('eight of twelve, another eight for each question, of which a look-up makes one answer', async () => {
    const truth = Array.from({ length: 12 }, (_, node) => `10.1.0.${node + 1}`);
    const eight = (caches: number) =>
      aScript({ chapters: [aChapter(0, { truth, view: { kind: 'some', count: 8 }, caches })] });
    const one = await recursorOf(eight(1), chance()).lookUp(0);
    expect(one).toMatchObject({ answer: { addresses: { length: 8 } }, fetchedAt: [0, 0, 0] }); // two looks that add nothing
    const four = await recursorOf(eight(4), chance()).lookUp(0);
    expect(four.answer.kind === 'addresses' && four.answer.addresses.length).toBeGreaterThan(8);
    expect(four.took).toBeGreaterThan(0);
  });
});
