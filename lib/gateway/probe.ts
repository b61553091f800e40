// How the gateway is probed: the link's own settings, else the gateway Service's annotations, else Linkerd's defaults.
import {
  PROBE_FAILURE_THRESHOLD,
  PROBE_PATH,
  PROBE_PERIOD,
  PROBE_PORT_NAME,
  PROBE_TIMEOUT,
} from '../model/labels.ts';
import type { Link } from '../model/link.ts';
import type { Service } from '../model/objects.ts';
import { gatewayOf } from './gateway-link.ts';
import { gatewayPort } from './ports.ts';

export interface ProbeSettings {
  readonly off: boolean;
  readonly anyAnswer: boolean; // any HTTP answer counts as alive, not only 200
  readonly path: string;
  readonly port: number | undefined; // undefined: nothing to probe, liveness stays unknown
  readonly period: number; // seconds, 1 to 30
  readonly timeout: number; // seconds, at most 5
  readonly failureThreshold: number; // consecutive failures
  /** What a person should know: settings that could not be read, and what was taken instead. */
  readonly notes: readonly string[];
}

/** Linkerd's defaults (its multicluster chart), but for the timeout: 30 s there, far beyond the period. */
const DEFAULTS = { path: '/ready', period: 3, timeout: 5, failureThreshold: 3 } as const;
const PERIOD = { least: 1, most: 30 } as const;
const TIMEOUT = { least: 0.1, most: 5 } as const;

const UNITS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 0.001 };
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|h|m|s))+$/; // Go's text form
const PART = /(\d+(?:\.\d+)?)(ms|h|m|s)/g;
const SECONDS = /^\d+(?:\.\d+)?$/;
const COUNT = /^"?(\d+)"?$/;
const PATH = /^\/[\x21-\x7e]{0,1023}$/; // what fits a request line: the target cluster chooses it

interface Read<T> {
  readonly value: T;
  readonly notes: readonly string[];
}

/** Seconds of `3`, `"3"`, `3s`, `1m`, `1m30s`, `500ms`; undefined for anything else. Its text form has changed between versions. */
export const parseSeconds = (text: string): number | undefined => {
  const bare = text.trim().replace(/^"(.*)"$/, '$1');
  if (SECONDS.test(bare)) return Number(bare);
  if (!DURATION.test(bare)) return undefined;
  const parts = [...bare.matchAll(PART)];
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit ?? ''] ?? 0), 0);
};

const parseCount = (text: string): number | undefined => {
  const [, digits] = COUNT.exec(text.trim()) ?? [];
  const count = Number(digits ?? 0);
  return Number.isSafeInteger(count) && count >= 1 ? count : undefined;
};

const parsePath = (text: string): string | undefined => (PATH.test(text) ? text : undefined);

const positive = (text: string): number | undefined => {
  const seconds = parseSeconds(text);
  return seconds !== undefined && seconds > 0 ? seconds : undefined;
};

interface Source<T> {
  readonly pin: T | undefined;
  readonly annotation: string;
  readonly parse: (text: string) => T | undefined;
  readonly fallback: T;
}

const readOne = <T extends number | string>(service: Service | undefined, source: Source<T>): Read<T> => {
  const text = service?.meta.annotations[source.annotation];
  if (source.pin !== undefined) return { value: source.pin, notes: [] };
  if (text === undefined || text === '') return { value: source.fallback, notes: [] };
  const value = source.parse(text);
  if (value !== undefined) return { value, notes: [] };
  const note = `${source.annotation}: cannot read ${JSON.stringify(text.slice(0, 80))}, taking ${source.fallback}`;
  return { value: source.fallback, notes: [note] };
};

const clamp = (value: number, { least, most }: { readonly least: number; readonly most: number }): number =>
  Math.min(Math.max(value, least), most);

const periodNote = (period: number): readonly string[] => {
  const taken = clamp(period, PERIOD);
  return taken === period ? [] : [`probe period: expected 1 to 30 s, found ${period} s, taking ${taken} s`];
};

const portNote = (port: number | undefined): readonly string[] =>
  port === undefined
    ? [`no port named ${PROBE_PORT_NAME} is declared and none is pinned: the gateway is not probed`]
    : [];

/**
 * Never fails: what cannot be read is the default and a note, so that a typo cannot switch probing off.
 *
 * @throws TypeError for a link without a gateway
 */
export const readProbe = (link: Link, service: Service | undefined): ProbeSettings => {
  const pins = link.probe;
  const read = <T extends number | string>(source: Source<T>): Read<T> => readOne(service, source);
  const path = read({ pin: pins.path, annotation: PROBE_PATH, parse: parsePath, fallback: DEFAULTS.path });
  const period = read({
    pin: pins.period,
    annotation: PROBE_PERIOD,
    parse: positive,
    fallback: DEFAULTS.period,
  });
  const timeout = read({
    pin: pins.timeout,
    annotation: PROBE_TIMEOUT,
    parse: positive,
    fallback: DEFAULTS.timeout,
  });
  const threshold = read({
    pin: pins.failureThreshold,
    annotation: PROBE_FAILURE_THRESHOLD,
    parse: parseCount,
    fallback: DEFAULTS.failureThreshold,
  });
  const port = pins.port ?? gatewayOf(link).probePort ?? gatewayPort(service, PROBE_PORT_NAME);
  return {
    off: pins.off,
    anyAnswer: pins.anyAnswer,
    path: path.value,
    port,
    period: clamp(period.value, PERIOD),
    timeout: clamp(timeout.value, TIMEOUT),
    failureThreshold: threshold.value,
    notes: [path, period, timeout, threshold]
      .flatMap(({ notes }) => notes)
      .concat(periodNote(period.value), pins.off ? [] : portNote(port)),
  };
};
