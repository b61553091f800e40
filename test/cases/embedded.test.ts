// The case suites on embedded API servers.
import { embeddedBench } from '../support/embedded-bench.ts';
import { allCases } from './all.ts';
import { onBench } from './suite.ts';

onBench('on embedded API servers', embeddedBench(), allCases);
