// The cases of both address families on embedded API servers.
import { embeddedBench } from '../support/embedded-bench.ts';
import { dualStackCases, onlyIPv6Cases } from './dual-stack.cases.ts';
import { onBench } from './suite.ts';

onBench(
  'dual stack on embedded API servers',
  embeddedBench({ sourceRange: '10.96.0.0/16,fd00:96::/108' }),
  dualStackCases,
);
onBench('IPv6 alone on embedded API servers', embeddedBench({ sourceRange: 'fd00:96::/108' }), onlyIPv6Cases);
