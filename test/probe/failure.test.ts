// Which errors speak of the gateway, and which of ourselves.
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../lib/probe/failure.ts';

const anError = (code: string): Error => Object.assign(new Error('words of somebody else'), { code });

describe('an error of a probe', () => {
  it.each([
    ['ECONNREFUSED', 'connection refused'],
    ['ECONNRESET', 'connection closed without an answer'],
    ['EPIPE', 'connection closed without an answer'],
    ['EHOSTUNREACH', 'host unreachable'],
    ['ETIMEDOUT', 'ETIMEDOUT'],
    ['HPE_HEADER_OVERFLOW', 'headers of more than 16 KB'],
    ['HPE_INVALID_CONSTANT', 'no HTTP answer'],
    ['HPE_INVALID_HEADER_TOKEN', 'no HTTP answer'],
  ])('of the gateway: %s', (code, why) => {
    expect(failureOf(anError(code))).toEqual({ kind: 'failed', why });
  });

  it.each([
    'ENETUNREACH',
    'ENETDOWN',
    'EADDRNOTAVAIL',
    'EAFNOSUPPORT',
    'EACCES',
    'EPERM',
    'EMFILE',
    'ENFILE',
    'ENOBUFS',
    'ENOMEM',
    'ERR_INVALID_URL',
  ])('of our own: %s', (code) => {
    expect(failureOf(anError(code))).toEqual({ kind: 'unknown', why: `could not be asked: ${code}` });
  });

  it('without a code is a mistake of ours', () => {
    expect(failureOf(new TypeError('x is not a function'))).toEqual({
      kind: 'unknown',
      why: 'could not be asked: TypeError: x is not a function',
    });
    expect(failureOf('thrown')).toEqual({ kind: 'unknown', why: 'could not be asked: thrown' });
  });
});
