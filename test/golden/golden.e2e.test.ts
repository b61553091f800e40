// The golden comparison on real API servers.
import { onBench } from '../cases/suite.ts';
import { realBench } from '../support/real-bench.ts';
import { goldenSuite } from './golden.suite.ts';

onBench("mirrors beside Linkerd's, on real API servers", realBench(), goldenSuite);
