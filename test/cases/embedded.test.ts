// The case suites on embedded API servers, those of headless mirrors and changes of shape apart.
import { embeddedBench } from '../support/embedded-bench.ts';
import { plainCases } from './all.ts';
import { onBench } from './suite.ts';

onBench('on embedded API servers', embeddedBench(), plainCases);
