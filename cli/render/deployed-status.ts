// What a deployment knows of its links, as text for people.
import type { LinkStatus, StatusAnswer } from '../answers.ts';
import { accessText } from './access.ts';
import { mirrorsText } from './last-run.ts';
import { brokenLine } from './links.ts';
import { printable, type Paint } from './paint.ts';
import { blocks, findingLines } from './report.ts';
import { tableLines } from './table.ts';

/** @param stack where it was looked: `eks-service-mirror-dev in eu-west-1` */
export function deployedStatusText({ links, broken }: StatusAnswer, stack: string, paint: Paint): string {
  if (links.length === 0 && broken.length === 0) return `no links in ${stack}\n`;
  return blocks([
    ...links.flatMap((link) => linkBlocks(link, paint)),
    broken.map((link) => brokenLine(link, paint)),
  ]);
}

const linkBlocks = (status: LinkStatus, paint: Paint): readonly (readonly string[])[] => [
  [
    `${paint('bold', `link ${printable(status.link)}`)}${status.state === 'active' ? '' : ` (${printable(status.state)})`}`,
    `source cluster: ${printable(accessText(status.source))}`,
    `target cluster: ${printable(accessText(status.target))}`,
  ],
  gatewayLines(status),
  runLines(status, paint),
  journalLines(status, paint),
];

function gatewayLines({ gateway }: LinkStatus): readonly string[] {
  if (typeof gateway === 'string') return [`gateway: ${printable(gateway)}`];
  const { identity, literals, names } = gateway;
  return [
    `gateway: ${identity === '' ? 'no identity' : `identity ${printable(identity)}`}`,
    ...(literals.length > 0 ? [`addresses of its status: ${literals.map(printable).join(', ')}`] : []),
    ...(names.length > 0 ? tableLines(HEAD, names.map(nameCells)) : []),
    ...names.flatMap(({ hostname, lastError }) =>
      lastError === undefined ? [] : [printable(`${hostname}: last look-up failed: ${lastError}`)],
    ),
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

function journalLines({ journal }: LinkStatus, paint: Paint): readonly string[] {
  if (journal.length === 0) return [];
  return [
    'journal, newest first:',
    ...journal.map(({ at, what, reasons, result, message }) => {
      const why = reasons.length > 0 ? paint('dim', `  (${reasons.map(printable).join(', ')})`) : '';
      const head = printable(`${at}  ${what}`);
      if (result === 'applied') return `  ${head}${why}`;
      return `  ${paint('red', `${head}  ${printable(result)}${message === undefined ? '' : `: ${printable(message)}`}`)}${why}`;
    }),
  ];
}
