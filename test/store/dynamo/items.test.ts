// What lies in the table, and how many requests it takes to get it there and back.
import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../../lib/model/journal.ts';
import type { LinkDocument } from '../../../lib/model/link.ts';
import type { Stores } from '../../../lib/store/stores.ts';
import { StateError } from '../../../lib/errors.ts';
import { aLink, aSummary } from '../../contract/link-world.ts';
import { EMPTY_STATE, FULL_STATE } from '../../contract/gateway-store.contract.ts';
import { dynamoWorlds } from './world.ts';

const open = dynamoWorlds();

const AT = Date.UTC(2033, 4, 18, 3, 33, 20); // 2_000_000_000 s

const anEntry = (fields: Partial<JournalEntry> = {}): JournalEntry => ({
  link: 'west',
  at: AT,
  runId: 'run-1',
  what: 'create Service shop/web-west',
  reasons: ['not there'],
  result: 'applied',
  ...fields,
});

describe('items', () => {
  it('a link, its last run and its lease are one item', async () => {
    const { reopen, allItems, stopAt } = await open();
    const second = Math.floor(Date.now() / 1000) * 1000;
    stopAt(second + 999);
    const { links } = reopen();
    await links.put(aLink('west'), 0);
    await links.saveRun('west', aSummary());
    await links.claim('west', 'run-7', 60);
    const [item, ...others] = await allItems();
    expect(others).toStrictEqual([]);
    expect(item).toStrictEqual({
      pk: 'LINKS',
      sk: 'west',
      schema: 1,
      document: aLink('west') satisfies LinkDocument,
      version: 1,
      lastRun: aSummary(),
      leaseHolder: 'run-7',
      leaseUntil: second + 61_000, // a Date header has whole seconds: one more, so that the lease is not shorter than asked

      fence: 1,
    });
  });

  it('a released lease leaves its fence', async () => {
    const { reopen, allItems } = await open();
    const { links } = reopen();
    await links.put(aLink('west'), 0);
    await (await links.claim('west', 'run-7', 60))?.release();
    expect(Object.keys((await allItems())[0] ?? {}).toSorted()).toStrictEqual([
      'document',
      'fence',
      'pk',
      'schema',
      'sk',
      'version',
    ]);
  });

  it('gateway state is an item of its link', async () => {
    const { reopen, allItems } = await open();
    await reopen().gateways.save('west', FULL_STATE, 0);
    expect(await allItems()).toStrictEqual([
      { pk: 'GATEWAY#west', sk: 'STATE', schema: 1, version: 1, state: FULL_STATE },
    ]);
  });

  it('a journal line is in its place by time and expires 30 days after it was so', async () => {
    const { reopen, allItems } = await open();
    await reopen().journal.append([anEntry({ at: AT + 1 })]);
    expect(await allItems()).toStrictEqual([
      {
        pk: 'JOURNAL#west',
        sk: '2033-05-18T03:33:20.001Z#run-1#00000001',
        schema: 1,
        ...anEntry({ at: AT + 1 }),
        expiresAt: 2_000_000_000 + 30 * 86_400,
      },
    ]);
  });

  it('nothing but journal lines carries the TTL attribute', async () => {
    const { reopen, allItems } = await open();
    const { links, gateways, journal } = reopen();
    await links.put(aLink('west'), 0);
    await links.claim('west', 'run-7', 60);
    await gateways.save('west', EMPTY_STATE, 0);
    await journal.append([anEntry()]);
    const expiring = (await allItems()).filter((item) => 'expiresAt' in item).map(({ pk }) => pk);
    expect(expiring).toStrictEqual(['JOURNAL#west']);
  });
});

describe('items that are not as this version writes them', () => {
  const rows: readonly (readonly [situation: string, item: object, why: string])[] = [
    ['of another schema', { schema: 2, version: 1, state: EMPTY_STATE }, 'schema: expected 1, got 2'],
    ['without a version', { schema: 1, state: EMPTY_STATE }, 'version: expected a whole number, got nothing'],
    ['without a state', { schema: 1, version: 1 }, 'expected fields, got nothing'],
    [
      'with a broken state',
      { schema: 1, version: 1, state: { ...EMPTY_STATE, literals: { x: {} } } },
      'literals.x: expected an IP address, got "x"',
    ],
  ];
  it.each(rows)('gateway state %s is a StateError, never "nothing stored"', async (_, item, why) => {
    const { reopen, plantItem, table } = await open();
    await plantItem({ pk: 'GATEWAY#west', sk: 'STATE', ...item });
    const load = reopen().gateways.load('west');
    await expect(load).rejects.toBeInstanceOf(StateError);
    await expect(load).rejects.toThrow(`table ${table}, gateway state of link west: ${why}`);
  });

  it('a broken link is named with its table', async () => {
    const { reopen, plantItem, table } = await open();
    await plantItem({ pk: 'LINKS', sk: 'west', schema: 3, version: 1 });
    await expect(reopen().links.get('west')).rejects.toThrow(
      `table ${table}, link west: schema: expected 1, got 3`,
    );
  });

  it('a journal line that it does not understand hides no other', async () => {
    const { reopen, plantItem } = await open();
    const { journal } = reopen();
    await journal.append([anEntry({ what: 'a' }), anEntry({ what: 'b', at: AT + 2 })]);
    const expiresAt = AT / 1000 + 86_400;
    const broken = { ...anEntry({ at: AT + 1 }), result: 'deferred' };
    await plantItem({
      pk: 'JOURNAL#west',
      sk: '2033-05-18T03:33:20.001Z#run-1#00000009',
      ...broken,
      expiresAt,
    });
    expect((await journal.recent('west', 2)).map(({ what }) => what)).toStrictEqual(['b', 'a']);
  });
});

describe('requests', () => {
  it.each([
    ['list of none', 1, async ({ links }) => links.list()],
    ['get', 1, async ({ links }) => links.get('west')],
    ['get of none', 1, async ({ links }) => links.get('north')],
    ['put of a new link', 2, async ({ links }) => links.put(aLink('north'), 0)],
    ['put of a present link', 1, async ({ links }) => links.put(aLink('west'), 1)],
    ['put that is refused', 1, async ({ links }) => links.put(aLink('west'), 0)],
    ['end', 1, async ({ links }) => links.end('west')],
    ['remove', 2, async ({ links }) => links.remove('ending')],
    ['remove of a link that is not ending', 1, async ({ links }) => links.remove('west')],
    ['saveRun', 1, async ({ links }) => links.saveRun('west', aSummary())],
    ['claim', 1, async ({ links }) => links.claim('west', 'a', 60)],
    ['claim and release', 2, async ({ links }) => (await links.claim('west', 'a', 60))?.release()],
    ['load', 1, async ({ gateways }) => gateways.load('west')],
    ['save', 1, async ({ gateways }) => gateways.save('west', FULL_STATE, 0)],
    ['append of 25', 1, async ({ journal }) => journal.append(Array.from({ length: 25 }, () => anEntry()))],
    ['append of 26', 2, async ({ journal }) => journal.append(Array.from({ length: 26 }, () => anEntry()))],
    ['append of none', 0, async ({ journal }) => journal.append([])],
    ['recent', 1, async ({ journal }) => journal.recent('west', 50)],
  ] as const satisfies readonly (readonly [string, number, (stores: Stores) => Promise<unknown>])[])(
    '%s: %i',
    async (_, requests, act) => {
      const { reopen } = await open();
      const setUp = reopen();
      await setUp.links.put(aLink('west'), 0);
      await setUp.links.put(aLink('ending'), 0);
      await setUp.links.end('ending');
      const stores = reopen();
      await act(stores);
      expect(stores.requests()).toBe(requests);
    },
  );

  it('list: one for each MiB', async () => {
    const { reopen } = await open();
    const { links } = reopen();
    const labels = Array.from({ length: 1000 }, (_, index) => `example.com/${'k'.repeat(50)}${index}`);
    for (let index = 10; index < 34; index += 1)
      await links.put(aLink(`l${index}`, { excludedLabels: labels }), 0);
    const stores = reopen();
    expect((await stores.links.list()).links).toHaveLength(24);
    expect(stores.requests()).toBe(2);
  });
});
