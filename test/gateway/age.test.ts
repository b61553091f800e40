// How long nothing good has been heard of a name.
import { expect, it } from 'vitest';
import { ageOfLastGood } from '../../lib/gateway/age.ts';
import { newRecord } from '../../lib/gateway/record.ts';
import { after, found, NAME, nothing, type Told, unknown } from './support.ts';

it.each<[string, readonly Told[], number]>([
  ['that just resolved', [[0, found(['10.0.0.1'])]], 0],
  [
    'that resolved a minute ago and fails',
    [
      [0, found(['10.0.0.1'])],
      [60, unknown()],
    ],
    60,
  ],
  [
    'that is confirmed to be gone',
    [
      [0, found(['10.0.0.1'])],
      [60, nothing()],
      [181, nothing()],
    ],
    181,
  ],
  [
    'that never resolved',
    [
      [0, unknown()],
      [40, unknown()],
    ],
    40,
  ],
  [
    'that never existed',
    [
      [0, nothing()],
      [61, nothing()],
    ],
    61,
  ],
  [
    'that never existed, and fails now',
    [
      [0, nothing()],
      [61, unknown()],
      [90, unknown()],
    ],
    90,
  ],
])('of a name %s', (_, answers, age) => {
  const now = answers.at(-1)?.[0] ?? 0;
  expect(ageOfLastGood(after(...answers), now)).toBe(age);
});

it('of a name that was never asked is 0', () => {
  expect(ageOfLastGood(newRecord(NAME, 'IPv4', 0), 500)).toBe(0);
});
