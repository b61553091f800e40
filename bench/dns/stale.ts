// Figures of a silence that outlasts everything: 30 hours in which no server answers.
import type { Figure } from '../measure.ts';
import type { Check } from './course.ts';
import { live } from './hostile.ts';
import type { Script } from './script.ts';

const HOUR = 3_600;
const [BEGINS, ENDS] = [HOUR, 31 * HOUR];
const LONGEST_RETRY = 120 + 7 + 3 + 5; // back-off, jitter, a late timer, and the look-up that times out

const SILENCE: Script = {
  length: 32 * HOUR,
  chapters: [{ from: 0, truth: ['10.0.1.10', '10.0.2.10'], view: { kind: 'all' }, ttl: 60, caches: 1 }],
  silences: [{ from: BEGINS, until: ENDS, why: 'timeout' }],
  lost: 0,
  busy: true,
};

const readyIn = ({ addresses }: Check): number => addresses.filter(({ state }) => state === 'ready').length;

export const staleFigures = async (): Promise<readonly Figure[]> => {
  const { checks } = await live(SILENCE, 1);
  const lastGood = checks.findLast(({ at }) => at < BEGINS);
  const expired =
    Math.floor(lastGood?.at ?? 0) +
    (lastGood?.heard.answer.kind === 'addresses' ? lastGood.heard.answer.ttl : 0);
  const firstDown = checks.find((check) => check.at > BEGINS && readyIn(check) === 0)?.at ?? Infinity;
  const back = checks.find((check) => check.at > firstDown && readyIn(check) === 2)?.at ?? Infinity;
  const stayed = firstDown - expired;
  const most = 24 * HOUR + LONGEST_RETRY;
  return [
    {
      name: '30 h of silence: addresses stay ready after their TTL for',
      value: stayed / HOUR,
      unit: 'h',
      target: `24 h, and ${LONGEST_RETRY} s at most`,
      ok: stayed >= 24 * HOUR && stayed <= most,
      kind: 'count',
    },
    {
      name: '30 h of silence: ready again after its end within',
      value: back - ENDS,
      unit: 's',
      target: `<= ${LONGEST_RETRY}`,
      ok: back - ENDS <= LONGEST_RETRY,
      kind: 'count',
    },
  ];
};
