// The flags of `npm start`.
import { describe, expect, it } from 'vitest';
import { InputError } from '../../lib/errors.ts';
import { parseFlags, type Flags } from '../../sandbox/flags.ts';

const DEFAULTS: Flags = {
  help: false,
  once: false,
  serve: false,
  real: false,
  broken: undefined,
  every: 2,
  portBase: undefined,
  folder: '.cache/sandbox',
};

describe('flags', () => {
  const rows: readonly (readonly [words: string, flags: Partial<Flags>])[] = [
    ['', {}],
    ['--once --real', { once: true, real: true }],
    ['--serve', { serve: true }],
    ['--help', { help: true }],
    ['--break dns', { broken: 'dns' }],
    ['--break=queue --once', { broken: 'queue', once: true }],
    ['--every 60 --port-base 7300 --folder /tmp/x', { every: 60, portBase: 7300, folder: '/tmp/x' }],
  ];
  it.each(rows)('%j', (words, flags) => {
    expect(parseFlags(words.split(' ').filter((word) => word !== ''))).toStrictEqual({
      ...DEFAULTS,
      ...flags,
    });
  });

  const wrong: readonly (readonly [words: string, mistakes: readonly string[]])[] = [
    ['--onec', ['unknown flag --onec']],
    ['-x', ['unknown flag -x']],
    ['once', ['expected a flag, got once']],
    ['--once=yes', ['--once: expected no value, got yes']],
    ['--break', ['--break: expected one of dns, target, queue, got none']],
    ['--break source', ['--break: expected one of dns, target, queue, got source']],
    ['--every 0', ['--every: expected whole seconds from 1 to 3600, got 0']],
    ['--every 1.5', ['--every: expected whole seconds from 1 to 3600, got 1.5']],
    ['--port-base 80', ['--port-base: expected a port from 1024 to 65500, got 80']],
    ['--folder=', ['--folder: expected a folder, got ']],
    ['--serve --once', ['--serve: has no story that --once could end after']],
    ['--serve --break dns', ['--serve: has no story that --break could spoil']],
    [
      '--onec --every x extra',
      [
        'unknown flag --onec',
        '--every: expected whole seconds from 1 to 3600, got x',
        'expected a flag, got extra',
      ],
    ],
  ];
  it.each(wrong)('%j: all mistakes at once', (words, mistakes) => {
    expect(() => parseFlags(words.split(' '))).toThrow(new InputError(mistakes));
  });
});
