// The result file of a run, made by vitest itself in a small project.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OUR_ROOT, type Files, aProject } from './project.ts';

const SUPPORT = join(OUR_ROOT, 'test/support');

const CONFIG = `
import { caseReporter } from '${SUPPORT}/case-reporter.ts';
export default { test: { include: ['*.test.ts'], reporters: [caseReporter({ kind: 'unit' })] } };
`;

const TESTS: Files = {
  'vitest.config.ts': CONFIG,
  'some.test.ts': `
    import { describe, expect, it } from 'vitest';
    import { markReadBack } from '${SUPPORT}/read-back.ts';
    describe('A1: outer', () => {
      describe('inner', () => {
        it('reads back', () => { markReadBack(); });
        it('reads back and fails', () => { markReadBack(); expect(1).toBe(2); });
      });
      it.skip('is skipped', () => {});
    });
    it('passes', () => {});
  `,
};

/** Vitest finds itself from a folder inside the project only. */
function runVitest(files: Files, ...args: readonly string[]) {
  const root = aProject(files, join(OUR_ROOT, '.cache'));
  const command = [join(OUR_ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', root, ...args];
  const { status } = spawnSync(process.execPath, command, { cwd: root });
  const file = join(root, '.cache/cases/unit.json');
  return { status, results: existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined };
}

describe('the result file', () => {
  it('has every test of a whole run', () => {
    const { results } = runVitest(TESTS);
    const file = 'some.test.ts';
    expect(results).toEqual({
      kind: 'unit',
      finishedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      errors: [],
      tests: [
        { titles: ['A1: outer', 'inner', 'reads back'], file, state: 'passed', readBack: true },
        { titles: ['A1: outer', 'inner', 'reads back and fails'], file, state: 'failed', readBack: true },
        { titles: ['A1: outer', 'is skipped'], file, state: 'skipped', readBack: false },
        { titles: ['passes'], file, state: 'passed', readBack: false },
      ],
    });
  });

  it('has what went wrong outside of tests', () => {
    const { results } = runVitest({
      ...TESTS,
      'broken.test.ts': `import './absent.ts';`,
      'hook.test.ts': `
        import { beforeAll, describe, it } from 'vitest';
        describe('suite', () => {
          beforeAll(() => { throw new Error('no server'); });
          it('waits', () => {});
        });
      `,
      'loose.test.ts': `
        import { it } from 'vitest';
        it('lets a promise go', async () => {
          void Promise.reject(new Error('nobody caught this'));
          await new Promise((resolve) => setImmediate(resolve));
        });
      `,
    });
    expect(results.errors).toHaveLength(3);
    expect(results.errors).toEqual(
      expect.arrayContaining([
        { file: 'broken.test.ts', message: expect.stringContaining('./absent.ts') },
        { file: 'hook.test.ts', message: 'no server' },
        { file: '', message: 'nobody caught this' },
      ]),
    );
  });

  const aTest = `import { it } from 'vitest';\nit('passes', () => {});`;
  const parts: readonly (readonly [what: string, ...args: string[]])[] = [
    ['some files', 'some'],
    ['some names', '-t', 'passes'],
    ['a share of the files', '--shard', '1/2'],
  ];

  it.each(parts)('is not written by a run of %s', (_what, ...args) => {
    const files = { 'vitest.config.ts': CONFIG, 'some.test.ts': aTest, 'other.test.ts': aTest };
    expect(runVitest(files, ...args)).toEqual({ status: 0, results: undefined });
  });
});
