// The case suites of headless mirrors and of changes of shape on embedded API servers.
import { embeddedBench } from '../support/embedded-bench.ts';
import { headlessMirrorCases } from './all.ts';
import { onBench } from './suite.ts';

onBench('on embedded API servers', embeddedBench(), headlessMirrorCases);
