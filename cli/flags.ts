// Every flag of the command line, once: help, parsing and docs are made from this table.
import { Option, type Command } from 'commander';
import { nearest, quoted } from '../lib/wording.ts';

interface FlagRow {
  readonly name: string;
  readonly short?: string;
  readonly value?: string; // what its value stands for in the help; absent: a switch
  readonly repeatable?: true;
  readonly about: string;
  readonly group: 'The link' | 'Its gateway' | 'This run' | 'What is told'; // where the help lists it
  /** The field of the link document that it sets. */
  readonly field?: readonly string[];
}

const ROWS = [
  {
    name: 'link',
    group: 'The link',
    value: 'NAME',
    about: 'name of the link and suffix of its mirrors',
    field: ['name'],
  },
  {
    name: 'link-file',
    group: 'The link',
    value: 'FILE',
    about: 'link document (YAML or JSON); flags win over it',
  },
  {
    name: 'source-kubeconfig',
    group: 'The link',
    value: 'FILE',
    about: 'kubeconfig of the cluster that gets the mirrors',
    field: ['source', 'kubeconfig'],
  },
  {
    name: 'source-context',
    group: 'The link',
    value: 'CONTEXT',
    about: 'its context (default: the current context)',
    field: ['source', 'context'],
  },
  {
    name: 'target-kubeconfig',
    group: 'The link',
    value: 'FILE',
    about: 'kubeconfig of the cluster that exports',
    field: ['target', 'kubeconfig'],
  },
  {
    name: 'target-context',
    group: 'The link',
    value: 'CONTEXT',
    about: 'its context (default: the current context)',
    field: ['target', 'context'],
  },
  {
    name: 'dns',
    group: 'Its gateway',
    value: 'HOST:PORT',
    repeatable: true,
    about: "DNS server that resolves the gateway's names (repeatable; default: those of this computer)",
  },
  {
    name: 'endpoints',
    group: 'The link',
    value: 'FORM',
    about: 'how mirrors list the gateway: endpoints or endpointslices',
    field: ['endpoints'],
  },
  {
    name: 'gateway-address',
    group: 'Its gateway',
    value: 'ADDRESS',
    repeatable: true,
    about: "IP address or hostname instead of those of the gateway's status (repeatable)",
    field: ['gateway', 'addresses'],
  },
  {
    name: 'gateway-port',
    group: 'Its gateway',
    value: 'PORT',
    about: "port that endpoints of mirrors get instead of the gateway's",
    field: ['gateway', 'port'],
  },
  {
    name: 'allowed-cidr',
    group: 'Its gateway',
    value: 'CIDR',
    repeatable: true,
    about: 'gateway addresses must be in one of these (repeatable; default: all but the deny list)',
    field: ['allowedCIDRs'],
  },
  {
    name: 'allowed-hostname',
    group: 'Its gateway',
    value: 'SUFFIX',
    repeatable: true,
    about: 'suffix of gateway hostnames besides the load balancers of AWS (repeatable)',
    field: ['allowedHostnames'],
  },
  {
    name: 'state',
    group: 'Its gateway',
    value: 'FILE',
    about: 'keeps the memory of DNS and liveness between runs (made by the first sync)',
  },
  {
    name: 'namespace',
    group: 'This run',
    value: 'NAMESPACE',
    repeatable: true,
    about: 'only Services of this namespace (repeatable)',
  },
  {
    name: 'service',
    group: 'This run',
    value: 'NAMESPACE/NAME',
    repeatable: true,
    about: 'only this exported Service, and why it is mirrored or not (repeatable)',
  },
  { name: 'force-deletes', group: 'This run', about: 'go on where the delete brake would stop the run' },
  { name: 'exit-code', group: 'What is told', about: 'exit 3 when there are changes' },
  { name: 'show-objects', group: 'What is told', about: 'print the objects and patches too (json and yaml)' },
  {
    name: 'output',
    group: 'What is told',
    short: 'o',
    value: 'FORMAT',
    about: 'text, json or yaml (default: text)',
  },
  { name: 'debug', group: 'What is told', about: 'print the stack of an unexpected error' },
] as const satisfies readonly FlagRow[];

export type FlagName = (typeof ROWS)[number]['name'];
export type Flag = FlagRow & { readonly name: FlagName };
export const FLAGS: readonly Flag[] = ROWS;

const BY_NAME: ReadonlyMap<string, Flag> = new Map(FLAGS.map((flag) => [flag.name, flag]));

/** The flags of these names, in the order of the names. */
const flagsOf = (names: readonly FlagName[]): Flag[] => names.flatMap((name) => BY_NAME.get(name) ?? []);

export const flagText = (name: FlagName): string => `--${name}`;

/** What was typed, by flag. A flag without a value that needs one is among the mistakes. */
export interface GivenFlags {
  readonly values: ReadonlyMap<FlagName, readonly string[]>;
  readonly mistakes: readonly string[];
}

export const lastOf = ({ values }: GivenFlags, name: FlagName): string | undefined =>
  values.get(name)?.at(-1);
export const allOf = ({ values }: GivenFlags, name: FlagName): readonly string[] => values.get(name) ?? [];
export const isGiven = ({ values }: GivenFlags, name: FlagName): boolean => values.has(name);

/**
 * Adds the flags to a command and returns what reads them after parsing. Nothing is refused while commander parses, as it
 * would stop at the first mistake: values are declared optional to it, and unknown words come back as arguments.
 */
export function addFlags(command: Command, names: readonly FlagName[]): () => GivenFlags {
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
  return () => ({ values, mistakes: [...mistakes, ...strayWords(command.args, flags)] });
}

/** Mistakes for words that no flag took. A word right after an unknown flag is taken for its value. */
function strayWords(words: readonly string[], flags: readonly Flag[]): string[] {
  const known = flags.flatMap((flag) => [flagText(flag.name), ...shortOf(flag)]);
  return words.flatMap((word, index) => {
    if (isFlag(word)) return [unknownFlag(word, known)];
    const before = words[index - 1] ?? '';
    return isFlag(before) && !before.includes('=') ? [] : [`${quoted(word)}: unexpected argument`];
  });
}

const isFlag = (word: string): boolean => word.length > 1 && word.startsWith('-');
const shortOf = ({ short }: Pick<Flag, 'short'>): string[] => (short === undefined ? [] : [`-${short}`]);

function unknownFlag(word: string, known: readonly string[]): string {
  const flag = word.replace(/=.*$/s, '');
  if (known.includes(flag)) return `${flag}: expected no value, got ${quoted(word.slice(flag.length + 1))}`;
  const meant = nearest(flag, known);
  return `${flag}: unknown flag${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}
