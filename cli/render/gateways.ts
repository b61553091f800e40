// Gateways as text for people: a table with a line for each address, and what is refused of them below.
import type { BrokenLink } from '../../lib/ports.ts';
import type { GatewayView } from '../gateway-view.ts';
import { brokenLine } from './links.ts';
import { printable, type Paint } from './paint.ts';
import { blocks } from './report.ts';
import { tableLines } from './table.ts';

const HEAD = [
  'CLUSTER',
  'ALIVE',
  'NUM_SVC',
  'ADDRESS',
  'STATE',
  'LIVENESS',
  'TTL LEFT',
  'SOURCE',
  'LAST CHANGE',
] as const;

export interface GatewaysText {
  readonly gateways: readonly GatewayView[];
  readonly broken: readonly BrokenLink[]; // stored links that cannot be used
  readonly paint: Paint;
}

export const gatewaysText = ({ gateways, broken, paint }: GatewaysText): string =>
  blocks([
    gateways.length > 0 ? tableLines(HEAD, gateways.flatMap(gatewayCells)) : [],
    gateways.flatMap((view) => reasonLines(view, paint)),
    broken.map((link) => brokenLine(link, paint)),
  ]);

/** The first line has the link; those of its other addresses begin with empty cells. */
function gatewayCells(view: GatewayView): readonly (readonly string[])[] {
  const { link, addresses, mirrors } = view;
  const [first = [absentText(view)], ...others] = addresses.map(addressCells);
  return [
    [printable(link), aliveText(view), mirrors === undefined ? '-' : String(mirrors), ...first],
    ...others.map((cells) => ['', '', '', ...cells]),
  ];
}

/** `alive 2/3`: addresses that are found alive, of those that are not on their way out. */
function aliveText({ alive, aliveAddresses, addresses, absent }: GatewayView): string {
  if (absent === 'none') return '-';
  const counted = addresses.filter(({ state }) => state !== 'draining').length;
  return `${printable(alive)} ${aliveAddresses}/${counted}`;
}

/** How what is absent is said, where its own word is not enough. */
const ABSENT: Readonly<Record<string, string>> = { none: 'no gateway', unobserved: 'not observed' };

const absentText = ({ absent = 'no address' }: GatewayView): string => ABSENT[absent] ?? printable(absent);

function addressCells({
  ip,
  state,
  liveness,
  ttl,
  source,
  since,
}: GatewayView['addresses'][number]): string[] {
  const { state: found, why } = liveness;
  return [
    ip,
    state,
    found === 'dead' && why !== undefined ? `${found} (${why})` : found,
    ttl === undefined ? '-' : `${ttl} s`,
    source,
    since ?? '-',
  ].map(printable);
}

const reasonLines = ({ link, reasons }: GatewayView, paint: Paint): readonly string[] =>
  reasons.map(
    ({ reason, message }) => `${paint('yellow', printable(link))}: ${printable(`${reason}: ${message}`)}`,
  );
