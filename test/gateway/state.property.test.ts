// Any history of a link's gateway, names coming and going: what is published must stay explainable.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareAddresses } from '../../lib/gateway/address.ts';
import { stepGateway, type GatewayResult, type GatewayStep } from '../../lib/gateway/state.ts';
import type { Answer } from '../../lib/ports.ts';
import type { Family } from '../../lib/model/objects.ts';
import { EMPTY_GATEWAY_STATE } from '../../lib/model/gateway.ts';
import { aStep, frozen, someRules } from './support.ts';

const NAMES = ['a.example.test', 'b.example.test', 'c.example.test'];
const GOOD = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4', '2001:db8::1', '2001:db8::2', '2001:db8::3'];
const BAD = ['127.0.0.1', '169.254.169.254', '10.100.0.1', '::1', 'fd00:ec2::254'];
const RULES = someRules({ serviceRanges: ['10.100.0.0/16'] });

const ofFamily = (addresses: readonly string[], family: Family): string[] =>
  addresses.filter((ip) => ip.includes(':') === (family === 'IPv6'));

const someAnswer = (family: Family): fc.Arbitrary<Answer> =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('addresses' as const),
        addresses: fc.shuffledSubarray(ofFamily([...GOOD, ...BAD], family), { minLength: 1 }),
        ttl: fc.constantFrom(10, 60, 300),
        partial: fc.constant(false),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('nothing' as const), why: fc.constant('NXDOMAIN' as const) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('unknown' as const), why: fc.constant('timeout') }),
    },
  );

interface Event {
  readonly gap: number;
  readonly hostnames: readonly string[];
  readonly literals: readonly string[];
  readonly answers: readonly (readonly [string, Answer])[];
}

const someAnswers = fc
  .tuple(
    ...NAMES.flatMap((name) =>
      (['IPv4', 'IPv6'] as const).map((family) =>
        fc
          .option(someAnswer(family), { nil: undefined })
          .map((answer) => [`${name}|${family}`, answer] as const),
      ),
    ),
  )
  .chain((rows) => fc.shuffledSubarray([...rows], { minLength: rows.length }))
  .map((rows) => rows.flatMap(([key, answer]) => (answer === undefined ? [] : [[key, answer] as const])));

const someEvent: fc.Arbitrary<Event> = fc.record({
  gap: fc.oneof(fc.integer({ min: 0, max: 130 }), fc.constantFrom(300, 599, 600, 90_000)),
  hostnames: fc.oneof(fc.constant(NAMES.slice(0, 1)), fc.shuffledSubarray(NAMES)),
  literals: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.shuffledSubarray([...GOOD, ...BAD]) },
  ),
  answers: someAnswers,
});

interface History {
  readonly families: readonly Family[];
  readonly seeds: readonly string[];
  readonly events: readonly Event[];
}

const someHistory: fc.Arbitrary<History> = fc.record({
  families: fc.constantFrom<readonly Family[]>(['IPv4'], ['IPv6'], ['IPv4', 'IPv6']),
  seeds: fc.oneof(fc.constant([]), fc.shuffledSubarray([...GOOD, ...BAD])),
  events: fc.array(someEvent, { minLength: 1, maxLength: 12 }),
});

interface Passed {
  readonly input: GatewayStep;
  readonly result: GatewayResult;
  readonly event: Event;
}

/** Lives through a history; everything handed in is frozen. */
const live = ({ families, seeds, events }: History): readonly Passed[] => {
  const passed: Passed[] = [];
  let now = 1_000;
  for (const event of events) {
    now += event.gap;
    const { hostnames, literals, answers } = event;
    const state = passed.at(-1)?.result.state ?? EMPTY_GATEWAY_STATE;
    const fields = { families, state, now, hostnames, literals, rules: RULES };
    const first = passed.length === 0;
    const input = aStep({ ...fields, seeds: first ? seeds : [], answers: Object.fromEntries(answers) });
    passed.push({ input, result: frozen(stepGateway(input)), event });
  }
  return passed;
};

const ips = ({ addresses }: GatewayResult): readonly string[] => addresses.map(({ ip }) => ip);
const familyOf = (ip: string): Family => (ip.includes(':') ? 'IPv6' : 'IPv4');

const backwardsAnswers = (answers: ReadonlyMap<string, Answer>): ReadonlyMap<string, Answer> =>
  new Map(
    [...answers]
      .reverse()
      .map(([key, answer]): [string, Answer] =>
        answer.kind === 'addresses'
          ? [key, { ...answer, addresses: [...answer.addresses].reverse() }]
          : [key, answer],
      ),
  );

const check = (property: (passed: readonly Passed[], history: History) => void): void => {
  fc.assert(
    fc.property(someHistory, (history) => property(live(frozen(history)), history)),
    { numRuns: 120 },
  );
};

describe('a gateway, whatever happens to it', () => {
  it('never publishes what was not answered, declared or seeded, nor what the filter refuses', () => {
    check((passed, { seeds }) => {
      const given = new Set(seeds);
      for (const { result, event } of passed) {
        event.literals.forEach((ip) => given.add(ip));
        for (const [, answer] of event.answers) {
          if (answer.kind === 'addresses') answer.addresses.forEach((ip) => given.add(ip));
        }
        expect(ips(result).filter((ip) => !given.has(ip) || BAD.includes(ip))).toEqual([]);
      }
    });
  });

  it('A4: publishes each address once, by number, of the wanted families', () => {
    check((passed, { families }) => {
      for (const { result } of passed) {
        expect(ips(result)).toEqual([...new Set(ips(result))].sort(compareAddresses));
        expect(result.addresses.filter(({ ip, family }) => family !== familyOf(ip))).toEqual([]);
        expect(ips(result).filter((ip) => !families.includes(familyOf(ip)))).toEqual([]);
      }
    });
  });

  it('never publishes a draining address of a family without a ready one', () => {
    check((passed) => {
      for (const { addresses } of passed.map(({ result }) => result)) {
        const ready = addresses.filter(({ state }) => state === 'ready').map(({ family }) => family);
        expect(
          addresses.filter(({ state, family }) => state === 'draining' && !ready.includes(family)),
        ).toEqual([]);
      }
    });
  });

  it('A8: never loses an address to "don\'t know"', () => {
    check((passed) => {
      for (const { input, result } of passed) {
        const answers = new Map(
          [...input.answers.keys()].map((key): [string, Answer] => [key, { kind: 'unknown', why: 'x' }]),
        );
        const blind = { ...input, state: result.state, seeds: [], answers };
        expect(ips(stepGateway(blind))).toEqual(ips(result));
      }
    });
  });

  it('A6: is never emptied by names that leave, for 600 s', () => {
    check((passed) => {
      for (const { input, result } of passed) {
        const empty = { ...input.declaration, hostnames: [], literals: [] };
        const left = { ...input, state: result.state, declaration: empty, answers: new Map(), seeds: [] };
        const gone = stepGateway(left);
        const served = result.addresses.filter(({ state }) => state !== 'down').map(({ ip }) => ip);
        const ready = gone.addresses.filter(({ state }) => state === 'ready').map(({ ip }) => ip);
        expect(ready).toEqual(served);
        const late = stepGateway({ ...left, state: gone.state, now: input.now + 600 });
        expect([late.addresses, late.state]).toEqual([[], EMPTY_GATEWAY_STATE]);
      }
    });
  });

  it('A9: never depends on the order of anything', () => {
    check((passed) => {
      for (const { input, result } of passed) {
        const { declaration, answers } = input;
        const backwards = stepGateway({
          ...input,
          families: [...input.families].reverse(),
          seeds: [...input.seeds].reverse(),
          declaration: {
            ...declaration,
            hostnames: [...declaration.hostnames].reverse(),
            literals: [...declaration.literals].reverse(),
          },
          answers: backwardsAnswers(answers),
        });
        expect(JSON.stringify(backwards)).toBe(JSON.stringify(result));
      }
    });
  });

  it('changes nothing in a second step at the same moment without an answer', () => {
    check((passed) => {
      for (const { input, result } of passed) {
        const again = stepGateway({ ...input, state: result.state, answers: new Map(), seeds: [] });
        expect(again.state).toEqual(result.state);
        expect(again.addresses).toEqual(result.addresses);
        expect(again).toMatchObject({ changed: false, stateChanged: false });
      }
    });
  });

  it('says that it changed exactly when the addresses are others', () => {
    check((passed) => {
      for (const [index, { result }] of passed.entries()) {
        const before = passed[index - 1]?.result.addresses;
        if (before === undefined) continue;
        expect(result.changed).toBe(JSON.stringify(before) !== JSON.stringify(result.addresses));
      }
    });
  });

  it('always says why it publishes no ready address', () => {
    check((passed) => {
      const silent = passed.filter(
        ({ result, event }) =>
          event.hostnames.length + event.literals.length > 0 &&
          !result.addresses.some(({ state }) => state === 'ready') &&
          result.refusals.length === 0,
      );
      expect(silent).toEqual([]);
    });
  });
});
