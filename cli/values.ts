// Values of flags that several commands take, each with what is wrong with it.
import { mistakesOf } from '../lib/mistakes.ts';
import type { ObjectKey } from '../lib/model/keys.ts';
import { linkSchema } from '../lib/model/link.ts';
import { quoted } from '../lib/wording.ts';
import { allOf, lastOf, type GivenFlags } from './flags.ts';

export interface Read<T> {
  readonly value: T;
  readonly mistakes: readonly string[];
}

const FORMATS = ['text', 'json', 'yaml'] as const;
export type Format = (typeof FORMATS)[number];

export function formatOf(flags: GivenFlags): Read<Format> {
  const given = lastOf(flags, 'output') ?? 'text';
  const value = FORMATS.find((format) => format === given);
  if (value !== undefined) return { value, mistakes: [] };
  return {
    value: 'text',
    mistakes: [`--output: expected one of ${FORMATS.join(', ')}, got ${quoted(given)}`],
  };
}

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/; // RFC 1123; what names of namespaces and Services are

export function namespacesOf(flags: GivenFlags): Read<readonly string[]> {
  const value = allOf(flags, 'namespace');
  const wrong = value.filter((name) => !LABEL.test(name));
  return { value, mistakes: wrong.map((name) => `--namespace: expected a namespace, got ${quoted(name)}`) };
}

export function servicesOf(flags: GivenFlags): Read<readonly ObjectKey[]> {
  const given = allOf(flags, 'service').map((text) => ({ text, parts: text.split('/') }));
  const wrong = given.filter(({ parts }) => parts.length !== 2 || !parts.every((part) => LABEL.test(part)));
  return {
    value: given.map(({ parts: [namespace = '', name = ''] }) => ({ namespace, name })),
    mistakes: wrong.map(({ text }) => `--service: expected NAMESPACE/NAME, got ${quoted(text)}`),
  };
}

/** The name of a stored link, for a message that names where it was typed. @param given undefined is told as missing */
export function linkNameOf(given: string | undefined, where: string): Read<string> {
  const schema = linkSchema.shape.name;
  const issues = schema.safeParse(given).error?.issues ?? [];
  const lines = mistakesOf(issues, schema, given).map(({ text }) => `${where}: ${text}`);
  return { value: given ?? '', mistakes: lines };
}

/** All mistakes; a flag without its value is told once, not again as something that is missing. */
export function withFlagMistakes(flags: GivenFlags, others: readonly string[]): readonly string[] {
  const isToldBy = (line: string): boolean =>
    line.endsWith('got nothing') && flags.mistakes.some((told) => told.split(':')[0] === line.split(':')[0]);
  return [...flags.mistakes, ...others.filter((line) => !isToldBy(line))];
}
