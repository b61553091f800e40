// Addresses that the filter refuses, at the level of a link.
import { describe, expect, it } from 'vitest';
import { NAME, RESOLVED, found, last, said, shown, someRules, step, steps, unknown } from './support.ts';

describe('addresses that the filter refuses', () => {
  const mixed = found(['10.0.0.1', '169.254.169.254', '127.0.0.1']);

  it('never arrive, are named with their reason, and are named until the next answer', () => {
    const [first, second, third, fourth] = steps(
      { answers: { [NAME]: mixed } },
      { now: 30 },
      { now: 60, answers: { [NAME]: unknown() } },
      { now: 75, answers: { [NAME]: found(['10.0.0.1']) } },
    );
    const named = [
      'AddressRefused: address 127.0.0.1 of lb.example.test: loopback (127.0.0.0/8)',
      'AddressRefused: address 169.254.169.254 of lb.example.test: link-local: instance metadata and node services (169.254.0.0/16)',
    ];
    expect(said(first?.refusals ?? [])).toEqual(named);
    expect(shown(first?.addresses ?? [])).toEqual(['10.0.0.1']);
    expect(said(second?.refusals ?? [])).toEqual(named);
    expect(said(third?.refusals ?? []).filter((line) => line.startsWith('AddressRefused'))).toEqual(named);
    expect(fourth?.refusals).toEqual([]);
  });

  it('all of them: "don\'t know", what was there stays', () => {
    const { addresses, refusals, state } = step({
      state: RESOLVED,
      now: 60,
      answers: { [NAME]: found(['169.254.169.254']) },
    });
    expect(shown(addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(state.records[0]).toMatchObject({ state: 'STALE', failCount: 1, nextCheckAt: 75 });
    expect(said(refusals)).toEqual([
      'GatewayUnresolved: hostname lb.example.test (IPv4): every address was refused since 1970-01-01T00:01:00.000Z; its last addresses stay',
      'AddressRefused: address 169.254.169.254 of lb.example.test: link-local: instance metadata and node services (169.254.0.0/16)',
    ]);
  });

  it('count for the size of an answer: seven good ones and a bad one may be a part', () => {
    const seven = Array.from({ length: 7 }, (_, index) => `10.0.0.${index + 1}`);
    const { addresses } = last(
      { answers: { [NAME]: found([...seven, '10.0.0.99']) } },
      { now: 60, answers: { [NAME]: found([...seven, '127.0.0.1']) } },
    );
    expect(shown(addresses)).toEqual([...seven, '10.0.0.99']);
  });

  it('because the rules changed are taken out at once, though remembered', () => {
    const rules = someRules({ allowedCIDRs: ['10.0.0.1/32'] });
    const narrowed = step({ state: RESOLVED, now: 10, rules });
    expect(shown(narrowed.addresses)).toEqual(['10.0.0.1']);
    expect(said(narrowed.refusals)).toEqual(['AddressRefused: address 10.0.0.2: outside allowedCIDRs']);
    expect(shown(step({ state: narrowed.state, now: 20 }).addresses)).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  it('are remembered up to sixteen of one answer', () => {
    const bad = Array.from(
      { length: 2_000 },
      (_, index) => `127.0.${Math.floor(index / 250)}.${index % 250}`,
    );
    const { state } = step({ answers: { [NAME]: found(['10.0.0.1', ...bad]) } });
    expect(state.records[0]?.refused).toHaveLength(16);
    expect(JSON.stringify(state).length).toBeLessThan(2_000);
  });

  it('a 65th address is refused as one too many', () => {
    const many = Array.from({ length: 65 }, (_, index) => `10.1.0.${index + 1}`);
    const { addresses, refusals } = step({ answers: { [NAME]: found([...many].reverse()) } });
    expect(shown(addresses)).toEqual(many.slice(0, 64));
    expect(said(refusals)).toEqual([
      'AddressRefused: address 10.1.0.65 of lb.example.test: more than 64 addresses for one name',
    ]);
  });
});
