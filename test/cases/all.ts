// Every case suite by name.
import { describe } from 'vitest';
import { brakeCases } from './brake.cases.ts';
import { emptinessCases } from './emptiness.cases.ts';
import { gatewayCases } from './gateway.cases.ts';
import { gatewayMirrorCases } from './gateway-mirror.cases.ts';
import { gatewayMirrorShapeCases } from './gateway-mirror-shapes.cases.ts';
import { headlessGatewayCases } from './headless-gateway.cases.ts';
import { headlessNameCases } from './headless-names.cases.ts';
import { headlessPodCases } from './headless-pods.cases.ts';
import { headlessShapeCases } from './headless-shapes.cases.ts';
import { headlessWritingCases } from './headless-writes.cases.ts';
import { headlessCases } from './headless.cases.ts';
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
import { shapeCases } from './shapes.cases.ts';
import type { LabHandle } from './suite.ts';
import { takeoverCases } from './takeover.cases.ts';
import { unreadableCases } from './unreadable.cases.ts';
import { writingCases } from './writing.cases.ts';

type Suites = readonly (readonly [string, (handle: LabHandle) => void])[];

const SUITES: Suites = [
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

const HEADLESS_SUITES: Suites = [
  ['headless', headlessCases],
  ['headless shape', headlessShapeCases],
  ['headless gateway', headlessGatewayCases],
  ['headless name', headlessNameCases],
  ['headless pod', headlessPodCases],
  ['headless writing', headlessWritingCases],
  ['shape', shapeCases],
];

const declare =
  (suites: Suites) =>
  (handle: LabHandle): void => {
    for (const [name, suite] of suites) {
      describe(`${name} cases`, () => {
        suite(handle);
      });
    }
  };

/** Declares all suites on one bench; in two parts for those who run them side by side. */
export const allCases = declare([...SUITES, ...HEADLESS_SUITES]);
export const plainCases = declare(SUITES);
export const headlessMirrorCases = declare(HEADLESS_SUITES);
