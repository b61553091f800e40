// The golden comparison on embedded API servers, and that each difference is documented.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { onBench } from '../cases/suite.ts';
import { embeddedBench } from '../support/embedded-bench.ts';
import { DIFFERENCES } from './differences.ts';
import { goldenSuite } from './golden.suite.ts';

onBench("mirrors beside Linkerd's, on embedded API servers", embeddedBench(), goldenSuite);

describe('docs/from-linkerd.md', () => {
  const document = readFileSync(new URL('../../docs/from-linkerd.md', import.meta.url), 'utf8');

  it.each(DIFFERENCES)('has a row for $title', ({ title }) => {
    expect(document).toContain(`| ${title} |`);
  });
});
