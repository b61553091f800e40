// Liveness over random runs: it dies only by failures in a row, one answer brings it back, and it never adds an address.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { withLiveness } from '../../lib/gateway/liveness.ts';
import type { AddressState } from '../../lib/model/gateway.ts';
import { LIVENESS_STATES, NO_LIVENESS, type Liveness } from '../../lib/model/liveness.ts';
import type { ProbeResult } from '../../lib/ports.ts';
import { anAddress, COUNTS, FAIL, IGNORED, IP, NO_PROBE, OK, OTHER, run } from './liveness-support.ts';
import { frozen } from './support.ts';

interface Run {
  readonly found: readonly ProbeResult[];
  readonly ignored: boolean;
}

const runs = fc.array(
  fc.record<Run>({
    found: fc.array(fc.constantFrom(OK, FAIL, NO_PROBE), { maxLength: 4 }),
    ignored: fc.boolean(),
  }),
  { maxLength: 30 },
);

/** What the state has to be, told from the whole story: the last answer, and the failures that counted since. */
const expectedState = (story: readonly Run[], threshold: number): string => {
  const told = story.flatMap(({ found, ignored }) => (ignored ? [] : found.map(({ kind }) => kind)));
  const row = told.filter((kind) => kind !== 'unknown');
  const sinceAnswer = row.slice(row.lastIndexOf('alive') + 1).length;
  if (sinceAnswer >= threshold) return 'dead';
  return row.includes('alive') ? 'alive' : row.length === 0 ? 'none' : 'unknown';
};

it('is what the story of the probes says, whatever happens', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(runs, fc.integer({ min: 1, max: 4 }), (story, failureThreshold) => {
      let state: Liveness = NO_LIVENESS;
      story.forEach(({ found, ignored }, now) => {
        const network = ignored ? IGNORED : COUNTS;
        const settings = { off: false, port: 4191, failureThreshold };
        state = frozen(run({ state, results: { [IP]: found }, network, settings, now }));
      });
      const expected = expectedState(story, failureThreshold);
      seen.add(expected);
      expect(state[IP]?.state ?? 'none').toBe(expected);
    }),
    { numRuns: 500 }, // enough to meet every state
  );
  expect([...seen].sort()).toEqual([...LIVENESS_STATES, 'none'].sort());
});

it('keeps every address in its place, and only ever turns ready into down', () => {
  const states = fc.constantFrom<AddressState>('ready', 'draining', 'down');
  fc.assert(
    fc.property(states, states, runs, (first, second, story) => {
      const addresses = [anAddress(IP, first), anAddress(OTHER, second)];
      const results = { [IP]: story.flatMap(({ found }) => found) };
      const published = withLiveness(addresses, run({ addresses, results }));
      expect(published.map(({ ip }) => ip)).toEqual([IP, OTHER]);
      const changes = published.flatMap(({ state }, index) => {
        const before = addresses[index]?.state;
        return before === state ? [] : [`${before} → ${state}`];
      });
      expect(changes.filter((change) => change !== 'ready → down')).toEqual([]);
    }),
  );
});
