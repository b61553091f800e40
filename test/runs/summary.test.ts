// What is remembered of a run, and when it is news.
import { expect, it } from 'vitest';
import type { Refusal } from '../../lib/model/plan.ts';
import type { Report } from '../../lib/model/report.ts';
import { saysTheSame, summaryOf } from '../../lib/runs/summary.ts';
import { storedSummary } from '../../lib/store/run-summary.ts';

const reportWith = (refusals: readonly Refusal[]): Report => {
  const none = { reads: 0, writes: 0, leases: 0, bytes: 0 };
  return {
    link: 'west',
    changes: [],
    refusals,
    unobserved: [],
    notes: [],
    mirrors: [],
    explanations: [],
    outcomes: [],
    requests: { source: none, target: none },
  };
};

const REFUSAL = { namespace: 'shop', name: 'db', reason: 'NameConflict', message: 'why' } as const;

it.each<[string, Refusal]>([
  ['of a Service', REFUSAL],
  ['of one pod', { ...REFUSAL, hostname: 'db-0' }],
  ['with a long message', { ...REFUSAL, message: 'é'.repeat(1000) }],
])('a refusal %s is no news when it was stored and read back', (_name, refusal) => {
  const report = reportWith([refusal]);
  const stored = storedSummary(JSON.parse(JSON.stringify(summaryOf(report, 'run-1', 1000))));
  expect(stored?.refusals).toHaveLength(1);
  expect(stored !== undefined && saysTheSame(stored, summaryOf(report, 'run-2', 2000))).toBe(true);
  expect(stored !== undefined && saysTheSame(stored, summaryOf(reportWith([]), 'run-2', 2000))).toBe(false);
});
