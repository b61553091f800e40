// What the engine costs: CPU of one check, and whether ten times the names cost more than ten times as much.
import { EMPTY_GATEWAY_STATE, type GatewayState } from '../../lib/model/gateway.ts';
import type { Answer } from '../../lib/ports.ts';
import { type Figure, median } from '../measure.ts';
import { stepOnce } from './engine.ts';
import { type Random, seeded } from './random.ts';

const [FEW, MANY] = [1_000, 10_000];
const CHECKS = 3; // of each name, one TTL apart
const ROUNDS = 3;

const WHOLE: Answer = {
  kind: 'addresses',
  addresses: ['10.0.1.10', '10.0.2.10', '10.0.3.10'],
  ttl: 60,
  partial: false,
};
const OTHERS: readonly Answer[] = [
  { ...WHOLE, addresses: WHOLE.addresses.slice(1) },
  { kind: 'unknown', why: 'SERVFAIL' },
];

/** Nine of ten answers are what is known already. */
const anAnswer = (random: Random): Answer =>
  random() < 0.9 ? WHOLE : (OTHERS[Math.floor(random() * OTHERS.length)] ?? WHOLE);

/** CPU of all checks of `names` names, in ms. */
const cpuOf = (names: number): number => {
  const random = seeded(names);
  let states: readonly GatewayState[] = Array.from({ length: names }, () => EMPTY_GATEWAY_STATE);
  const before = process.cpuUsage();
  for (let check = 0; check < CHECKS; check += 1) {
    states = states.map((state) => stepOnce(state, anAnswer(random), check * 65, random).state);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

export const costFigures = (): readonly Figure[] => {
  cpuOf(FEW); // warm up
  const rounds = Array.from({ length: ROUNDS }, () => ({ few: cpuOf(FEW), many: cpuOf(MANY) }));
  const [few, many] = [median(rounds.map((round) => round.few)), median(rounds.map((round) => round.many))];
  const ratio = many / few;
  return [
    {
      name: `engine, CPU per check of ${MANY} names`,
      value: (many / (MANY * CHECKS)) * 1_000,
      unit: 'µs',
      ok: true,
      kind: 'time',
    },
    {
      name: `engine, CPU of ${CHECKS} checks of ${MANY} names beside ${FEW}`,
      value: many,
      unit: 'ms',
      ratio,
      target: '<= 11',
      ok: ratio <= 11,
      kind: 'time',
    },
  ];
};
