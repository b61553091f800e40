// The store in a file: the contract, and what files do wrong.
import { mkdtemp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { StateError } from '../../lib/errors.ts';
import { fileStore } from '../../lib/store/file.ts';
import { EMPTY_STATE, FULL_STATE, gatewayStoreContract } from '../contract/gateway-store.contract.ts';

const folders: string[] = [];

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-state-'));
  folders.push(folder);
  return folder;
}

async function aFile(text: string): Promise<string> {
  const path = join(await aFolder(), 'state.json');
  await writeFile(path, text);
  return path;
}

afterAll(async () => {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});

gatewayStoreContract('fileStore', async () => {
  const path = join(await aFolder(), 'state.json');
  return { reopen: () => fileStore(path) };
});

describe('the file', () => {
  it('is JSON that people can read', async () => {
    const path = join(await aFolder(), 'state.json');
    await fileStore(path).save('west', { ...EMPTY_STATE, identity: 'gateway.example' }, 0);
    expect(await readFile(path, 'utf8')).toBe(`{
  "schema": 1,
  "links": {
    "west": {
      "version": 1,
      "state": {
        "schema": 1,
        "records": [],
        "literals": {},
        "identity": "gateway.example"
      }
    }
  }
}
`);
  });

  it('is not made by reading', async () => {
    const path = join(await aFolder(), 'state.json');
    await fileStore(path).load('west');
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  it('is alone in its folder after a save', async () => {
    const path = join(await aFolder(), 'state.json');
    await fileStore(path).save('west', FULL_STATE, 0);
    expect(await readdir(join(path, '..'))).toStrictEqual(['state.json']);
  });

  it('is read whatever half-written file a crash left beside it', async () => {
    const path = join(await aFolder(), 'state.json');
    await fileStore(path).save('west', FULL_STATE, 0);
    await writeFile(join(path, '..', '.state.json.0f0f.tmp'), '{"schema":1,"li');
    expect((await fileStore(path).load('west'))?.value).toStrictEqual(FULL_STATE);
    expect(await fileStore(path).save('west', EMPTY_STATE, 1)).toBe(true);
  });

  it('keeps what it does not know of other links', async () => {
    const path = await aFile('{"schema":1,"links":{"east":{"version":7,"state":{"schema":2}}}}');
    await fileStore(path).save('west', EMPTY_STATE, 0);
    expect(JSON.parse(await readFile(path, 'utf8')).links.east).toStrictEqual({
      version: 7,
      state: { schema: 2 },
    });
  });

  it('drops a field of a state that it does not know', async () => {
    const state = JSON.stringify({ ...EMPTY_STATE, newer: true });
    const path = await aFile(`{"schema":1,"links":{"west":{"version":7,"state":${state}}}}`);
    expect(await fileStore(path).load('west')).toStrictEqual({ value: EMPTY_STATE, version: 7 });
  });
});

describe('a file that cannot be used is a StateError that names it, never "nothing stored"', () => {
  const recordWith = (field: string): string =>
    `{"schema":1,"links":{"west":{"version":1,"state":{"schema":1,"literals":{},"records":[${field}]}}}}`;

  it.each([
    ['empty', '', 'expected JSON, got an empty file'],
    ['cut off', '{"schema":1,"links":{"we', 'expected JSON, got "{\\"schema\\":1,\\"links\\":{\\"we"'],
    ['not fields', '[]', 'expected fields, got an empty list'],
    ['of an unknown schema', '{"schema":2,"links":{}}', 'schema: expected 1, got 2'],
    ['without links', '{"schema":1}', 'links: expected keys with values, got nothing'],
    [
      'with a broken version',
      '{"schema":1,"links":{"west":{"version":"1","state":{}}}}',
      'links.west.version: expected a whole number, got "1"',
    ],
    [
      'with a state of an unknown schema',
      '{"schema":1,"links":{"west":{"version":1,"state":{"schema":2,"records":[],"literals":{}}}}}',
      'schema: expected 1, got 2',
    ],
    [
      'with a literal that is no address',
      '{"schema":1,"links":{"west":{"version":1,"state":{"schema":1,"records":[],"literals":{"x":{}}}}}}',
      'literals.x: expected an IP address, got "x"',
    ],
    [
      'with a broken record',
      recordWith('{"hostname":"a","family":"IPv5"}'),
      'records[0].family: expected one of IPv4, IPv6, got "IPv5"',
    ],
  ])('%s', async (_, text, message) => {
    const path = await aFile(text);
    const load = fileStore(path).load('west');
    await expect(load).rejects.toBeInstanceOf(StateError);
    await expect(load).rejects.toThrow(path);
    await expect(load).rejects.toThrow(message);
  });

  it('a broken frame is not overwritten by a save', async () => {
    const path = await aFile('{"schema":1,"links":{"we');
    await expect(fileStore(path).save('west', FULL_STATE, 0)).rejects.toBeInstanceOf(StateError);
    expect(await readFile(path, 'utf8')).toBe('{"schema":1,"links":{"we');
  });

  it("one link's broken state leaves the others readable", async () => {
    const good = JSON.stringify(EMPTY_STATE);
    const path = await aFile(
      `{"schema":1,"links":{"west":{"version":1,"state":5},"east":{"version":2,"state":${good}}}}`,
    );
    expect(await fileStore(path).load('east')).toStrictEqual({ value: EMPTY_STATE, version: 2 });
    await expect(fileStore(path).load('west')).rejects.toThrow(
      `state file ${path}, link west: expected fields, got 5`,
    );
  });

  it('a folder', async () => {
    const path = await aFolder();
    await expect(fileStore(path).load('west')).rejects.toThrow(
      `state file ${path}: cannot be read: illegal operation on a directory`,
    );
  });

  it('a save into a folder that is not there leaves nothing behind', async () => {
    const path = join(await aFolder(), 'missing', 'state.json');
    await expect(fileStore(path).save('west', EMPTY_STATE, 0)).rejects.toThrow(
      `state file ${path}: cannot be written: no such file or directory`,
    );
  });

  it('a save that cannot take the place of the file leaves the former text and no temporary file', async () => {
    const folder = await aFolder();
    const path = join(folder, 'state.json');
    await mkdir(join(path, 'in-the-way'), { recursive: true });
    await expect(fileStore(path).save('west', EMPTY_STATE, 0)).rejects.toBeInstanceOf(StateError);
    expect(await readdir(folder)).toStrictEqual(['state.json']);
  });
});
