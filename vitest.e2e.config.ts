// The end-to-end tests: real API servers and CoreDNS, built by `npm run cluster:build`. `npm run test:e2e`.
import { defineConfig } from 'vitest/config';
import { caseReporter } from './test/support/case-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.e2e.test.ts'],
    globalSetup: ['test/support/e2e-setup.ts'],
    pool: 'forks',
    // Each file starts control planes of its own; side by side they would starve each other.
    fileParallelism: false,
    testTimeout: 120_000, // ms
    hookTimeout: 180_000, // ms; the start of two control planes and CoreDNS on a busy machine
    reporters: ['default', caseReporter({ kind: 'e2e' })],
  },
});
