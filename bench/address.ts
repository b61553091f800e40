// The gateway's address changes under 1,000 mirrors: an answer that overlaps the old one, so one write per mirror.
import { GATEWAY_HOST } from '../test/support/builders.ts';
import type { Ground } from './ground.ts';
import { type Figure, median, timed } from './measure.ts';

export const addressFigures = async (
  ground: Ground,
  count: number,
  rounds: number,
): Promise<readonly Figure[]> => {
  await ground.fillTarget(count);
  await ground.run({ dryRun: false });
  const [ours, bare]: [number[], number[]] = [[], []];
  let last = 20;
  let writes = 0;
  const moveAddress = (): void => {
    last += 1;
    ground.dns.set(GATEWAY_HOST, ['203.0.113.10', `203.0.113.${last}`]);
    ground.passTtl();
  };
  for (let round = 0; round < rounds; round += 1) {
    moveAddress();
    const plan = await ground.run({ dryRun: true });
    bare.push(await timed(() => ground.source.apply(plan.changes)));
    moveAddress();
    ours.push(
      await timed(async () => {
        writes = (await ground.run({ dryRun: false })).requests.source.writes;
      }),
    );
  }
  const seconds = median(ours);
  const ratio = median(bare) / seconds;
  const named = `gateway address change over ${count} mirrors`;
  return [
    { name: named, value: seconds, unit: 's', ok: true, kind: 'time' },
    {
      name: `${named}, rate`,
      value: count / seconds,
      unit: 'mirrors/s',
      ratio,
      target: '>= 0.7 of the bare rate',
      ok: ratio >= 0.7,
      kind: 'time',
    },
    {
      name: `${named} and the gateway mirror, writes`,
      value: writes,
      unit: 'writes',
      target: `= ${count + 1}`,
      ok: writes === count + 1,
      kind: 'count',
    },
  ];
};
