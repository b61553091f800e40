// The unit tests: Node only, no program besides. `npm test`.
import { configDefaults, defineConfig } from 'vitest/config';
import { caseReporter } from './test/support/case-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/**/*.e2e.test.ts'],
    pool: 'forks',
    // The default leaves one core idle, which on a machine with two is half of it.
    maxWorkers: '100%',
    testTimeout: 20_000, // ms; generous, because a busy machine must not fail a test
    hookTimeout: 30_000, // ms
    reporters: ['default', caseReporter({ kind: 'unit' })],
    coverage: { provider: 'v8', include: ['lib/**', 'cli/**', 'functions/**', 'sandbox/**'] },
  },
});
