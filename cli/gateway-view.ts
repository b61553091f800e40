// The gateway of one link as `gateways` tells it: out of a report of two clusters, or of what a deployment answers.
import type { Link } from '../lib/model/link.ts';
import type { Unobserved } from '../lib/model/plan.ts';
import type { MirrorStatus, Report } from '../lib/model/report.ts';
import type { Data } from '../lib/runs/report-data.ts';
import { gatewayRows } from '../lib/runs/gateway-rows.ts';
import type { LinkStatus } from './answers.ts';
import type { ShownLiveness } from './render/gateway-lines.ts';

export interface ShownAddress {
  readonly ip: string;
  readonly state: string;
  readonly ttl?: number | undefined; // seconds left
  readonly source: string;
  readonly liveness: ShownLiveness;
  readonly since?: string | undefined;
}

interface Reason {
  readonly reason: string;
  readonly message: string;
}

/** What is known of the addresses. */
interface Known {
  readonly alive: string; // alive, dead or unknown
  readonly aliveAddresses: number;
  readonly resolved: boolean;
  readonly lastChange?: string | undefined;
  readonly addresses: readonly ShownAddress[];
}

export interface GatewayView extends Known {
  readonly link: string;
  readonly mirrors: number | undefined; // that are there; undefined: no run has said yet
  readonly reasons: readonly Reason[]; // what is refused of the gateway or was not seen
  /** Why there is nothing to tell: `none` for a link without a gateway. */
  readonly absent?: string;
}

/** Refusals that are about a gateway and not about an exported Service. */
const GATEWAY_REASONS: readonly string[] = [
  'NoGatewayAddress',
  'GatewayUnresolved',
  'AddressRefused',
  'IdentityChanged',
  'WrongCluster',
];

interface Findings {
  readonly refusals: readonly Reason[];
  readonly unobserved: readonly Unobserved[];
}

/** What is refused of a gateway, and what could not be seen of the clusters. */
const reasonsOf = ({ refusals, unobserved }: Findings): readonly Reason[] => [
  ...refusals
    .filter(({ reason }) => GATEWAY_REASONS.includes(reason))
    .map(({ reason, message }) => ({ reason, message })),
  ...unobserved.map(({ what, message }) => ({ reason: 'Unobserved', message: `${what}: ${message}` })),
];

const NOTHING: Findings = { refusals: [], unobserved: [] };

const UNKNOWN: Known = { alive: 'unknown', aliveAddresses: 0, resolved: false, addresses: [] };

const knownOf = ({ alive, aliveAddresses, resolved, lastChange, addresses }: Known): Known => ({
  alive,
  aliveAddresses,
  resolved,
  lastChange,
  addresses,
});

/** States of mirrors that are there, whatever has to be done to them. */
const THERE: readonly MirrorStatus['state'][] = ['in sync', 'to update'];

/** @param now seconds since the epoch */
export function viewOfReport(report: Report, link: Link, now: number): GatewayView {
  const rows = gatewayRows(report, { link, now });
  const mirrors = report.mirrors.filter(({ state }) => THERE.includes(state)).length;
  const base = { link: report.link, mirrors, reasons: reasonsOf(report) };
  if (typeof rows === 'string') return { ...base, ...UNKNOWN, absent: rows };
  return { ...base, ...knownOf(rows) };
}

export function viewOfStatus({ link, gateway, lastRun }: LinkStatus): GatewayView {
  const run = typeof lastRun === 'string' ? undefined : lastRun;
  const base = {
    link,
    mirrors: run && THERE.reduce((sum, state) => sum + (run.mirrors[state] ?? 0), 0),
    reasons: reasonsOf(run ?? NOTHING),
  };
  if (typeof gateway === 'string') return { ...base, ...UNKNOWN, absent: gateway };
  return { ...base, ...knownOf(gateway) };
}

/** Whether traffic can be sent to it, as far as it is known; a link without a gateway needs none. */
export const isUsable = ({ alive, resolved, absent }: GatewayView): boolean =>
  absent === 'none' || (absent === undefined && resolved && alive !== 'dead');

export const viewData = ({ link, absent, mirrors, reasons, ...view }: GatewayView): Data => ({
  link,
  ...(absent === undefined ? {} : { absent }),
  alive: view.alive,
  aliveAddresses: view.aliveAddresses,
  resolved: view.resolved,
  ...(mirrors === undefined ? {} : { mirrors }),
  ...(view.lastChange === undefined ? {} : { lastChange: view.lastChange }),
  addresses: view.addresses,
  reasons,
});
