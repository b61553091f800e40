// Gateway state in one JSON file: the memory of the command line between its runs.
import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { StateError } from '../errors.ts';
import { mistakeLine, mistakesOf } from '../mistakes.ts';
import type { GatewayStore } from '../ports.ts';
import { quoted, systemErrorText } from '../wording.ts';
import { gatewayStateFrom } from './gateway-state.ts';

/** States stay unread here, so that one link's broken state does not stop the others. */
const fileSchema = z.object({
  schema: z.literal(1),
  links: z.record(
    z.string(),
    z.object({ version: z.int('expected a whole number').min(1), state: z.unknown() }),
  ),
});
type StateFile = z.output<typeof fileSchema>;

const EMPTY: StateFile = { schema: 1, links: {} };

/**
 * A store in the file at `path`; a file that is not there is an empty store and is made by the first save. The file is replaced
 * as a whole, so a crash leaves the former or the new one. Saves of one process wait for each other; of two processes that
 * save at the same instant the later wins, and what is lost is memory that the next run builds again.
 */
export function fileStore(path: string): GatewayStore {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  };
  return {
    async load(link) {
      const row = entryOf(await readStateFile(path), link);
      if (row === undefined) return undefined;
      return { value: gatewayStateFrom(row.state, `state file ${path}, link ${link}`), version: row.version };
    },
    save: (link, state, expected) =>
      inTurn(async () => {
        const file = await readStateFile(path);
        const version = entryOf(file, link)?.version ?? 0;
        if (version !== expected) return false;
        const links = { ...file.links, [link]: { version: version + 1, state } };
        await replaceFile(path, `${JSON.stringify({ schema: 1, links }, undefined, 2)}\n`);
        return true;
      }),
  };
}

const entryOf = (file: StateFile, link: string): StateFile['links'][string] | undefined =>
  Object.hasOwn(file.links, link) ? file.links[link] : undefined;

async function readStateFile(path: string): Promise<StateFile> {
  const text = await readText(path);
  if (text === undefined) return EMPTY;
  const stored = parseJson(text, path);
  const parsed = fileSchema.safeParse(stored);
  if (parsed.success) return parsed.data;
  const lines = mistakesOf(parsed.error.issues, fileSchema, stored).map(mistakeLine);
  throw new StateError(`state file ${path}: ${lines.join('; ')}`);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new StateError(`state file ${path}: cannot be read: ${systemErrorText(error)}`, { cause: error });
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const found = text.trim() === '' ? 'an empty file' : quoted(text);
    throw new StateError(`state file ${path}: expected JSON, got ${found}`, { cause: error });
  }
}

/** Writes beside the file, has it on disk, then takes its place: readers see the former or the new text, never a part. */
async function replaceFile(path: string, text: string): Promise<void> {
  const beside = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    await using file = await open(beside, 'wx');
    await file.writeFile(text);
    await file.sync();
    await rename(beside, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(beside, { force: true });
    throw new StateError(`state file ${path}: cannot be written: ${systemErrorText(error)}`, {
      cause: error,
    });
  }
}

/** Makes the rename itself durable; not every file system can, and the text is safe without. */
async function syncFolder(path: string): Promise<void> {
  try {
    await using folder = await open(path, 'r');
    await folder.sync();
  } catch {
    // nothing is lost: after a crash the former file may be back, as whole as before
  }
}
