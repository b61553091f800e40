// Every case suite by name.
import { describe } from 'vitest';
import { emptinessCases } from './emptiness.cases.ts';
import { gatewayCases } from './gateway.cases.ts';
import type { LabHandle } from './suite.ts';

const SUITES: readonly (readonly [string, (handle: LabHandle) => void])[] = [
  ['gateway', gatewayCases],
  ['emptiness', emptinessCases],
];

/** Declares all suites on one bench. */
export const allCases = (handle: LabHandle): void => {
  for (const [name, suite] of SUITES) {
    describe(`${name} cases`, () => {
      suite(handle);
    });
  }
};
