// Cold mirroring of N Services, beside a bare client that sends the same writes.
import { coldRounds, coldRows } from './cold-rounds.ts';
import type { Ground } from './ground.ts';
import type { Figure } from './measure.ts';

const SIZES = [100, 1000, 3000] as const;

/** Seconds per Service from 100 to 1,000, and from there to 3,000. */
const perFurther = (times: ReadonlyMap<number, number>): readonly [number, number] => {
  const at = (size: number): number => times.get(size) ?? 0;
  return [(at(1000) - at(100)) / 900, (at(3000) - at(1000)) / 2000];
};

/** Leaves the source with the mirrors of the largest size. */
export const coldFigures = async (ground: Ground, rounds: number): Promise<readonly Figure[]> => {
  const figures: Figure[] = [];
  const times = new Map<number, number>();
  const bareTimes = new Map<number, number>();
  for (const size of SIZES) {
    await ground.fillTarget(size);
    const taken = await coldRounds(ground, rounds);
    times.set(size, taken.ours);
    bareTimes.set(size, taken.bare);
    const subject = { named: `${size} Services`, count: size, unit: 'Services' };
    figures.push(...coldRows({ ...subject, writes: 2 * size, isJudged: size === 1000 }, taken));
  }
  const [early, late] = perFurther(times);
  const [bareEarly, bareLate] = perFurther(bareTimes);
  figures.push({
    name: 'time per further Service, 1,000 to 3,000 beside 100 to 1,000',
    value: late * 1000,
    unit: 'ms',
    ratio: late / early,
    target: '<= 1.2',
    ok: late / early <= 1.2,
    kind: 'time',
  });
  // What the API server alone makes of it: it takes longer to give out a ClusterIP the more are given out.
  figures.push({
    name: 'the same of the bare client',
    value: bareLate * 1000,
    unit: 'ms',
    ratio: bareLate / bareEarly,
    ok: true,
    kind: 'time',
  });
  return figures;
};
