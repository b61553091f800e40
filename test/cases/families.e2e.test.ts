// The cases of both address families on real API servers.
import { realBench } from '../support/real-bench.ts';
import { dualStackCases, onlyIPv6Cases } from './dual-stack.cases.ts';
import { onBench } from './suite.ts';

onBench(
  'dual stack on real API servers',
  realBench({ sourceRange: '10.96.0.0/16,fd00:96::/108' }),
  dualStackCases,
);
onBench('IPv6 alone on real API servers', realBench({ sourceRange: 'fd00:96::/108' }), onlyIPv6Cases);
