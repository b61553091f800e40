// What DNS and AWS say together, and what the state machine makes of a set that is known to be complete.
import { describe, expect, it } from 'vitest';
import { PENDING, withLoadBalancer } from '../../lib/gateway/load-balancer.ts';
import { advance } from '../../lib/gateway/record.ts';
import { stepGateway } from '../../lib/gateway/state.ts';
import type { GatewayState } from '../../lib/model/gateway.ts';
import type { Answer, LoadBalancerView } from '../../lib/ports.ts';
import { after, aStep, at, found, held, NAME, nothing, shown, unknown } from './support.ts';

const [A, B, C, D] = ['10.0.1.1', '10.0.2.1', '10.0.3.1', '10.0.4.1'] as const;
const all = (...addresses: readonly string[]): LoadBalancerView => ({
  kind: 'complete',
  addresses,
  zones: {},
});
const ZONES = { [A]: 'eu-central-1a', '2001:db8::1': 'eu-central-1b' };
const SILENT: LoadBalancerView = { kind: 'unknown', why: 'AWS answered Throttling (HTTP 400)' };

const complete = (
  addresses: readonly string[],
  ttl = 60,
  zones?: Readonly<Record<string, string>>,
): Answer => ({
  kind: 'addresses',
  addresses,
  ttl,
  partial: false,
  complete: true,
  ...(zones === undefined ? {} : { zones }),
});

describe('two witnesses', () => {
  it.each([
    ['the zone that DNS names is one of all', found([A], 42), all(A, B), complete([A, B], 42)],
    ['an address that only DNS names stays', found([D], 42), all(A, B), complete([D, A, B], 42)],
    [
      'the zones of its family come with it',
      found([A], 42),
      { kind: 'complete', addresses: [A, '2001:db8::1'], zones: ZONES },
      complete([A], 42, { [A]: 'eu-central-1a' }),
    ],
    ['a cut answer of DNS is made whole', found([A], 42, true), all(A, B), complete([A, B], 42)],
    ['a "no" of DNS is overruled for its time', nothing(30), all(A), complete([A], 30)],
    [
      'of a "no" without a time, for the usual one',
      { kind: 'nothing', why: 'NODATA' },
      all(A),
      complete([A]),
    ],
    ['DNS that does not know stays so', unknown(), all(A), unknown()],
    ['what has no address of this family says nothing', nothing(30), all('2001:db8::1'), nothing(30)],
    ['what is no address at all neither', found([A]), all('planted'), found([A])],
    ['without AWS an answer may be a part', found([A]), SILENT, found([A], 60, true)],
    ['without AWS a "no" is one', nothing(), SILENT, nothing()],
    ['without both nothing is known', unknown(), SILENT, unknown()],
    ['a load balancer in the making is not known yet', found([A]), { kind: 'pending' }, PENDING],
  ] satisfies readonly (readonly [string, Answer, LoadBalancerView, Answer])[])(
    '%s',
    (_, dns, view, expected) => {
      expect(withLoadBalancer(dns, view, 'IPv4')).toEqual(expected);
    },
  );

  it('compare addresses, whatever their spelling', () => {
    expect(withLoadBalancer(found(['2001:db8::1']), all(A, '2001:DB8:0::1'), 'IPv6')).toEqual(
      complete(['2001:db8::1']),
    );
  });
});

/** The ready and draining addresses after each answer of a name. */
const states = (rows: readonly (readonly [number, Answer])[]) => {
  let record = after();
  return rows.map(([time, answer]) => {
    record = advance(record, answer, at(time));
    return [time, held(record, 'ready').length, held(record, 'draining').join()];
  });
};

const nine = Array.from({ length: 9 }, (_, index) => `10.0.0.${index + 1}`);
const eight = nine.slice(0, 8);

describe('a complete set', () => {
  it('of eight or more addresses loses one by the rule for few: draining at once, removed after 120 s', () => {
    const rows = (one: (addresses: readonly string[]) => Answer) =>
      states([
        [0, one(nine)],
        [60, one(eight)],
        [120, one(eight)],
        [180, one(eight)],
      ]);
    expect(rows((addresses) => complete(addresses))).toEqual([
      [0, 9, ''],
      [60, 8, '10.0.0.9'],
      [120, 8, '10.0.0.9'],
      [180, 8, ''],
    ]);
    expect(rows((addresses) => found(addresses))).toEqual([
      [0, 9, ''],
      [60, 9, ''],
      [120, 9, ''],
      [180, 9, ''],
    ]);
  });

  it('passes the filter as what it is', () => {
    const step = (state: GatewayState, now: number, addresses: readonly string[]) =>
      stepGateway(aStep({ state, now, answers: { [NAME]: complete(addresses) } }));
    const first = step(aStep().state, 0, nine);
    expect(shown(step(first.state, 60, eight).addresses)).toEqual([...eight, '10.0.0.9 draining']);
  });

  it('ends what was taken for rotation', () => {
    const rotating = [
      [0, found([A, B])],
      [60, found([A])],
      [120, found([B])],
      [180, found([A])],
    ] as const;
    expect(states([...rotating, [240, found([A])]]).at(-1)).toEqual([240, 2, '']);
    expect(states([...rotating, [240, complete([A])]]).at(-1)).toEqual([240, 1, B]);
  });

  it('of a load balancer that answers by zone never loses a zone', () => {
    const view = all(A, B, C);
    const answers = [A, B, C, A, A, A, A, B].map(
      (zone, index) => [index * 60, withLoadBalancer(found([zone]), view, 'IPv4')] as const,
    );
    expect(states(answers).map(([, ready, draining]) => [ready, draining])).toEqual(
      answers.map(() => [3, '']),
    );
  });

  it('is not lost at once when AWS does not answer: four such looks change nothing', () => {
    const rows = states([
      [0, withLoadBalancer(found([A]), all(A, B, C), 'IPv4')],
      ...[60, 120, 180, 240].map((time) => [time, withLoadBalancer(found([A]), SILENT, 'IPv4')] as const),
    ]);
    expect(rows.at(-1)).toEqual([240, 3, '']);
  });
});
