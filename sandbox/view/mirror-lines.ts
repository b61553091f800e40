// Mirrors and findings as lines of a table.
import type { Finding, Mirror, PresentMirror } from '../story/mirrors.ts';
import { columns } from './columns.ts';
import type { View } from './view.ts';

const addressText = ({ addresses }: Pick<Mirror, 'addresses'>): string => {
  if (addresses === 'elsewhere') return 'none here (remote discovery)';
  return addresses.length === 0 ? 'no address' : addresses.join(' ');
};

const mirrorText = (mirror: Mirror | undefined): string =>
  mirror === undefined ? 'no mirror' : addressText(mirror);

/**
 * With what is expected and what is there; the last column says what these two do not show.
 * @param isFinal false: what is not as expected may still become so
 */
export function findingLines(
  findings: readonly Finding[],
  { paint }: Pick<View, 'paint'>,
  isFinal = true,
): readonly string[] {
  const rows = findings.map(({ name, expected, present, why = '' }) => [
    name,
    mirrorText(expected),
    mirrorText(present),
    why === 'other addresses' ? '' : why,
  ]);
  const [head = '', ...lines] = columns([['mirror', 'expected', 'there', ''], ...rows]);
  const marked = lines.map((line, index) => {
    const isGood = findings[index]?.kind === 'ok';
    const mark = isGood ? paint('good', '✓') : isFinal ? paint('bad', '✗') : paint('faint', '…');
    return `   ${mark} ${line}`;
  });
  return [paint('faint', `     ${head}`), ...marked];
}

const cellsOf = (mirror: PresentMirror): readonly string[] => [
  mirror.name,
  mirror.clusterIP,
  addressText(mirror),
  mirror.ports.join(' '),
];

export const mirrorLine = (mirror: PresentMirror): string => `   ${cellsOf(mirror).join('  ').trimEnd()}`;

/** Only what is there. */
export const mirrorTable = (
  mirrors: readonly PresentMirror[],
  { paint }: Pick<View, 'paint'>,
): readonly string[] => {
  const rows = mirrors.map(cellsOf);
  const [head = '', ...lines] = columns([['mirror', 'cluster IP', 'addresses', 'ports'], ...rows]);
  return [paint('faint', `   ${head}`), ...lines.map((line) => `   ${line}`)];
};
