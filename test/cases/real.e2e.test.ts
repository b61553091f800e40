// The case suites on real API servers.
import { realBench } from '../support/real-bench.ts';
import { allCases } from './all.ts';
import { onBench } from './suite.ts';

onBench('on real API servers', realBench(), allCases);
