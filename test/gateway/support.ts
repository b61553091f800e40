// Builders for the tests of lib/gateway: sane defaults, and one place that freezes what must not be changed.
import type { AddressRules } from '../../lib/gateway/filter.ts';
import { advance, newRecord } from '../../lib/gateway/record.ts';
import { SETTINGS, type Moment } from '../../lib/gateway/settings.ts';
import { nameKey, stepGateway, type GatewayResult, type GatewayStep } from '../../lib/gateway/state.ts';
import {
  EMPTY_GATEWAY_STATE,
  type AddressState,
  type GatewayRecord,
  type PublishedAddress,
} from '../../lib/model/gateway.ts';
import { linkSchema, type Link, type LinkDocument } from '../../lib/model/link.ts';
import type { Family, Service } from '../../lib/model/objects.ts';
import type { Refusal } from '../../lib/model/plan.ts';
import type { Answer } from '../../lib/ports.ts';

export const KEY = { namespace: 'linkerd-multicluster', name: 'linkerd-gateway' };
export const NAME = 'lb.example.test';

export const OPEN_RULES: AddressRules = {
  allowedCIDRs: [],
  serviceRanges: [],
  serviceAddresses: new Set(),
  apiServers: new Set(),
};

export const someRules = (rules: Partial<AddressRules>): AddressRules => ({ ...OPEN_RULES, ...rules });

export const aLink = (document: Partial<LinkDocument> = {}): Link =>
  linkSchema.parse({ name: 'west', allowedHostnames: ['example.test'], ...document });

type ServiceParts = Partial<Omit<Service, 'meta'>> & {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly createdAt?: number; // ms
};

export const aGatewayService = ({
  annotations = {},
  createdAt = 0,
  ...rest
}: ServiceParts = {}): Service => ({
  meta: {
    ...KEY,
    uid: 'uid-1',
    resourceVersion: '1',
    labels: {},
    annotations,
    droppable: { labels: [], annotations: [] },
    createdAt,
    deleting: false,
  },
  type: 'LoadBalancer',
  clusterIP: '10.100.7.7',
  clusterIPs: ['10.100.7.7'],
  ipFamilies: ['IPv4'],
  ipFamilyPolicy: 'SingleStack',
  isPolicyOurs: false,
  publishNotReadyAddresses: false,
  hasSelector: true,
  ports: [
    { name: 'mc-gateway', protocol: 'TCP', port: 4143, targetPort: 4143, nodePort: 30143 },
    { name: 'mc-probe', protocol: 'TCP', port: 4191, targetPort: 4191, nodePort: 30191 },
  ],
  ingress: [{ hostname: NAME }],
  ...rest,
});

/** Freezes a value all the way down, so that any mutation of an input throws. */
export const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
};

export const at = (now: number, jitter = 0): Moment => frozen({ now, jitter, settings: SETTINGS });

export const found = (addresses: readonly string[], ttl = 60, partial = false): Answer =>
  frozen({ kind: 'addresses', addresses, ttl, partial });
export const nothing = (negativeTtl = 60, why: 'NXDOMAIN' | 'NODATA' = 'NXDOMAIN'): Answer =>
  frozen({ kind: 'nothing', why, negativeTtl });
export const unknown = (why = 'SERVFAIL'): Answer => frozen({ kind: 'unknown', why });

/** Addresses of a record in one state, in the record's order. */
export const held = (record: GatewayRecord, state: AddressState): readonly string[] =>
  Object.entries(record.addresses)
    .filter(([, entry]) => entry.state === state)
    .map(([ip]) => ip);

/** `10.0.0.1` for ready ones, `10.0.0.1 draining` for others. */
export const shown = (addresses: readonly PublishedAddress[]): readonly string[] =>
  addresses.map(({ ip, state }) => (state === 'ready' ? ip : `${ip} ${state}`));

export const said = (refusals: readonly Refusal[]): readonly string[] =>
  refusals.map(({ reason, message }) => `${reason}: ${message}`);

export type StepParts = Partial<Omit<GatewayStep, 'answers' | 'declaration'>> & {
  readonly hostnames?: readonly string[];
  readonly literals?: readonly string[];
  readonly createdAt?: number;
  readonly declared?: readonly Refusal[];
  /** by hostname, or by hostname and family */
  readonly answers?: Readonly<Record<string, Answer>>;
};

const keyOf = (name: string): string => (name.includes('|') ? name : nameKey(name, 'IPv4'));

export const aStep = ({
  hostnames,
  literals,
  createdAt,
  declared,
  answers,
  ...rest
}: StepParts = {}): GatewayStep =>
  frozen({
    state: EMPTY_GATEWAY_STATE,
    declaration: {
      key: KEY,
      hostnames: hostnames ?? (literals === undefined ? [NAME] : []),
      literals: literals ?? [],
      createdAt,
      refusals: declared ?? [],
    },
    answers: new Map(Object.entries(answers ?? {}).map(([name, answer]) => [keyOf(name), answer])),
    families: ['IPv4'] satisfies readonly Family[],
    rules: OPEN_RULES,
    seeds: [],
    firstLookDelay: 0,
    now: 0,
    settings: SETTINGS,
    jitter: 0,
    ...rest,
  });

export const step = (parts: StepParts = {}): GatewayResult => stepGateway(aStep(parts));

/** One step after the other, each from the state of the one before. */
export const steps = (...all: readonly StepParts[]): readonly GatewayResult[] => {
  const results: GatewayResult[] = [];
  for (const parts of all)
    results.push(step({ state: results.at(-1)?.state ?? EMPTY_GATEWAY_STATE, ...parts }));
  return results;
};

export const last = (...all: readonly StepParts[]): GatewayResult => steps(...all).at(-1) ?? step();

/** A state in which NAME has resolved to 10.0.0.1 and 10.0.0.2 at the time 0, with a TTL of 60 s. */
export const RESOLVED = step({ answers: { [NAME]: found(['10.0.0.1', '10.0.0.2']) } }).state;
export const OTHER_NAME = 'a.example.test';

export type Told = readonly [now: number, answer: Answer];

export const tell = (record: GatewayRecord, ...answers: readonly Told[]): GatewayRecord =>
  answers.reduce((memory, [now, answer]) => advance(frozen(memory), answer, at(now)), record);
export const after = (...answers: readonly Told[]): GatewayRecord =>
  tell(newRecord(NAME, 'IPv4', 0), ...answers);

/** Answers one TTL apart, the first at `start`. */
export const rounds = (start: number, answers: readonly (readonly string[])[]): readonly Told[] =>
  answers.map((addresses, index) => [start + 60 * index, found(addresses)] as const);

export const states = (record: GatewayRecord): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(record.addresses).map(([ip, { state }]) => [ip, state]));
