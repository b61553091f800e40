// Reads what was typed: the flags of a command and its argument, with everything that no flag took among the mistakes.
import { Option, type Command } from 'commander';
import { nearest, quoted } from '../lib/wording.ts';
import { FLAGS, type Flag, type FlagName } from './flag-rows.ts';

const BY_NAME: ReadonlyMap<string, Flag> = new Map(FLAGS.map((flag) => [flag.name, flag]));

/** The flags of these names, in the order of the names. */
const flagsOf = (names: readonly FlagName[]): Flag[] => names.flatMap((name) => BY_NAME.get(name) ?? []);

export const flagText = (name: FlagName): string => `--${name}`;

/** What was typed, by flag. A flag without a value that needs one is among the mistakes. */
export interface GivenFlags {
  readonly known: readonly FlagName[]; // those that the command has
  readonly values: ReadonlyMap<FlagName, readonly string[]>;
  readonly argument?: string; // of a command that takes one
  readonly mistakes: readonly string[];
}

export const lastOf = ({ values }: GivenFlags, name: FlagName): string | undefined =>
  values.get(name)?.at(-1);
export const allOf = ({ values }: GivenFlags, name: FlagName): readonly string[] => values.get(name) ?? [];
export const isGiven = ({ values }: GivenFlags, name: FlagName): boolean => values.has(name);

/**
 * Adds the flags to a command and returns what reads them after parsing. Nothing is refused while commander parses, as it
 * would stop at the first mistake: values are declared optional to it, and unknown words come back as arguments.
 *
 * @param takesArgument whether one word that belongs to no flag is wanted
 */
export function addFlags(
  command: Command,
  names: readonly FlagName[],
  takesArgument: boolean,
): () => GivenFlags {
  const values = new Map<FlagName, string[]>();
  const mistakes: string[] = [];
  const flags = flagsOf(names);
  command.allowUnknownOption().allowExcessArguments();
  for (const { name, value, about, group, ...flag } of flags) {
    const words = [...shortOf(flag), flagText(name)].join(', ');
    const option = new Option(value === undefined ? words : `${words} [${value}]`, about);
    command.addOption(option.helpGroup(`${group}:`));
    command.on(`option:${name}`, (given: string | null | undefined) => {
      if (value === undefined) values.set(name, []);
      else if (typeof given === 'string') values.set(name, [...(values.get(name) ?? []), given]);
      else mistakes.push(`${flagText(name)}: expected ${value}, got nothing`);
    });
  }
  return () => {
    const strays = straysOf(command.args);
    const argument = takesArgument ? strays.find(({ kind }) => kind === 'word') : undefined;
    const others = strays.filter((stray) => stray !== argument);
    return {
      known: names,
      values,
      ...(argument !== undefined && { argument: argument.text }),
      mistakes: [...mistakes, ...others.flatMap((stray) => strayMistakes(stray, flags))],
    };
  };
}

/** A word that no flag took. One right after an unknown flag is taken for its value. */
interface Stray {
  readonly text: string;
  readonly kind: 'flag' | 'value' | 'word';
}

const straysOf = (words: readonly string[]): readonly Stray[] =>
  words.map((text, index) => {
    if (isFlag(text)) return { text, kind: 'flag' };
    const before = words[index - 1] ?? '';
    return { text, kind: isFlag(before) && !before.includes('=') ? 'value' : 'word' };
  });

function strayMistakes({ text, kind }: Stray, flags: readonly Flag[]): string[] {
  if (kind === 'value') return [];
  if (kind === 'word') return [`${quoted(text)}: unexpected argument`];
  return [
    unknownFlag(
      text,
      flags.flatMap((flag) => [flagText(flag.name), ...shortOf(flag)]),
    ),
  ];
}

const isFlag = (word: string): boolean => word.length > 1 && word.startsWith('-');
const shortOf = ({ short }: Pick<Flag, 'short'>): string[] => (short === undefined ? [] : [`-${short}`]);

function unknownFlag(word: string, known: readonly string[]): string {
  const flag = word.replace(/=.*$/s, '');
  if (known.includes(flag)) return `${flag}: expected no value, got ${quoted(word.slice(flag.length + 1))}`;
  const meant = nearest(flag, known);
  return `${flag}: unknown flag${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}
