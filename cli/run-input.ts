// Everything that a command about one link needs, read from its flags: whatever is wrong is told together, before anything runs.
import { InputError } from '../lib/errors.ts';
import type { ObjectKey } from '../lib/model/keys.ts';
import type { Link } from '../lib/model/link.ts';
import type { World } from '../lib/reconcile.ts';
import { quoted } from '../lib/wording.ts';
import type { Services } from './command.ts';
import { allOf, isGiven, lastOf, type GivenFlags } from './flags.ts';
import type { Io } from './io.ts';
import { readLink } from './link-input.ts';

const FORMATS = ['text', 'json', 'yaml'] as const;
type Format = (typeof FORMATS)[number];

export interface RunInput {
  readonly link: Link;
  readonly world: World;
  readonly format: Format;
  readonly namespaces: readonly string[];
  readonly services: readonly ObjectKey[];
  readonly forceDeletes: boolean;
  readonly close: () => Promise<void>;
}

/** @throws InputError with all mistakes: of flags, the link document, and the files and servers that they name */
export async function readInput(flags: GivenFlags, io: Io, { makeWorld }: Services): Promise<RunInput> {
  const { link, source, target, mistakes } = await readLink(flags);
  const format = formatOf(flags);
  const namespaces = namespacesOf(flags);
  const services = servicesOf(flags);
  const settings = {
    source,
    target,
    dns: allOf(flags, 'dns'),
    stateFile: lastOf(flags, 'state'),
    link: link?.name,
  };
  const opened = await makeWorld(settings, io.clock);
  const others = [
    ...mistakes,
    ...[format, namespaces, services].flatMap((part) => part.mistakes),
    ...opened.mistakes,
  ];
  const all = [...flags.mistakes, ...others.filter((line) => !isToldBy(line, flags.mistakes))];
  if (all.length > 0 || link === undefined || opened.world === undefined) {
    await opened.close();
    throw new InputError(all);
  }
  return {
    link,
    world: opened.world,
    format: format.value,
    namespaces: namespaces.value,
    services: services.value,
    forceDeletes: isGiven(flags, 'force-deletes'),
    close: opened.close,
  };
}

interface Read<T> {
  readonly value: T;
  readonly mistakes: readonly string[];
}

function formatOf(flags: GivenFlags): Read<Format> {
  const given = lastOf(flags, 'output') ?? 'text';
  const value = FORMATS.find((format) => format === given);
  if (value !== undefined) return { value, mistakes: [] };
  return {
    value: 'text',
    mistakes: [`--output: expected one of ${FORMATS.join(', ')}, got ${quoted(given)}`],
  };
}

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/; // RFC 1123; what names of namespaces and Services are

function namespacesOf(flags: GivenFlags): Read<readonly string[]> {
  const value = allOf(flags, 'namespace');
  const wrong = value.filter((name) => !LABEL.test(name));
  return { value, mistakes: wrong.map((name) => `--namespace: expected a namespace, got ${quoted(name)}`) };
}

function servicesOf(flags: GivenFlags): Read<readonly ObjectKey[]> {
  const given = allOf(flags, 'service').map((text) => ({ text, parts: text.split('/') }));
  const wrong = given.filter(({ parts }) => parts.length !== 2 || !parts.every((part) => LABEL.test(part)));
  return {
    value: given.map(({ parts: [namespace = '', name = ''] }) => ({ namespace, name })),
    mistakes: wrong.map(({ text }) => `--service: expected NAMESPACE/NAME, got ${quoted(text)}`),
  };
}

/** A flag without its value is told once, not again as a field that is missing. */
const isToldBy = (line: string, told: readonly string[]): boolean =>
  line.endsWith('got nothing') && told.some((other) => other.split(':')[0] === line.split(':')[0]);
