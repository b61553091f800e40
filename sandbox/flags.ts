// The flags of `npm start`.
import { parseArgs } from 'node:util';
import { InputError } from '../lib/errors.ts';

export const BREAKABLE = ['dns', 'target', 'queue'] as const;
export type Breakable = (typeof BREAKABLE)[number];

export interface Flags {
  readonly help: boolean;
  readonly once: boolean; // end after the story
  readonly serve: boolean; // no story
  readonly real: boolean; // real API servers
  readonly broken: Breakable | undefined;
  readonly every: number; // seconds between two ticks
  readonly portBase: number | undefined; // undefined: free ports
  readonly folder: string; // for what one needs to look inside
}

const EVERY = '2';
const FOLDER = '.cache/sandbox';

export const HELP = `npm start -- [flags]
The whole product on this computer: two clusters, DNS, what it needs of AWS, and its functions from their packages.

  --once              end after the story: 0 when every expected mirror was there, 1 when not
  --serve             no story: two clusters, exported Services and a stored link, until Ctrl-C
  --break PART        break a part before the story begins: ${BREAKABLE.join(', ')}
  --real              real API servers (from npm run cluster:build, or in KUBEBUILDER_ASSETS)
  --every SECONDS     time between two ticks (default ${EVERY}; the template says 60)
  --port-base PORT    listen on this port and the next ones (default: free ports)
  --folder FOLDER     where kubeconfigs, variables and logs go (default ${FOLDER})
  --help              print this
`;

const SWITCHES = ['once', 'serve', 'real', 'help'] as const;
const VALUES = ['break', 'every', 'port-base', 'folder'] as const;

/** Above it the last parts would have no port. */
const HIGHEST_BASE = 65_500;

interface Rule {
  readonly expected: string;
  readonly holds: (text: string) => boolean;
}

const isWhole = (text: string, least: number, most: number): boolean =>
  /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;

const RULES: Readonly<Record<(typeof VALUES)[number], Rule>> = {
  break: {
    expected: `one of ${BREAKABLE.join(', ')}`,
    holds: (text) => BREAKABLE.some((part) => part === text),
  },
  every: { expected: 'whole seconds from 1 to 3600', holds: (text) => isWhole(text, 1, 3600) },
  'port-base': {
    expected: `a port from 1024 to ${HIGHEST_BASE}`,
    holds: (text) => isWhole(text, 1024, HIGHEST_BASE),
  },
  folder: { expected: 'a folder', holds: (text) => text !== '' },
};

/** @throws InputError with every mistake */
export function parseFlags(words: readonly string[]): Flags {
  const { given, mistakes } = readWords(words);
  if (given.has('once') && given.has('serve'))
    mistakes.push('--serve: has no story that --once could end after');
  if (given.has('break') && given.has('serve'))
    mistakes.push('--serve: has no story that --break could spoil');
  if (mistakes.length > 0) throw new InputError(mistakes);
  const portBase = given.get('port-base');
  return {
    help: given.has('help'),
    once: given.has('once'),
    serve: given.has('serve'),
    real: given.has('real'),
    broken: BREAKABLE.find((part) => part === given.get('break')),
    every: Number(given.get('every') ?? EVERY),
    portBase: portBase === undefined ? undefined : Number(portBase),
    folder: given.get('folder') ?? FOLDER,
  };
}

interface Words {
  readonly given: ReadonlyMap<string, string>;
  readonly mistakes: string[];
}

function readWords(words: readonly string[]): Words {
  const options = Object.fromEntries(VALUES.map((name) => [name, { type: 'string' } as const]));
  const { tokens } = parseArgs({ args: [...words], strict: false, tokens: true, options });
  const given = new Map<string, string>();
  const mistakes: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') mistakes.push(`expected a flag, got ${token.value}`);
    if (token.kind !== 'option') continue;
    const mistake = mistakeIn(token.name, token.rawName, token.value);
    if (mistake === undefined) given.set(token.name, token.value ?? '');
    else mistakes.push(mistake);
  }
  return { given, mistakes };
}

function mistakeIn(name: string, rawName: string, value: string | undefined): string | undefined {
  if (SWITCHES.some((known) => known === name)) {
    return value === undefined ? undefined : `--${name}: expected no value, got ${value}`;
  }
  const known = VALUES.find((candidate) => candidate === name);
  if (known === undefined) return `unknown flag ${rawName}`;
  const { expected, holds } = RULES[known];
  return holds(value ?? '') ? undefined : `--${name}: expected ${expected}, got ${value ?? 'none'}`;
}
