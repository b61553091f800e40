// Puts the content of the files that an operator's kubeconfig names in the place of their paths.
import { accessSync, constants, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemErrorText } from '../wording.ts';
import { type Entry, type Fields, isFields, textIn } from './kubeconfig-document.ts';

/** An entry whose files became part of it, but for those that cannot be read: each is a mistake. */
export interface Inlined {
  readonly entry: Entry;
  readonly mistakes: readonly string[];
}

/** Relative paths of an entry start at this folder: that of the kubeconfig. */
export function inlinedCluster(cluster: Entry, folder: string): Inlined {
  return inlined(cluster, { list: 'clusters', keys: ['certificate-authority'], folder });
}

/** Token files stay paths, because their content changes; a program that is named by a path stays one too. */
export function inlinedUser(user: Entry, folder: string): Inlined {
  const { 'token-file': other, exec, ...fields }: Fields = user.fields;
  const tokenFile = textIn(fields, 'tokenFile') || (typeof other === 'string' ? other : '');
  const path = tokenFile === '' ? '' : resolve(folder, tokenFile);
  const why = path === '' ? undefined : unreadable(path);
  const prepared = {
    ...fields,
    ...(path !== '' && { tokenFile: path }),
    ...(isFields(exec) && { exec: withCommandAt(exec, folder) }),
  };
  const keys = ['client-certificate', 'client-key'];
  const { entry, mistakes } = inlined({ name: user.name, fields: prepared }, { list: 'users', keys, folder });
  return {
    entry,
    mistakes: why === undefined ? mistakes : [...mistakes, `users[${user.name}].tokenFile: ${why}`],
  };
}

interface Rules {
  readonly list: string;
  readonly keys: readonly string[]; // each names a file, or `<key>-data` holds its content and wins, as kubectl has it
  readonly folder: string;
}

function inlined({ name, fields }: Entry, { list, keys, folder }: Rules): Inlined {
  const result: Record<string, unknown> = { ...fields };
  const mistakes: string[] = [];
  for (const key of keys) {
    const file = textIn(fields, key);
    if (file === '' || textIn(fields, `${key}-data`) !== '') continue;
    const path = resolve(folder, file);
    const why = unreadable(path);
    if (why === undefined) result[`${key}-data`] = readFileSync(path).toString('base64');
    else mistakes.push(`${list}[${name}].${key}: ${why}`);
  }
  return { entry: { name, fields: result }, mistakes };
}

/** What is wrong with a path; undefined when it can be read. */
export function unreadable(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    return `expected a readable file, got ${path}: ${systemErrorText(error)}`;
  }
}

const withCommandAt = (exec: Fields, folder: string): Fields => {
  const command = textIn(exec, 'command');
  return command.includes('/') ? { ...exec, command: resolve(folder, command) } : exec;
};
