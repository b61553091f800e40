// What a deployment knows of its links, as text for people.
import type { LinkStatus, StatusAnswer } from '../answers.ts';
import { accessText } from './access.ts';
import { troubleLines } from './gateway-lines.ts';
import { mirrorsText } from './last-run.ts';
import { brokenLine } from './links.ts';
import { printable, type Paint } from './paint.ts';
import { blocks, findingLines } from './report.ts';
import { tableLines } from './table.ts';

export interface DeployedStatusText {
  readonly status: StatusAnswer;
  readonly stack: string; // where it was looked: `eks-service-mirror-dev in eu-west-1`
  readonly isOfOne: boolean; // one link was asked for: all of its journal is told
  readonly paint: Paint;
}

/** What `status` of a deployment prints. */
export function deployedStatusText({ status, stack, isOfOne, paint }: DeployedStatusText): string {
  const { links, broken } = status;
  if (links.length === 0 && broken.length === 0) return `no links in ${stack}\n`;
  return blocks([
    ...links.flatMap((link) => linkBlocks(link, isOfOne, paint)),
    broken.map((link) => brokenLine(link, paint)),
  ]);
}

const linkBlocks = (status: LinkStatus, isOfOne: boolean, paint: Paint): readonly (readonly string[])[] => [
  [
    `${paint('bold', `link ${printable(status.link)}`)}${status.state === 'active' ? '' : ` (${printable(status.state)})`}`,
    `source cluster: ${printable(accessText(status.source))}`,
    `target cluster: ${printable(accessText(status.target))}`,
  ],
  gatewayLines(status),
  runLines(status, paint),
  journalLines(status, isOfOne, paint),
];

function gatewayLines({ gateway }: LinkStatus): readonly string[] {
  if (typeof gateway === 'string') return [`gateway: ${printable(gateway)}`];
  const { identity, literals, names, addresses } = gateway;
  const isPinned = addresses.some(({ source }) => source === 'pin');
  return [
    `gateway: ${identity === '' ? 'no identity' : `identity ${printable(identity)}`}`,
    ...(literals.length > 0
      ? [
          `${isPinned ? 'pinned addresses' : 'addresses of its status'}: ${literals.map(printable).join(', ')}`,
        ]
      : []),
    ...(names.length > 0 ? tableLines(HEAD, names.map(nameCells)) : []),
    ...troubleLines(gateway),
  ];
}

const HEAD = ['HOSTNAME', 'FAMILY', 'STATE', 'NEXT LOOK', 'ADDRESSES'];

type Name = Exclude<LinkStatus['gateway'], string>['names'][number];

const nameCells = ({ hostname, family, state, addresses, nextCheckInSeconds }: Name): readonly string[] => [
  printable(hostname),
  printable(family),
  printable(state),
  `${nextCheckInSeconds} s`,
  addresses.map(addressText).join(', ') || 'none',
];

const addressText = ({ ip, state }: Name['addresses'][number]): string =>
  printable(state === 'ready' ? ip : `${ip} (${state})`);

/** A run is remembered when it says something new, so its time is since when that is so. */
function runLines({ lastRun }: LinkStatus, paint: Paint): readonly string[] {
  if (typeof lastRun === 'string') return [`runs: ${printable(lastRun)}`];
  const { at, moreRefusals } = lastRun;
  return [
    `mirrors since ${printable(at)}: ${printable(mirrorsText(lastRun))}`,
    ...findingLines(lastRun, paint),
    ...(moreRefusals > 0 ? [`and ${moreRefusals} more refusals`] : []),
  ];
}

/** Lines of the journal of each of several links. */
const FEW = 5;

function journalLines({ link, journal }: LinkStatus, isOfOne: boolean, paint: Paint): readonly string[] {
  if (journal.length === 0) return [];
  const shown = isOfOne ? journal : journal.slice(0, FEW);
  const left = journal.length - shown.length;
  return [
    'journal, newest first:',
    ...shown.map((entry) => entryLine(entry, paint)),
    ...(left > 0 ? [`  and ${left} more with --link ${printable(link)}`] : []),
  ];
}

function entryLine(
  { at, what, reasons, result, message = '' }: LinkStatus['journal'][number],
  paint: Paint,
): string {
  const why = reasons.length > 0 ? paint('dim', `  (${reasons.map(printable).join('; ')})`) : '';
  const head = printable(`${at}  ${what}`);
  if (result === 'applied') return `  ${head}${why}`;
  return `  ${paint('red', `${head}  ${printable(`${result}${message && `: ${message}`}`)}`)}${why}`;
}
