// Runs once before the end-to-end tests: without the programs of a cluster they fail, and are never skipped.
import { requireBinaries } from '../cluster/binaries.ts';
import { TOOL_NAMES } from '../cluster/tools.ts';

export default function setup(): void {
  requireBinaries(TOOL_NAMES);
}
