// The stored links, as a table for people and as data for scripts.
import type { BrokenLink, LinkRecord } from '../../lib/ports.ts';
import type { Data } from '../../lib/runs/report-data.ts';
import { shortAccessText } from './access.ts';
import { mirrorsText, refusalsOf } from './last-run.ts';
import { printable, type Paint } from './paint.ts';
import { blocks } from './report.ts';
import { tableLines } from './table.ts';

export interface StoredLinks {
  readonly links: readonly LinkRecord[];
  readonly broken: readonly BrokenLink[];
}

type State = 'active' | 'paused' | 'ending';

function stateOf({ link, ending }: LinkRecord): State {
  if (ending) return 'ending';
  return link.paused ? 'paused' : 'active';
}

const isoText = (ms: number): string => new Date(ms).toISOString();

export const linksText = ({ links, broken }: StoredLinks, stack: string, paint: Paint): string =>
  blocks([
    links.length === 0 ? [`no links in ${stack}`] : tableLines(HEAD, links.map(cellsOf)),
    broken.map((link) => brokenLine(link, paint)),
  ]);

export const brokenLine = ({ name, why }: BrokenLink, paint: Paint): string =>
  `${paint('red', `BROKEN ${printable(name)}`)}: ${printable(why)}`;

const HEAD = ['LINK', 'STATE', 'SOURCE', 'TARGET', 'MIRRORS', 'REFUSALS', 'SINCE'];

function cellsOf(record: LinkRecord): readonly string[] {
  const { link, lastRun } = record;
  const run =
    lastRun === undefined
      ? ['no run yet', '-', '-']
      : [mirrorsText(lastRun), String(refusalsOf(lastRun)), isoText(lastRun.at)];
  return [link.name, stateOf(record), shortAccessText(link.source), shortAccessText(link.target), ...run];
}

export const linksData = ({ links, broken }: StoredLinks): Data => ({
  links: links.map((record) => ({
    link: record.link.name,
    state: stateOf(record),
    source: record.link.source,
    target: record.link.target,
    version: record.version,
    lastRun:
      record.lastRun === undefined ? 'none yet' : { ...record.lastRun, at: isoText(record.lastRun.at) },
  })),
  broken,
});
