// Every case suite by name.
import type { LabHandle } from './suite.ts';
import { gatewayCases } from './gateway.cases.ts';

export const ALL_CASES: readonly (readonly [string, (handle: LabHandle) => void])[] = [['gateway', gatewayCases]];
