// The packaging, given what is wrong: it ends before anything is made, with everything that is wrong told once.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, describe, expect, it } from 'vitest';
import { aWorkshop, parameters, serverless } from './support.ts';

const PATIENCE = 60_000; // ms

const workshop = (edit?: (text: string) => string): string => {
  const { root, remove } = aWorkshop(edit);
  onTestFinished(remove);
  return root;
};

describe('serverless package', () => {
  it(
    'tells all wrong parameters at once',
    () => {
      const root = workshop();
      const given = parameters({ schedule: 'hourly', memory: '12', memmory: '1024', subnetIds: 'subnet-1' });
      const { code, text } = serverless(root, ['package', ...given]);
      expect(code).toBe(1);
      expect(text.slice(text.indexOf('Cannot resolve serverless.yml')).split('\n').slice(0, 6)).toEqual([
        'Cannot resolve serverless.yml: Variables resolution errored with:',
        '  - Cannot resolve variable at "params":',
        expect.stringMatching(/^ +schedule: expected rate\(1 minute\), .*, got "hourly"$/),
        '      memory: expected a whole number from 256 to 10240, got "12"',
        '      subnetIds[0]: expected the ID of a subnet (subnet-…), got "subnet-1"',
        expect.stringMatching(
          /^ +memmory: unknown field \(did you mean memory\?\), expected one of schedule, /,
        ),
      ]);
      expect(text.split('schedule: expected').length - 1).toBe(1);
      expect(existsSync(join(root, '.serverless'))).toBe(false);
    },
    PATIENCE,
  );

  it.each([
    [
      'a value that the framework does not know',
      'runtime: nodejs24.x',
      'runtime: nodejs99.x',
      "'provider.runtime': must be equal to one of the allowed values",
    ],
    [
      'a property that the framework does not know',
      'versionFunctions: false',
      'versionFunction: false',
      "unrecognized property 'versionFunction'",
    ],
  ])(
    'ends at %s',
    (_case, right, wrong, message) => {
      const root = workshop((text) => {
        expect(text).toContain(right);
        return text.replace(right, wrong);
      });
      const output = serverless(root, ['package']);
      expect(output.code).toBe(1);
      expect(output.text).toContain(message);
      expect(existsSync(join(root, '.serverless'))).toBe(false);
    },
    PATIENCE,
  );
});
