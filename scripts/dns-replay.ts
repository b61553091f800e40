// Replays answer sequences with expected results through the gateway's state machine: the form of test/fixtures/dns-vectors.json.
import { isIP } from 'node:net';
import * as z from 'zod';
import { knownAddresses, mergeAddresses } from '../lib/gateway/publish.ts';
import { SETTINGS, type GatewaySettings } from '../lib/gateway/settings.ts';
import { nameKey, stepGateway, type GatewayResult } from '../lib/gateway/state.ts';
import { EMPTY_GATEWAY_STATE, type AddressState, type GatewayState } from '../lib/model/gateway.ts';
import type { Family } from '../lib/model/objects.ts';
import type { Answer } from '../lib/ports.ts';

const answer = z.discriminatedUnion('k', [
  z.object({
    k: z.literal('ok'),
    a: z.array(z.string()),
    ttl: z.number(),
    partial: z.boolean().default(false),
  }),
  z.object({ k: z.literal('neg'), ttl: z.number().optional(), why: z.string().optional() }),
  z.object({ k: z.literal('fail'), why: z.string() }),
]);
/** One answer for the only family (IPv4), or one per family; null: not asked at this time. */
const byFamily = z.strictObject({ A: answer.nullable().optional(), AAAA: answer.nullable().optional() });
const ofName = z.union([answer, byFamily, z.null()]);
/** With `status` the row says which names the gateway's status holds; without it there is one unchanging name. */
const withStatus = z.object({ status: z.array(z.string()) }).catchall(ofName);
const row = z.object({
  t: z.number(),
  raw: z.union([withStatus, ofName]),
  ready: z.array(z.string()),
  draining: z.array(z.string()),
  down: z.array(z.string()),
  state: z.string().optional(),
  next: z.number().optional(),
});
const vectorCase = z.object({
  id: z.union([z.number(), z.string()]),
  title: z.string(),
  rows: z.array(row).min(1),
});
const defaults = z.object({ backoff: z.array(z.number()).min(1).optional() }).catchall(z.number());

/** A file of vectors. */
export const vectorFile = z.object({
  defaults: defaults.default({}),
  cases: z.array(vectorCase).min(1),
});

export type VectorFile = z.output<typeof vectorFile>;
export type VectorCase = VectorFile['cases'][number];
type Row = VectorCase['rows'][number];
type NameRaw = z.output<typeof ofName>;

/** The first place where a case went another way than expected. */
export interface Difference {
  readonly t: number;
  readonly field: string;
  readonly expected: string;
  readonly found: string;
}

const ONLY_NAME = 'gateway.example.test';
const KEY = { namespace: 'linkerd-multicluster', name: 'linkerd-gateway' };
const OPEN_RULES = {
  allowedCIDRs: [],
  serviceRanges: [],
  serviceAddresses: new Set<string>(),
  apiServers: new Set<string>(),
};

interface Look {
  readonly status: readonly string[];
  readonly names: Readonly<Record<string, NameRaw>>;
}

const lookOf = (raw: Row['raw']): Look => {
  if (raw === null || !('status' in raw)) return { status: [ONLY_NAME], names: { [ONLY_NAME]: raw } };
  const { status, ...names } = raw;
  return { status, names };
};

const answerOf = (raw: z.output<typeof answer>): Answer => {
  switch (raw.k) {
    case 'ok':
      return { kind: 'addresses', addresses: raw.a, ttl: raw.ttl, partial: raw.partial };
    case 'neg':
      return { kind: 'nothing', why: 'NXDOMAIN', ...(raw.ttl === undefined ? {} : { negativeTtl: raw.ttl }) };
    case 'fail':
      return { kind: 'unknown', why: raw.why };
  }
};

const answersOf = ({ names }: Look): ReadonlyMap<string, Answer> => {
  const rows = Object.entries(names).flatMap(([name, raw]) => {
    if (raw === null) return [];
    const { A, AAAA } = 'k' in raw ? { A: raw, AAAA: undefined } : raw;
    const asked = [['IPv4', A] as const, ['IPv6', AAAA] as const];
    return asked.flatMap(([family, value]) =>
      value === undefined || value === null ? [] : [[nameKey(name, family), answerOf(value)] as const],
    );
  });
  return new Map(rows);
};

const familiesOf = ({ rows }: VectorCase): readonly Family[] => {
  const isDual = rows.some(({ raw }) =>
    Object.values(lookOf(raw).names).some((value) => value !== null && !('k' in value)),
  );
  return isDual ? ['IPv4', 'IPv6'] : ['IPv4'];
};

interface Run {
  readonly families: readonly Family[];
  readonly settings: GatewaySettings;
}

const step = (state: GatewayState, { t, raw }: Row, { families, settings }: Run): GatewayResult => {
  const look = lookOf(raw);
  return stepGateway({
    state,
    declaration: {
      key: KEY,
      hostnames: look.status.filter((name) => isIP(name) === 0),
      literals: look.status.filter((name) => isIP(name) !== 0),
      createdAt: undefined,
      refusals: [],
    },
    answers: answersOf(look),
    families,
    rules: OPEN_RULES,
    seeds: [],
    firstLookDelay: 0,
    now: t,
    settings,
    jitter: 0,
  });
};

const sorted = (values: readonly string[]): string => [...values].sort().join(' ') || 'none';

/** Taken before the last resort, as the vectors describe the engine. Without a name nothing has a state or a next check. */
const found = (state: GatewayState): Readonly<Record<string, string>> => {
  const merged = mergeAddresses(state, new Set(knownAddresses(state)));
  const held = (wanted: AddressState): string =>
    sorted(merged.filter((address) => address.state === wanted).map(({ ip }) => ip));
  const current = state.records.filter(({ departedAt }) => departedAt === undefined);
  const literals = Object.values(state.literals).some(({ departedAt }) => departedAt === undefined);
  const states = current.map((record) => record.state).join(' / ');
  return {
    ready: held('ready'),
    draining: held('draining'),
    down: held('down'),
    ...(states === '' && !literals ? {} : { state: states || 'FRESH' }),
    ...(states === '' ? {} : { next: String(Math.min(...current.map(({ nextCheckAt }) => nextCheckAt))) }),
  };
};

const wanted = ({ ready, draining, down, state, next }: Row): Readonly<Record<string, string>> => ({
  ready: sorted(ready),
  draining: sorted(draining),
  down: sorted(down),
  ...(state === undefined ? {} : { state }),
  ...(next === undefined ? {} : { next: String(next) }),
});

const differenceAt = (row: Row, state: GatewayState): Difference | undefined => {
  const actual = found(state);
  const fault = Object.entries(wanted(row)).find(
    ([field, expected]) => (actual[field] ?? expected) !== expected,
  );
  if (fault === undefined) return undefined;
  const [field, expected] = fault;
  return { t: row.t, field, expected, found: actual[field] ?? '' };
};

/** Runs one case; every row is a forced check at its time. undefined: all as expected. */
export const replayCase = (vector: VectorCase, settings: GatewaySettings): Difference | undefined => {
  const run = { families: familiesOf(vector), settings };
  let state: GatewayState = EMPTY_GATEWAY_STATE;
  for (const row of vector.rows) {
    state = step(state, row, run).state;
    const difference = differenceAt(row, state);
    if (difference !== undefined) return difference;
  }
  return undefined;
};

/** The settings a file asks for, and those of its names that mean nothing here. */
export const settingsOf = (
  file: VectorFile,
): { readonly settings: GatewaySettings; readonly unknown: readonly string[] } => {
  const known = Object.entries(file.defaults).filter(([name]) => name in SETTINGS);
  return {
    settings: { ...SETTINGS, ...Object.fromEntries(known) },
    unknown: Object.keys(file.defaults).filter((name) => !(name in SETTINGS)),
  };
};
