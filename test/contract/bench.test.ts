// The contract of benches, on the one of embedded API servers.
import { embeddedBench } from '../support/embedded-bench.ts';
import { benchContract } from './bench.contract.ts';

benchContract('embedded API servers', embeddedBench);
