// How lists and their changes are told to people.
import { describe, expect, it } from 'vitest';
import { changeText, gatewayListing, newText, saysTheSame, type Told } from '../../lib/plan/listing.ts';
import { desiredEndpoints, published } from '../support/model-builders.ts';

/** A list of `a0`, `a1`, … */
const told = (from: number, to: number): Told => {
  const lines = Array.from({ length: to - from }, (_unused, index) => `a${from + index}`).toSorted();
  return { text: lines.join(', ') || '(empty)', lines };
};

describe('newText', () => {
  it.each([
    ['nobody', told(0, 0), '(empty)'],
    ['twelve are told one by one', told(0, 12), 'a0, a1, a10, a11, a2, a3, a4, a5, a6, a7, a8, a9'],
    ['more are counted', told(0, 13), '13 addresses'],
    ['a thousand too', told(0, 1000), '1000 addresses'],
  ])('%s', (_name, list, expected) => {
    expect(newText(list)).toBe(expected);
  });
});

describe('changeText', () => {
  it.each([
    ['a short list is told whole', told(0, 2), told(1, 3), 'a0, a1 → a1, a2'],
    [
      'twelve lines together are short',
      told(0, 6),
      told(0, 5),
      'a0, a1, a2, a3, a4, a5 → a0, a1, a2, a3, a4',
    ],
    ['of more only what comes', told(0, 6), told(0, 7), '+ a6'],
    ['of more only what goes', told(0, 7), told(0, 6), '- a6'],
    ['both', told(0, 8), told(1, 9), '+ a8, - a0'],
    ['five are told one by one', told(0, 20), told(0, 25), '+ a20, + a21, + a22, + a23, + a24'],
    ['of six the last is counted', told(0, 20), told(0, 26), '+ a20, + a21, + a22, + a23, + a24, + 1 more'],
    [
      'a list of a thousand that is new all over',
      told(0, 1000),
      told(2000, 3000),
      '+ a2000, + a2001, + a2002, + a2003, + a2004, + 995 more, - a0, - a1, - a10, - a100, - a101, - 995 more',
    ],
  ])('%s', (_name, before, after, expected) => {
    expect(changeText(before, after)).toBe(expected);
  });
});

describe('saysTheSame', () => {
  it('looks at every line, and not at the text', () => {
    expect(saysTheSame(told(0, 3), { ...told(0, 3), text: 'otherwise' })).toBe(true);
    expect(saysTheSame(told(0, 3), { ...told(0, 2), text: told(0, 3).text })).toBe(false);
  });
});

describe('gatewayListing', () => {
  const addresses = [published('203.0.113.1'), published('2001:db8::1')];
  const ipsOf = (families?: Parameters<typeof gatewayListing>[1]) =>
    gatewayListing(desiredEndpoints({ addresses }), families).entries.map(({ ip }) => ip);

  it('A10: lists addresses of the families that the Service has', () => {
    expect(ipsOf(['IPv4'])).toEqual(['203.0.113.1']);
    expect(ipsOf(['IPv6'])).toEqual(['2001:db8::1']);
    expect(ipsOf(['IPv4', 'IPv6'])).toEqual(['203.0.113.1', '2001:db8::1']);
    expect(ipsOf()).toEqual(['203.0.113.1', '2001:db8::1']);
  });
});
