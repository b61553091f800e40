// The report of `plan` and `sync` as text for people: one line per change, what was refused or not seen, and a summary last.
import { keyText, type ObjectKey } from '../../lib/model/keys.ts';
import type { Change, Result, Unobserved } from '../../lib/model/plan.ts';
import { printable, type Colour, type Paint } from './paint.ts';

/** What was refused or not seen, and notes. */
export interface Findings {
  readonly refusals: readonly (ObjectKey & { readonly reason: string; readonly message: string })[];
  readonly unobserved: readonly Unobserved[];
  readonly notes: readonly string[];
}

export interface ShownChange extends ObjectKey {
  readonly action: Change['action'];
  readonly kind: string;
  readonly reasons: readonly string[];
}

export interface ShownOutcome {
  readonly change: ShownChange;
  readonly result: Result;
  readonly message?: string | undefined;
}

/** A report of a run here, or as much of one as a function's answer holds. */
export interface ShownReport extends Findings {
  readonly changes: readonly ShownChange[];
  readonly explanations: readonly { readonly service: ObjectKey; readonly lines: readonly string[] }[];
  readonly outcomes?: readonly ShownOutcome[];
  /** Absent when too little was seen to decide anything; an answer does not tell. */
  readonly gateway?: unknown;
}

const SYMBOLS: Readonly<Record<Change['action'], { readonly symbol: string; readonly colour: Colour }>> = {
  create: { symbol: '+', colour: 'green' },
  update: { symbol: '~', colour: 'yellow' },
  delete: { symbol: '-', colour: 'red' },
};

/** What `plan` prints. */
export const planText = (report: ShownReport, paint: Paint): string =>
  blocks([
    report.changes.map((change) => changeLine(change, paint)),
    findingLines(report, paint),
    ...report.explanations.map((explanation) => explanationLines(explanation, paint)),
    [summaryLine(planned(report), report)],
  ]);

/** What `sync` prints. */
export const syncText = (report: ShownReport, paint: Paint): string => {
  const outcomes = report.outcomes ?? [];
  return blocks([
    outcomes.map((outcome) => outcomeLine(outcome, paint)),
    findingLines(report, paint),
    ...report.explanations.map((explanation) => explanationLines(explanation, paint)),
    [summaryLine(done(report), report)],
  ]);
};

/** Blocks of lines with an empty line between them; empty blocks leave nothing. */
export const blocks = (parts: readonly (readonly string[])[]): string =>
  `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;

/** `+ Service shop/web-west  (reason, reason)` */
function changeLine(change: ShownChange, paint: Paint): string {
  const { symbol, colour } = SYMBOLS[change.action];
  const reasons = change.reasons.length > 0 ? `  (${change.reasons.map(printable).join(', ')})` : '';
  return `${paint(colour, `${symbol} ${objectText(change)}`)}${paint('dim', reasons)}`;
}

function outcomeLine({ change, result, message = '' }: ShownOutcome, paint: Paint): string {
  if (result === 'applied') return changeLine(change, paint);
  const { symbol } = SYMBOLS[change.action];
  return paint('red', `${symbol} ${objectText(change)}  ${result}${message && `: ${printable(message)}`}`);
}

const objectText = ({ kind, ...key }: ShownChange): string => `${printable(kind)} ${nameText(key)}`;

/** `namespace/name`, or the name alone where there is no namespace. */
const nameText = ({ namespace, name }: ObjectKey): string =>
  printable(namespace === '' ? name : keyText({ namespace, name }));

/** Refusals, what could not be seen, and notes. */
export const findingLines = ({ refusals, unobserved, notes }: Findings, paint: Paint): string[] => [
  ...refusals.map(
    ({ reason, message, ...key }) =>
      `${paint('yellow', `refused ${nameText(key)}`)}: ${printable(`${reason}: ${message}`)}`,
  ),
  ...unobserved.map(
    ({ what, message }) => `${paint('red', `NOT OBSERVED: ${printable(what)}`)}: ${printable(message)}`,
  ),
  ...notes.map((note) => `note: ${printable(note)}`),
];

const explanationLines = (
  { service, lines }: ShownReport['explanations'][number],
  paint: Paint,
): readonly string[] => [
  paint('bold', printable(keyText(service))),
  ...lines.map((line) => `  ${printable(line)}`),
];

const numberOf = (changes: readonly ShownChange[], action: Change['action']): number =>
  changes.filter((change) => change.action === action).length;

/** An empty plan of a run that saw too little is no sign that all is well. */
function idle({ gateway, unobserved }: ShownReport): string {
  if (unobserved.length === 0) return 'nothing to do';
  if (gateway === UNTOLD) return 'nothing to do in what could be observed';
  return gateway === undefined ? 'nothing could be decided' : 'nothing to do';
}

/** Stands for the gateway where an answer does not tell of it. */
export const UNTOLD = 'untold';

function planned(report: ShownReport): string {
  const { changes } = report;
  if (changes.length === 0) return idle(report);
  const [creates, updates, deletes] = [
    numberOf(changes, 'create'),
    numberOf(changes, 'update'),
    numberOf(changes, 'delete'),
  ];
  return `${creates} to create, ${updates} to update, ${deletes} to delete`;
}

function done(report: ShownReport): string {
  const { outcomes = [] } = report;
  if (outcomes.length === 0) return idle(report);
  const applied = outcomes.filter(({ result }) => result === 'applied').map(({ change }) => change);
  const [created, updated, deleted] = [
    numberOf(applied, 'create'),
    numberOf(applied, 'update'),
    numberOf(applied, 'delete'),
  ];
  const undone = (['failed', 'skipped'] as const).flatMap((result) => resultText(outcomes, result));
  return `${created} created, ${updated} updated, ${deleted} deleted${undone.length > 0 ? `; ${undone.join(', ')}` : ''}`;
}

function resultText(outcomes: readonly ShownOutcome[], wanted: Result): string[] {
  const number = outcomes.filter(({ result }) => result === wanted).length;
  return number > 0 ? [`${number} ${wanted}`] : [];
}

/** `3 to create, 1 to update, 0 to delete; 2 refused; 1 not observed` */
export function summaryLine(start: string, { refusals, unobserved }: Findings): string {
  const refused = refusals.length > 0 ? [`${refusals.length} refused`] : [];
  const unseen = unobserved.length > 0 ? [`${unobserved.length} not observed`] : [];
  return [start, ...refused, ...unseen].join('; ');
}
