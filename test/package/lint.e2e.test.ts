// The compiled template before the eyes of cfn-lint, which knows every resource of CloudFormation and its properties.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pythonWithTools } from './aws/install.ts';
import { EVERYTHING } from './builders.ts';
import { aWorkshop, packaged, type Workshop } from './support.ts';

const REGIONS = ['eu-central-1', 'us-east-1'] as const;

/** The framework names a role among the dependencies of a function that refers to it anyway. */
const IGNORED = ['W3005'] as const;

let workshop: Workshop;
let template: string; // path

/** What is wrong with the template, one line each. */
const lint = (): readonly string[] => {
  const options = ['--format', 'parseable', '--regions', ...REGIONS, '--ignore-checks', ...IGNORED];
  const words = ['-c', 'from cfnlint.runner import main; main()', ...options, '--template', template];
  const { stdout, stderr, status } = spawnSync(pythonWithTools(), words, { encoding: 'utf8' });
  if (status === 1 || stderr !== '') throw new Error(`cfn-lint ended with ${status}: ${stderr}`);
  return stdout.split('\n').filter((line) => line !== '');
};

beforeAll(() => {
  workshop = aWorkshop();
  template = join(workshop.root, '.serverless/cloudformation-template-update-stack.json');
});
afterAll(() => workshop.remove());

describe('the template', () => {
  it.each([
    ['as it is', {}],
    ['with every parameter', EVERYTHING],
  ])('is right %s', (_case, given) => {
    packaged(workshop.root, given);
    expect(lint()).toEqual([]);
  });

  it('would not be with a value that is none', () => {
    packaged(workshop.root);
    const text = readFileSync(template, 'utf8');
    expect(text).toContain('"RecursiveLoop": "Allow"');
    writeFileSync(template, text.replace('"RecursiveLoop": "Allow"', '"RecursiveLoop": "Yes"'));
    expect(lint()).toEqual([expect.stringContaining("'Yes' is not one of")]);
  });
});
