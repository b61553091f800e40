// What mirrors hold when nothing is stored: lost table, take-over, first run.
import { describe, expect, it } from 'vitest';
import { EMPTY_GATEWAY_STATE } from '../../lib/model/gateway.ts';
import { NAME, OTHER_NAME, RESOLVED, found, nothing, said, shown, step, steps, unknown } from './support.ts';

describe('B2: seeds, when nothing is stored', () => {
  const seeds = ['10.0.0.2', '10.0.0.1'];

  it.each([
    ['unknown', unknown(), ['10.0.0.1', '10.0.0.2'], false],
    ['nothing', nothing(), ['10.0.0.1', '10.0.0.2'], false],
    ['the same addresses', found(['10.0.0.1', '10.0.0.2']), ['10.0.0.1', '10.0.0.2'], false],
    ['other addresses', found(['10.0.0.9']), ['10.0.0.1', '10.0.0.2', '10.0.0.9'], true],
    ['some of them', found(['10.0.0.1']), ['10.0.0.1', '10.0.0.2 draining'], true],
    ['refused addresses', found(['127.0.0.1']), ['10.0.0.1', '10.0.0.2'], false],
  ])('a first answer of %s', (_title, answer, expected, changed) => {
    const result = step({ seeds, answers: { [NAME]: answer } });
    expect(shown(result.addresses)).toEqual(expected);
    expect(result.state.literals).toEqual({});
    expect(result.changed).toBe(changed);
  });

  it('stay while the first look waits', () => {
    const { addresses, state } = step({ seeds, now: 1_000, createdAt: 900, firstLookDelay: 60 });
    expect(shown(addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(state.records[0]).toMatchObject({ state: 'STALE', nextCheckAt: 1_060 });
  });

  it('of several names belong to any of them', () => {
    const { addresses } = step({
      hostnames: [OTHER_NAME, NAME],
      seeds,
      answers: { [OTHER_NAME]: found(['10.0.0.1']), [NAME]: found(['10.0.0.2']) },
    });
    expect(shown(addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  it('A5: with no name and no address in the status they leave by the leave rule', () => {
    const [first, late, end] = steps(
      { hostnames: [], seeds },
      { hostnames: [], now: 599 },
      { hostnames: [], now: 600 },
    );
    expect(shown(first?.addresses ?? [])).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(first).toMatchObject({ changed: false, state: { literals: { '10.0.0.1': { departedAt: 0 } } } });
    expect(shown(late?.addresses ?? [])).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(shown(end?.addresses ?? [])).toEqual([]);
  });

  it('go at once when the status holds a literal address', () => {
    const { addresses, state } = step({ literals: ['10.0.0.9'], seeds });
    expect(shown(addresses)).toEqual(['10.0.0.9']);
    expect(state.literals).toEqual({ '10.0.0.9': {} });
  });

  it('pass the filter', () => {
    const { addresses, refusals } = step({
      seeds: ['127.0.0.1', '10.0.0.1'],
      answers: { [NAME]: unknown() },
    });
    expect(shown(addresses)).toEqual(['10.0.0.1']);
    expect(said(refusals)).toEqual(
      [
        'AddressRefused: address 127.0.0.1: loopback (127.0.0.0/8)',
        'GatewayUnresolved: hostname lb.example.test (IPv4): SERVFAIL since 1970-01-01T00:00:00.000Z; its last addresses stay',
      ].toReversed(),
    );
  });

  it('of the other family are left out', () => {
    const mixed = { seeds: ['10.0.0.1', '2001:db8::1'], answers: { [NAME]: unknown() } };
    expect(shown(step(mixed).addresses)).toEqual(['10.0.0.1']);
    expect(shown(step({ ...mixed, families: ['IPv4', 'IPv6'] }).addresses)).toEqual([
      '10.0.0.1',
      '2001:db8::1',
    ]);
  });

  it('of the other family only are none', () => {
    const { addresses, state } = step({ hostnames: [], seeds: ['2001:db8::1'] });
    expect([addresses, state]).toEqual([[], EMPTY_GATEWAY_STATE]);
  });

  it('are not given to a new name when something is stored', () => {
    const parts = { state: RESOLVED, seeds: ['10.7.7.7', '127.0.0.1'], now: 60 };
    const { addresses, refusals } = step({
      ...parts,
      hostnames: [OTHER_NAME],
      answers: { [OTHER_NAME]: unknown() },
    });
    expect(shown(addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(refusals.map(({ reason }) => reason)).toEqual(['GatewayUnresolved']);
  });

  it('mean nothing when something is stored', () => {
    const { addresses } = step({
      state: RESOLVED,
      seeds: ['10.7.7.7'],
      now: 60,
      answers: { [NAME]: unknown() },
    });
    expect(shown(addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
  });
});
