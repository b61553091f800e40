// A reconcile that finds nothing to do, and one that finds four things edited by hand.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Report } from '../lib/model/report.ts';
import { collectionPath } from './bare.ts';
import type { Ground } from './ground.ts';
import { type Figure, median, timed } from './measure.ts';

const sum = ({ requests }: Report, field: 'reads' | 'writes' | 'leases' | 'bytes'): number =>
  requests.source[field] + requests.target[field];

/** The host in a message of undici's channel. */
const hostOf = (message: unknown): string => {
  const parameters: unknown = Reflect.get(Object(message), 'connectParams');
  return String(Reflect.get(Object(parameters), 'host'));
};

/** Sockets that were opened per API server while `run` ran. */
const connectionsOf = async (run: () => Promise<unknown>): Promise<number> => {
  const opened = new Map<string, number>();
  const count = (message: unknown): void => {
    const host = hostOf(message);
    opened.set(host, (opened.get(host) ?? 0) + 1);
  };
  subscribe('undici:client:connected', count);
  try {
    await run();
  } finally {
    unsubscribe('undici:client:connected', count);
  }
  return Math.max(0, ...opened.values());
};

const editByHand = async ({ source }: Ground): Promise<void> => {
  const [service, endpoints] = [collectionPath('Service', 'shop-0'), collectionPath('Endpoints', 'shop-0')];
  await source.send('PATCH', `${service}/web-0-west`, {
    spec: { ports: [{ name: 'http', port: 81, targetPort: 8080 }] },
  });
  await source.send('PATCH', `${service}/web-4-west`, {
    metadata: { labels: { team: 'edited' } },
  });
  await source.send('PATCH', `${endpoints}/web-8-west`, { subsets: [] });
  await source.send('DELETE', `${endpoints}/web-12-west`);
};

interface Unchanged {
  readonly seconds: number; // medians of the rounds
  readonly cpu: number; // ms
  readonly report: Report; // of the last
}

/** Reconciles once, and then again and again with nothing to do. */
export const unchangedRounds = async (ground: Ground, rounds: number): Promise<Unchanged> => {
  let report = await ground.run({ dryRun: false });
  const [cpu, seconds]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    seconds.push(
      await timed(async () => {
        report = await ground.run({ dryRun: false });
      }),
    );
    const used = process.cpuUsage(before);
    cpu.push((used.user + used.system) / 1000);
  }
  return { seconds: median(seconds), cpu: median(cpu), report };
};

export const unchangedFigures = async (
  ground: Ground,
  count: number,
  rounds: number,
): Promise<readonly Figure[]> => {
  await ground.fillTarget(count);
  const { seconds, cpu, report } = await unchangedRounds(ground, rounds);
  const connections = await connectionsOf(() => ground.run({ dryRun: false }));
  const requests = sum(report, 'reads') + sum(report, 'writes') + sum(report, 'leases');
  const writes = sum(report, 'writes');
  const named = `unchanged reconcile of ${count} Services`;
  await editByHand(ground);
  const repaired = sum(await ground.run({ dryRun: false }), 'writes');
  return [
    { name: named, value: seconds, unit: 's', ok: true, kind: 'time' },
    { name: `${named}, CPU of this process`, value: cpu, unit: 'ms', ok: true, kind: 'time' },
    {
      name: `${named}, writes`,
      value: writes,
      unit: 'writes',
      target: '= 0',
      ok: writes === 0,
      kind: 'count',
    },
    {
      name: `${named}, requests`,
      value: requests,
      unit: 'requests',
      target: '<= 12',
      ok: requests <= 12,
      kind: 'count',
    },
    { name: `${named}, received`, value: sum(report, 'bytes') / 1024, unit: 'KiB', ok: true, kind: 'count' },
    {
      name: `${named}, sockets to one API server`,
      value: connections,
      unit: 'sockets',
      target: '<= 8',
      ok: connections <= 8,
      kind: 'count',
    },
    {
      name: 'repair of four hand edits',
      value: repaired,
      unit: 'writes',
      target: '= 4',
      ok: repaired === 4,
      kind: 'count',
    },
  ];
};
