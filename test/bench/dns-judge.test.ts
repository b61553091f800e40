// The judge of the simulations: right about engines that are wrong in one way each.
import { describe, expect, it } from 'vitest';
import { type Engine, play } from '../../bench/dns/course.ts';
import { linkEngine } from '../../bench/dns/engine.ts';
import { judge } from '../../bench/dns/judge.ts';
import { recursorOf } from '../../bench/dns/recursor.ts';
import type { Script } from '../../bench/dns/script.ts';
import {
  A,
  aChapter,
  aScript,
  B,
  believingAll,
  believingSilence,
  C,
  engineOf,
  never,
  neverForgetting,
  neverLearning,
} from './dns-support.ts';

const judged = async (script: Script, engine: Engine) =>
  judge(script, await play(script.length, recursorOf(script, never), engine, never));

const texts = (findings: readonly { readonly at: number; readonly what: string }[]) =>
  findings.map(({ at, what }) => `${at} ${what}`);

const CLEAN = { lost: [], kept: [], idle: [], darkened: [] };

const STEADY = aScript();
const MISTAKE = aScript({
  chapters: [aChapter(0), aChapter(600, { view: { kind: 'nothing', negativeTtl: 60 } }), aChapter(610)],
});
const GONE = aScript({ chapters: [aChapter(0), aChapter(600, { truth: [A] })] });
const DELETED = aScript({
  chapters: [aChapter(0), aChapter(600, { truth: [], view: { kind: 'nothing', negativeTtl: 60 } })],
});
const IN_TURN = aScript({
  chapters: [aChapter(0), aChapter(600, { view: { kind: 'turn', parts: [[A], [B]] } })],
});

describe('the engine of lib/gateway', () => {
  it.each([
    ['nothing happens', STEADY, 1],
    ['A8: a "no" by mistake', MISTAKE, 1],
    ['one address is gone', GONE, 3], // learned, draining, removed
    ['the name is gone', DELETED, 2],
  ])('%s: nothing to find', async (_case, script, writes) => {
    expect(await judged(script, linkEngine(never))).toMatchObject({ ...CLEAN, writes });
  });

  it('A9: what rotation teaches it is told apart', async () => {
    const { onsets, ...verdict } = await judged(IN_TURN, linkEngine(never));
    expect(verdict).toMatchObject(CLEAN);
    expect([...onsets].map(([from, findings]) => [from, findings.length])).toEqual([[600, 2]]);
  });
});

describe('an engine that takes a "no" for the truth', () => {
  it('loses what the load balancer has, and publishes nobody', async () => {
    const verdict = await judged(MISTAKE, believingAll());
    expect(texts(verdict.lost)).toEqual([`600 ${A}`, `600 ${B}`]);
    expect(texts(verdict.darkened)).toEqual([`600 ${A} ${B} → `]);
    expect(texts(verdict.idle)).toEqual([`600 ${A} ${B} → `]);
  });

  it('is right about a name that really is gone', async () => {
    expect(await judged(DELETED, believingAll())).toMatchObject({ ...CLEAN, writes: 2 });
  });

  it('loses one zone after the other in a rotation', async () => {
    const verdict = await judged({ ...IN_TURN, length: 800 }, believingAll());
    expect(texts(verdict.lost)).toEqual([`600 ${B}`, `660 ${A}`, `720 ${B}`, `780 ${A}`]);
    expect(verdict.onsets.get(600)).toHaveLength(4);
  });
});

it('an engine that takes silence for nothing loses everything', async () => {
  const script = aScript({ silences: [{ from: 600, until: 630, why: 'SERVFAIL' }] });
  expect(texts((await judged(script, believingSilence())).lost)).toEqual([`600 ${A}`, `600 ${B}`]);
  expect(await judged(script, believingAll())).toMatchObject(CLEAN);
});

describe('an engine that never forgets', () => {
  it('keeps what left for good, until after the bound', async () => {
    const { kept, longestKept } = await judged(GONE, neverForgetting());
    expect(texts(kept)).toEqual([`3600 ${B}: 3000 s, bound 390 s`]); // 60 + 3 · 70 + 120
    expect(longestKept).toBe(3_000);
  });

  it('keeps what a deleted name had', async () => {
    expect((await judged(DELETED, neverForgetting())).kept).toHaveLength(2);
  });

  it('has the longer bound where answers may be parts', async () => {
    const script = aScript({
      length: 7_200,
      chapters: [
        aChapter(0, { truth: [A, B, C], view: { kind: 'turn', parts: [[A], [B], [C]] } }),
        aChapter(1_800, { view: { kind: 'turn', parts: [[A], [B]] } }),
      ],
    });
    expect(texts((await judged(script, neverForgetting())).kept)).toEqual([`7200 ${C}: 5400 s, bound 780 s`]);
  });

  it('is not blamed for what comes back in time', async () => {
    const script = aScript({
      chapters: [aChapter(0), aChapter(600, { truth: [A] }), aChapter(900)],
    });
    expect(await judged(script, neverForgetting())).toMatchObject({ ...CLEAN, longestKept: 0 });
  });

  it('is not blamed for the time in which nobody answers', async () => {
    const silence = { from: 590, until: 3_300, why: 'SERVFAIL' };
    expect((await judged({ ...GONE, silences: [silence] }, neverForgetting())).kept).toEqual([]);
  });
});

it('an engine that never learns leaves a new address unknown', async () => {
  const script = aScript({ chapters: [aChapter(0), aChapter(590, { truth: [A, B, C] })] });
  expect((await judged(script, neverLearning())).longestUnknown).toBe(3_010);
  expect((await judged(script, linkEngine(never))).longestUnknown).toBe(20); // asked at 610, one second of jitter each time
});

describe('an engine that writes for nothing', () => {
  it('is found by every write that teaches nobody anything', async () => {
    let turn = 0;
    const restless = engineOf(() => ((turn += 1) % 2 === 0 ? [A] : [A, B]));
    const { idle, lost } = await judged({ ...STEADY, length: 300 }, restless);
    expect(texts(idle)).toEqual([`60 ${A} ${B} → ${A}`, `180 ${A} ${B} → ${A}`]);
    expect(texts(lost)).toEqual([`60 ${B}`, `180 ${B}`]);
  });

  it('may write as long as a change of the truth explains it', async () => {
    const late = engineOf((before, answer) =>
      answer.kind === 'addresses' && before.length > 0 ? answer.addresses : [A, B],
    );
    expect(await judged(GONE, late)).toMatchObject({ ...CLEAN, writes: 2 });
  });
});
