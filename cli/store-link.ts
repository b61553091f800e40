// Stores a link when the one that was looked at still is the stored one.
import { StateError } from '../lib/errors.ts';
import type { Link } from '../lib/model/link.ts';
import type { LinkRecord } from '../lib/ports.ts';
import { changesOf, notesOn, type FieldChange } from './link-changes.ts';
import { stackName, StackError, type Stack } from './stack.ts';

/** What is stored under a name, or why that cannot be told. */
export type Look = { readonly record: LinkRecord | undefined } | { readonly error: unknown };

export async function lookAt(stack: Stack, name: string): Promise<Look> {
  try {
    return { record: await stack.links.get(name) };
  } catch (error) {
    if (!(error instanceof StateError)) return { error };
    const way = `"unlink ${name} --keep-mirrors" forgets it, then it can be stored anew`;
    return { error: new StackError(`${error.message}; ${way}`) };
  }
}

export interface Wanted {
  readonly link: Link;
  readonly record: LinkRecord | undefined; // what it was compared with
  readonly dryRun: boolean;
}

export interface Done {
  readonly link: string;
  readonly action: 'create' | 'update' | 'none';
  readonly stored: boolean; // false: nothing was written
  readonly changes: readonly FieldChange[];
  readonly notes: readonly string[];
}

/** @throws StackError when the link is ending, or was changed by somebody else meanwhile */
export async function storeLink(stack: Stack, { link, record, dryRun }: Wanted): Promise<Done> {
  const { name } = link;
  if (record?.ending === true) {
    throw new StackError(
      `link ${name} is ending: its mirrors are being removed; store it anew when it is not listed any more`,
    );
  }
  const changes = changesOf(link, record?.link);
  if (record !== undefined && changes.length === 0)
    return { link: name, action: 'none', stored: false, changes, notes: [] };
  const action = record === undefined ? 'create' : 'update';
  const seen = record === undefined ? [] : await stack.gatewayAddresses(name);
  const done = { link: name, action, changes, notes: notesOn(link, record?.link, seen) } as const;
  if (dryRun) return { ...done, stored: false };
  if (await stack.links.put(link, record?.version ?? 0)) return { ...done, stored: true };
  throw new StackError(
    `link ${name} in ${stackName(stack.stage)} was changed by somebody else meanwhile: nothing was stored; look again and repeat`,
  );
}
