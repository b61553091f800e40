// The report of `status` as text for people: the link, its gateway, its mirrors, and what is refused.
import type { DesiredRoot } from '../../lib/model/desired.ts';
import { keyText } from '../../lib/model/keys.ts';
import type { Link } from '../../lib/model/link.ts';
import { MIRROR_STATES, type MirrorStatus, type Report } from '../../lib/model/report.ts';
import { gatewayRows, type AddressRow } from '../../lib/runs/gateway-rows.ts';
import { accessText } from './access.ts';
import { troubleLines } from './gateway-lines.ts';
import { printable, type Paint } from './paint.ts';
import { blocks, findingLines, summaryLine } from './report.ts';
import { tableLines } from './table.ts';

export interface StatusText {
  readonly report: Report;
  readonly link: Link;
  readonly now: number; // seconds since the epoch, for what is left of TTLs
  readonly paint: Paint;
}

/** What `status` prints. */
export const statusText = ({ report, link, now, paint }: StatusText): string =>
  blocks([
    linkLines(link, paint),
    gatewayLines(report, link, now),
    report.mirrors.length === 0 ? ['no exported Services'] : mirrorLines(report.mirrors),
    findingLines(report, paint),
    [summaryLine(mirrorSummary(report.mirrors), report)],
  ]);

const linkLines = ({ name, source, target, paused }: Link, paint: Paint): string[] => [
  `${paint('bold', `link ${name}`)}${paused ? ' (paused)' : ''}`,
  `source cluster: ${accessText(source)}`,
  `target cluster: ${accessText(target)}`,
];

function gatewayLines(report: Report, link: Link, now: number): string[] {
  const rows = gatewayRows(report, { link, now });
  if (rows === 'none') return ['gateway: none'];
  const name =
    link.gateway === 'none'
      ? ''
      : ` ${keyText({ namespace: link.gateway.namespace, name: link.gateway.name })}`;
  if (rows === 'unobserved') return [`gateway${name}: not observed`];
  const port = rows.port === undefined ? 'no port' : `port ${rows.port}`;
  const identity = rows.identity === '' ? 'no identity' : `identity ${printable(rows.identity)}`;
  return [
    `gateway${name}: ${port}, ${identity}`,
    ...(rows.hostnames.length > 0 ? [`hostnames: ${rows.hostnames.map(printable).join(', ')}`] : []),
    ...(rows.addresses.length > 0
      ? tableLines(['ADDRESS', 'FAMILY', 'STATE', 'TTL', 'FROM'], rows.addresses.map(addressCells))
      : ['no address']),
    ...troubleLines(rows),
  ];
}

const addressCells = ({ ip, family, state, source, ttl }: AddressRow): string[] => [
  ip,
  family,
  state,
  ttl === undefined ? '-' : `${ttl} s`,
  printable(fromText(source)),
];

/** A hostname is itself. */
const fromText = (source: string): string =>
  source === 'status' ? 'its status' : source === 'pin' ? 'pinned' : source;

const mirrorLines = (mirrors: readonly MirrorStatus[]): string[] =>
  tableLines(
    ['SERVICE', 'MIRROR', 'MODE', 'STATE', 'ADDRESSES'],
    mirrors.map(({ service, mirror, mode, state, endpoints }) => [
      printable(keyText(service)),
      printable(mirror.name),
      mode,
      state,
      endpointsText(endpoints),
    ]),
  );

function endpointsText(endpoints: MirrorStatus['endpoints']): string {
  if (endpoints === undefined) return '-';
  if (endpoints === 'none') return 'discovered by proxies';
  if (endpoints === 'unobserved') return 'not observed';
  if ('pods' in endpoints) return podsText(endpoints);
  const ips = endpoints.addresses.map(({ ip, state }) => (state === 'ready' ? ip : `${ip} (${state})`));
  return ips.length > 0 ? ips.join(', ') : 'none';
}

/** More pods than this are counted. */
const MOST_PODS = 3;

/** `db-0, db-1, db-2 and 97 more pods` */
function podsText({ pods }: DesiredRoot): string {
  const listed = pods.filter(({ isListed }) => isListed).map(({ hostname }) => hostname);
  if (listed.length === 0) return 'no pods';
  const more = listed.length - MOST_PODS;
  const shown = listed.slice(0, MOST_PODS).join(', ');
  return more > 0 ? `${shown} and ${more} more ${more === 1 ? 'pod' : 'pods'}` : shown;
}

/** `3 mirrors: 2 in sync, 1 to update` */
function mirrorSummary(mirrors: readonly MirrorStatus[]): string {
  const states = Map.groupBy(mirrors, ({ state }) => state);
  const parts = MIRROR_STATES.flatMap((state) => {
    const number = states.get(state)?.length ?? 0;
    return number > 0 ? [`${number} ${state}`] : [];
  });
  const head = `${mirrors.length} ${mirrors.length === 1 ? 'mirror' : 'mirrors'}`;
  return parts.length > 0 ? `${head}: ${parts.join(', ')}` : head;
}
