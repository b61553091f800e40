// Mirrors and findings as lines of a table.
import { type Finding, isOk, type Mirror, type PresentMirror } from '../story/mirrors.ts';
import { columns } from './columns.ts';
import type { View } from './view.ts';

const localName = (name: string): string => name.slice(name.indexOf('/') + 1);

/** One word for each address. */
const addressWords = ({ addresses }: Pick<Mirror, 'addresses'>): readonly string[] => {
  if (addresses === 'elsewhere') return ['none (remote discovery)'];
  const words =
    'pods' in addresses
      ? addresses.pods.map(({ hostname, mirror }) => `${hostname}=${localName(mirror)}`)
      : addresses;
  return words.length === 0 ? ['no address'] : words;
};

/** Two addresses to a line, one where they have names: so that a table is no wider than 100 columns. */
const cellLines = (mirror: Mirror | undefined): readonly string[] => {
  if (mirror === undefined) return ['no mirror'];
  const words = addressWords(mirror);
  if (words.some((word) => word.includes('='))) return words;
  return words.flatMap((_, index) => (index % 2 === 0 ? [words.slice(index, index + 2).join(' ')] : []));
};

/** The lines of one finding, the first with its name. */
const findingRows = ({ name, expected, present, why = '' }: Finding): readonly (readonly string[])[] => {
  const [wanted, there] = [cellLines(expected), cellLines(present)];
  const first = [name, present?.clusterIP ?? '', wanted[0] ?? '', there[0] ?? ''];
  const others = Array.from({ length: Math.max(wanted.length, there.length) - 1 }, (_, index) => [
    '',
    '',
    wanted[index + 1] ?? '',
    there[index + 1] ?? '',
  ]);
  return [[...first, why === 'other addresses' ? '' : why], ...others];
};

/**
 * With what is expected and what is there; the last column says what these two do not show.
 * @param isFinal false: what is not as expected may still become so
 */
export function findingLines(
  findings: readonly Finding[],
  { paint }: Pick<View, 'paint'>,
  isFinal = true,
): readonly string[] {
  const rows = findings.flatMap(findingRows);
  const marks = findings.flatMap((finding) => {
    const bad = isFinal ? paint('bad', '✗') : paint('faint', '…');
    return findingRows(finding).map((_, index) =>
      index > 0 ? ' ' : isOk(finding) ? paint('good', '✓') : bad,
    );
  });
  const [head = '', ...lines] = columns([['mirror', 'cluster IP', 'expected', 'there', ''], ...rows]);
  return [paint('faint', `     ${head}`), ...lines.map((line, index) => `   ${marks[index]} ${line}`)];
}

const cellsOf = (mirror: PresentMirror): readonly string[] => [
  mirror.name,
  mirror.clusterIP,
  addressWords(mirror).join(' '),
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
