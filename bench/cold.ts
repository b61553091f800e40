// Cold mirroring of N Services, beside a bare client that sends the same writes.
import type { Report } from '../lib/model/report.ts';
import type { Ground } from './ground.ts';
import { type Figure, median, timed } from './measure.ts';

const appliedIn = ({ outcomes = [] }: Report): number =>
  outcomes.filter(({ result }) => result === 'applied').length;

interface Rounds {
  readonly ours: readonly number[]; // seconds
  readonly bare: readonly number[];
  readonly writes: number;
}

const oneSize = async (ground: Ground, count: number, rounds: number): Promise<Rounds> => {
  await ground.fillTarget(count);
  const [ours, bare]: [number[], number[]] = [[], []];
  let writes = 0;
  for (let round = 0; round < rounds; round += 1) {
    await ground.emptySource();
    const plan = await ground.run({ dryRun: true });
    bare.push(await timed(() => ground.source.apply(plan.changes)));
    await ground.emptySource();
    ours.push(
      await timed(async () => {
        writes = appliedIn(await ground.run({ dryRun: false }));
      }),
    );
  }
  return { ours, bare, writes };
};

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
    const { ours, bare, writes } = await oneSize(ground, size, rounds);
    const seconds = median(ours);
    const ratio = median(bare) / seconds;
    times.set(size, seconds);
    bareTimes.set(size, median(bare));
    const named = `cold mirroring of ${size} Services`;
    figures.push(
      { name: named, value: seconds, unit: 's', ok: true, kind: 'time' },
      {
        name: `${named}, rate`,
        value: size / seconds,
        unit: 'Services/s',
        ratio,
        ...(size === 1000 ? { target: '>= 0.7 of the bare rate' } : {}),
        ok: size !== 1000 || ratio >= 0.7,
        kind: 'time',
      },
      {
        name: `${named}, writes`,
        value: writes,
        unit: 'writes',
        target: `= ${2 * size}`,
        ok: writes === 2 * size,
        kind: 'count',
      },
    );
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
