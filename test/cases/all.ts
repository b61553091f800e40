// Every case suite by name.
import { describe } from 'vitest';
import { brakeCases } from './brake.cases.ts';
import { emptinessCases } from './emptiness.cases.ts';
import { gatewayCases } from './gateway.cases.ts';
import { gatewayMirrorCases } from './gateway-mirror.cases.ts';
import { gatewayMirrorShapeCases } from './gateway-mirror-shapes.cases.ts';
import { hostileCases } from './hostile.cases.ts';
import { leaseCases } from './lease.cases.ts';
import { linkCases } from './links.cases.ts';
import { livenessCases } from './liveness.cases.ts';
import { metadataCases } from './metadata.cases.ts';
import { namespaceCases } from './namespaces.cases.ts';
import { outputCases } from './output.cases.ts';
import { ownershipCases } from './ownership.cases.ts';
import { raceCases } from './races.cases.ts';
import { selectionCases } from './selection.cases.ts';
import type { LabHandle } from './suite.ts';
import { takeoverCases } from './takeover.cases.ts';
import { unreadableCases } from './unreadable.cases.ts';
import { writingCases } from './writing.cases.ts';

const SUITES: readonly (readonly [string, (handle: LabHandle) => void])[] = [
  ['gateway', gatewayCases],
  ['gateway mirror', gatewayMirrorCases],
  ['gateway mirror shape', gatewayMirrorShapeCases],
  ['liveness', livenessCases],
  ['emptiness', emptinessCases],
  ['ownership', ownershipCases],
  ['selection', selectionCases],
  ['metadata', metadataCases],
  ['namespace', namespaceCases],
  ['link', linkCases],
  ['unreadable', unreadableCases],
  ['hostile', hostileCases],
  ['writing', writingCases],
  ['race', raceCases],
  ['lease', leaseCases],
  ['output', outputCases],
  ['brake', brakeCases],
  ['take-over', takeoverCases],
];

/** Declares all suites on one bench. */
export const allCases = (handle: LabHandle): void => {
  for (const [name, suite] of SUITES) {
    describe(`${name} cases`, () => {
      suite(handle);
    });
  }
};
