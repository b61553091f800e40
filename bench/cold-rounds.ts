// Rounds of cold mirroring, ours and those of the bare client in turn, and the rows of figures that tell of them.
import type { Report } from '../lib/model/report.ts';
import type { Ground } from './ground.ts';
import { type Figure, median, timed } from './measure.ts';

export interface Rounds {
  readonly ours: number; // median of the rounds, seconds
  readonly bare: number;
  readonly writes: number; // that the last of ours sent
  readonly isWhole: boolean; // it left nothing undone
}

/** Whether a run did all that it set out to do. */
export const isWhole = ({ outcomes = [] }: Report): boolean =>
  outcomes.every(({ result }) => result === 'applied');

/** Mirrors what the target exports, again and again. Leaves the source with the mirrors. */
export const coldRounds = async (ground: Ground, rounds: number): Promise<Rounds> => {
  const [ours, bare]: [number[], number[]] = [[], []];
  let report: Report | undefined;
  for (let round = 0; round < rounds; round += 1) {
    await ground.emptySource();
    const plan = await ground.run({ dryRun: true });
    bare.push(await timed(() => ground.source.apply(plan.changes)));
    await ground.emptySource();
    ours.push(
      await timed(async () => {
        report = await ground.run({ dryRun: false });
      }),
    );
  }
  return {
    ours: median(ours),
    bare: median(bare),
    writes: report?.requests.source.writes ?? 0,
    isWhole: report !== undefined && isWhole(report),
  };
};

interface Subject {
  readonly named: string; // what was mirrored
  readonly count: number;
  readonly unit: string; // of what is counted
  readonly writes: number; // that it should take
  readonly isJudged: boolean; // whether the rate has to hold
}

export const coldRows = (
  { named, count, unit, writes, isJudged }: Subject,
  rounds: Rounds,
): readonly Figure[] => {
  const ratio = rounds.bare / rounds.ours;
  const name = `cold mirroring of ${named}`;
  return [
    { name, value: rounds.ours, unit: 's', ok: true, kind: 'time' },
    {
      name: `${name}, rate`,
      value: count / rounds.ours,
      unit: `${unit}/s`,
      ratio,
      ...(isJudged ? { target: '>= 0.7 of the bare rate' } : {}),
      ok: !isJudged || ratio >= 0.7,
      kind: 'time',
    },
    {
      name: `${name}, writes`,
      value: rounds.writes,
      unit: 'writes',
      target: `= ${writes}`,
      ok: rounds.isWhole && rounds.writes === writes,
      kind: 'count',
    },
  ];
};
