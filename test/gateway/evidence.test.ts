// What is no evidence of an absence, however often it is heard.
import { describe, expect, it } from 'vitest';
import { advance, newRecord } from '../../lib/gateway/record.ts';
import { SETTINGS } from '../../lib/gateway/settings.ts';
import type { GatewayRecord } from '../../lib/model/gateway.ts';
import type { Answer } from '../../lib/ports.ts';

const [A, B] = ['10.0.0.1', '10.0.0.2'];

const heard = (rows: readonly (readonly [number, Answer])[]): GatewayRecord =>
  rows.reduce(
    (record, [now, answer]) => advance(record, answer, { now, jitter: 0, settings: SETTINGS }),
    newRecord('gw.example.test', 'IPv4', 0),
  );
const addresses = (ttl: number, ...ips: readonly string[]): Answer => ({
  kind: 'addresses',
  addresses: ips,
  ttl,
  partial: false,
});
const nothing = (negativeTtl: number): Answer => ({ kind: 'nothing', why: 'NXDOMAIN', negativeTtl });

describe('a "no"', () => {
  it('A8: that several caches of one resolver fetched at the same moment is one', () => {
    const record = heard([
      [0, addresses(60, A)],
      [60, nothing(900)], // one cache, until 960
      [360, nothing(605)], // another, until 965
      [660, nothing(310)], // a third, until 970
    ]);
    expect(record.state).toBe('SUSPECT');
    expect(Object.keys(record.addresses)).toEqual([A]);
  });

  it('A8: of a later look at the zone confirms it', () => {
    const record = heard([
      [0, addresses(60, A)],
      [60, nothing(900)], // until 960
      [961, nothing(900)], // until 1861
    ]);
    expect(record.state).toBe('WITHDRAWN');
    expect(record.addresses).toEqual({});
  });
});

describe('an answer that brings back what was missing', () => {
  it('A9: removes nobody: zones that take turns are both there', () => {
    const turns = Array.from(
      { length: 12 },
      (_unused, turn) => [turn * 300, addresses(300, turn % 2 === 0 ? A : B)] as const,
    );
    expect(Object.keys(heard(turns).addresses).sort()).toEqual([A, B]);
  });

  it('A9: but one that is really gone goes', () => {
    const rows = [0, 300, 600, 900].map(
      (now) => [now, now === 0 ? addresses(300, A, B) : addresses(300, A)] as const,
    );
    expect(Object.keys(heard(rows).addresses)).toEqual([A]);
  });
});
