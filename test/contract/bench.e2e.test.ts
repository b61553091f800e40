// The contract of benches, on the one of real API servers.
import { realBench } from '../support/real-bench.ts';
import { benchContract } from './bench.contract.ts';

benchContract('real API servers', realBench);
