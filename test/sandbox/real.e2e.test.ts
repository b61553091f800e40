// The whole story on real API servers.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { parseFlags } from '../../sandbox/flags.ts';
import { run } from '../../sandbox/run.ts';
import { plainView } from '../../sandbox/view/view.ts';
import { OUR_ROOT } from '../house/project.ts';

it('npm start -- --once --real: the packaged functions on real API servers, behind tokens signed by IAM', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-real-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  let text = '';
  const code = await run({
    flags: parseFlags(['--once', '--real', '--folder', folder]),
    project: OUR_ROOT,
    view: plainView({ isTTY: false, write: (part) => (text += part) }),
    clock: systemClock,
    signal: new AbortController().signal,
  });
  expect(text).toMatch(/\n✓ 10 steps in \d+ s: every expected mirror was there\.\n$/);
  expect(text).toContain('two real API servers');
  expect(code).toBe(0);
  expect(await readdir(folder)).toStrictEqual(['logs']);
}, 240_000);
