// What every Journal must do, run on each of them.
import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../lib/model/journal.ts';
import type { Journal } from '../../lib/ports.ts';

export const JOURNAL_DAYS = 30;

const MINUTE = 60_000;
const DAY = 86_400_000;

const anEntry = (fields: Partial<JournalEntry> = {}): JournalEntry => ({
  link: 'west',
  at: Date.now(),
  runId: 'run-1',
  what: 'create Service shop/web-west',
  reasons: ['not there'],
  result: 'applied',
  ...fields,
});

const whatOf = (entries: readonly JournalEntry[]): readonly string[] => entries.map(({ what }) => what);

/** @param open a journal that keeps lines for JOURNAL_DAYS; two calls of `reopen` of one open see the same lines */
export function journalContract(title: string, open: () => Promise<{ reopen: () => Journal }>): void {
  describe(`${title} keeps to the Journal contract`, () => {
    it('holds nothing at first', async () => {
      const journal = (await open()).reopen();
      expect(await journal.recent('west', 10)).toStrictEqual([]);
    });

    it('gives back every field', async () => {
      const { reopen } = await open();
      const entries = [
        anEntry({ what: 'a', result: 'failed', message: 'conflict' }),
        anEntry({ what: 'b', reasons: [], result: 'skipped' }),
      ];
      await reopen().append(entries);
      expect(await reopen().recent('west', 10)).toStrictEqual(entries.toReversed());
    });

    it('tells the newest first, whenever it was written', async () => {
      const { reopen } = await open();
      const now = Date.now();
      await reopen().append([anEntry({ what: 'second', at: now - 2 * MINUTE })]);
      await reopen().append([
        anEntry({ what: 'third', at: now - MINUTE }),
        anEntry({ what: 'first', at: now - 3 * MINUTE }),
      ]);
      await reopen().append([anEntry({ what: 'fourth', at: now })]);
      expect(whatOf(await reopen().recent('west', 10))).toStrictEqual(['fourth', 'third', 'second', 'first']);
    });

    it('keeps every line of one millisecond, in the order in which they came', async () => {
      const journal = (await open()).reopen();
      const at = Date.now();
      const names = Array.from({ length: 120 }, (_, index) => `line ${index}`);
      await journal.append(names.slice(0, 60).map((what) => anEntry({ what, at })));
      await journal.append(names.slice(60).map((what) => anEntry({ what, at })));
      expect(whatOf(await journal.recent('west', 500))).toStrictEqual(names.toReversed());
    });

    it('keeps lines of several runs of one millisecond', async () => {
      const { reopen } = await open();
      const at = Date.now();
      await reopen().append([anEntry({ what: 'a', at, runId: 'run-1' })]);
      await reopen().append([anEntry({ what: 'b', at, runId: 'run-2' })]);
      expect(whatOf(await reopen().recent('west', 10)).toSorted()).toStrictEqual(['a', 'b']);
    });

    it.each([
      [0, []],
      [1, ['c']],
      [2, ['c', 'b']],
      [3, ['c', 'b', 'a']],
      [9, ['c', 'b', 'a']],
    ])('tells at most %i lines', async (limit, expected) => {
      const { reopen } = await open();
      const now = Date.now();
      await reopen().append(['a', 'b', 'c'].map((what, index) => anEntry({ what, at: now + index })));
      expect(whatOf(await reopen().recent('west', limit))).toStrictEqual(expected);
    });

    it('keeps links apart, those whose names begin alike too', async () => {
      const { reopen } = await open();
      await reopen().append([
        anEntry({ link: 'west', what: 'of west' }),
        anEntry({ link: 'west-2', what: 'of west-2' }),
      ]);
      expect(whatOf(await reopen().recent('west', 10))).toStrictEqual(['of west']);
      expect(whatOf(await reopen().recent('west-2', 10))).toStrictEqual(['of west-2']);
      expect(await reopen().recent('wes', 10)).toStrictEqual([]);
    });

    it('does not tell what has expired, deleted or not', async () => {
      const { reopen } = await open();
      const now = Date.now();
      await reopen().append([
        anEntry({ what: 'expired', at: now - JOURNAL_DAYS * DAY - MINUTE }),
        anEntry({ what: 'old', at: now - JOURNAL_DAYS * DAY + MINUTE }),
        anEntry({ what: 'new', at: now }),
      ]);
      expect(whatOf(await reopen().recent('west', 10))).toStrictEqual(['new', 'old']);
      expect(whatOf(await reopen().recent('west', 1))).toStrictEqual(['new']);
    });

    it('takes nothing to write', async () => {
      const { reopen } = await open();
      await reopen().append([]);
      expect(await reopen().recent('west', 10)).toStrictEqual([]);
    });

    it('does not change with the entries that were given', async () => {
      const { reopen } = await open();
      const reasons = ['before'];
      await reopen().append([anEntry({ reasons })]);
      reasons.push('after');
      expect((await reopen().recent('west', 1))[0]?.reasons).toStrictEqual(['before']);
    });
  });
}
