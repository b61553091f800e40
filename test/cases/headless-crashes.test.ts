// Every change of a headless mirror fails at each of its writes: on embedded API servers, as it takes thousands of them.
import { describe } from 'vitest';
import { embeddedBench } from '../support/embedded-bench.ts';
import { crashes, OTHER_TURNS } from './headless-crashes.ts';
import { onBench } from './suite.ts';

onBench('on embedded API servers', embeddedBench(), (handle) => {
  describe.each(['endpoints', 'endpointslices'] as const)('as %s', (form) => {
    for (const turn of OTHER_TURNS) crashes(handle, form, turn);
  });
});
