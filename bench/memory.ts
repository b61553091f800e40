// Peak memory of one cold reconcile, in a process of its own.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Ground } from './ground.ts';
import type { Figure } from './measure.ts';

const LIMIT_MIB = 256;

export const memoryFigures = async (ground: Ground, count: number): Promise<readonly Figure[]> => {
  await ground.fillTarget(count);
  const child = new URL('memory-child.ts', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [
    child,
    ...[ground.access.source, ground.access.target].flatMap(({ url, token, caData = '' }) => [
      url,
      token,
      caData,
    ]),
  ]);
  const mebibytes = Number(stdout) / 1024;
  return [
    {
      name: `peak memory of a process that mirrors ${count} Services cold`,
      value: mebibytes,
      unit: 'MiB',
      target: `<= ${LIMIT_MIB} MiB`,
      ok: mebibytes <= LIMIT_MIB,
      kind: 'count',
    },
  ];
};
