// What every LinkStore must do, with the gateway state beside it, run on each of them.
import { describe, expect, it } from 'vitest';
import { StateError } from '../../lib/errors.ts';
import type { Link } from '../../lib/model/link.ts';
import { EMPTY_STATE } from './gateway-store.contract.ts';
import { aLink, aSummary, RICH, stored, type LinkWorld } from './link-world.ts';

/** Documents of about 60 KB each. */
const bigLink = (name: string): Link =>
  aLink(name, {
    excludedLabels: Array.from({ length: 1000 }, (_, index) => `example.com/${'k'.repeat(50)}${index}`),
  });

export function linkStoreContract(title: string, open: () => Promise<LinkWorld>): void {
  const withLinks = (...links: readonly Link[]) => stored(open, links);

  describe(`${title} keeps to the LinkStore contract`, () => {
    describe('documents', () => {
      it('nothing is stored at first', async () => {
        const { links } = await withLinks();
        expect(await links.list()).toStrictEqual({ links: [], broken: [] });
        expect(await links.get('west')).toBeUndefined();
      });

      it('a document comes back as it was, with version 1', async () => {
        const { links, reopen } = await withLinks();
        expect(await links.put(RICH, 0)).toBe(true);
        const record = { link: RICH, version: 1, ending: false, lastRun: undefined };
        expect(await reopen().links.get('west')).toStrictEqual(record);
        expect(await reopen().links.list()).toStrictEqual({ links: [record], broken: [] });
      });

      it('every put of the present version counts it up', async () => {
        const { links } = await withLinks(aLink('west'));
        expect(await links.put(aLink('west', { headless: false }), 1)).toBe(true);
        expect(await links.put(RICH, 2)).toBe(true);
        expect(await links.get('west')).toMatchObject({ link: RICH, version: 3 });
      });

      it.each([
        ['nothing is stored but a version was expected', 0, 1],
        ['something is stored but nothing was expected', 1, 0],
        ['somebody else put in between', 2, 1],
        ['the expected version is yet to come', 1, 2],
      ])('a put is refused and changes nothing when %s', async (_, putsBefore, expected) => {
        const { links, reopen } = await withLinks();
        for (let version = 0; version < putsBefore; version += 1) await links.put(aLink('west'), version);
        const before = await links.get('west');
        expect(await reopen().links.put(RICH, expected)).toBe(false);
        expect(await reopen().links.get('west')).toStrictEqual(before);
      });

      it.each([0, 1])('one of several puts on version %i wins', async (version) => {
        const { reopen } = await withLinks(...(version === 0 ? [] : [aLink('west')]));
        const headless = [true, false, true, false];
        const puts = await Promise.all(
          headless.map((value) => reopen().links.put(aLink('west', { headless: value }), version)),
        );
        expect(puts.filter((won) => won)).toHaveLength(1);
        expect(await reopen().links.get('west')).toMatchObject({
          version: version + 1,
          link: { headless: headless[puts.indexOf(true)] },
        });
      });

      it('links are kept apart and listed by name', async () => {
        const { links } = await withLinks(aLink('west'), aLink('east-2'), aLink('east'), aLink('a1'));
        const listed = await links.list();
        expect(listed.links.map(({ link }) => link.name)).toStrictEqual(['a1', 'east', 'east-2', 'west']);
        expect((await links.get('east'))?.link.name).toBe('east');
      });

      it('large documents, more than fit into one answer, are all listed whole', async () => {
        const names = Array.from({ length: 24 }, (_, index) => `link-${index + 10}`);
        const { links } = await withLinks(...names.map(bigLink));
        const listed = await links.list();
        expect(listed.links.map(({ link }) => link)).toStrictEqual(names.map(bigLink));
      });

      it('what was stored does not change with the object that was given or got', async () => {
        const { links } = await withLinks();
        const mine = { ...aLink('west') };
        await links.put(mine, 0);
        mine.headless = false;
        Object.assign((await links.get('west'))?.link ?? {}, { headless: false });
        expect((await links.get('west'))?.link.headless).toBe(true);
      });
    });

    describe('items that are not as this version writes them', () => {
      const document = { name: 'west', headless: false };

      it('fields that it does not know are dropped', async () => {
        const { links, plant } = await withLinks();
        await plant('west', {
          schema: 1,
          version: 7,
          newer: 1,
          document: { ...document, newer: { a: [1] } },
        });
        expect(await links.get('west')).toStrictEqual({
          link: aLink('west', { headless: false }),
          version: 7,
          ending: false,
          lastRun: undefined,
        });
      });

      const rows: readonly (readonly [
        situation: string,
        item: Readonly<Record<string, unknown>>,
        why: string,
      ])[] = [
        [
          'without anything',
          {},
          'schema: expected 1, got nothing; version: expected a whole number, got nothing',
        ],
        ['of another schema', { schema: 2, version: 1, document }, 'schema: expected 1, got 2'],
        ['without a document', { schema: 1, version: 1 }, 'expected fields, got nothing'],
        [
          'with a document that is text',
          { schema: 1, version: 1, document: '{}' },
          'expected fields, got "{}"',
        ],
        [
          'with mistakes in the document',
          { schema: 1, version: 1, document: { name: 'west', headless: 'yes', endpoints: 'both' } },
          'headless: expected true or false, got "yes"; endpoints: expected one of endpoints, endpointslices, got "both"',
        ],
        [
          'with a mistake that spans fields',
          {
            schema: 1,
            version: 1,
            document: { name: 'west', gatewayMirror: 'fqdn', gateway: { addresses: ['192.0.2.1'] } },
          },
          'gatewayMirror: expected addresses or none (gateway.addresses holds no hostname), got "fqdn"',
        ],
        [
          'of another name',
          { schema: 1, version: 1, document: { name: 'east' } },
          'name: expected "west", its key, got "east"',
        ],
        [
          'with a version that is text',
          { schema: 1, version: '1', document },
          'version: expected a whole number, got "1"',
        ],
      ];
      it.each(rows)('an item %s is broken, and the links beside it are listed', async (_, item, why) => {
        const { links, plant } = await withLinks(aLink('a'), aLink('z'));
        await plant('west', item);
        const listed = await links.list();
        expect(listed.links.map(({ link }) => link.name)).toStrictEqual(['a', 'z']);
        expect(listed.broken).toStrictEqual([{ name: 'west', why }]);
        await expect(links.get('west')).rejects.toThrow(why);
        await expect(links.get('west')).rejects.toBeInstanceOf(StateError);
      });

      it('a broken link can be ended and removed', async () => {
        const { links, plant } = await withLinks();
        await plant('west', { schema: 1, version: 1, document: 5 });
        expect(await links.end('west')).toBe(true);
        await links.remove('west');
        expect(await links.get('west')).toBeUndefined();
      });

      it('a last run that it does not understand is as good as none', async () => {
        const { links, plant } = await withLinks();
        await plant('west', { schema: 1, version: 1, document, lastRun: { at: 'yesterday' } });
        expect(await links.get('west')).toMatchObject({ version: 1, lastRun: undefined });
      });
    });

    describe('the end of a link', () => {
      it('a link that is not stored cannot be ended', async () => {
        const { links } = await withLinks();
        expect(await links.end('west')).toBe(false);
        expect(await links.get('west')).toBeUndefined();
      });

      it('an ending link says so, keeps everything else, and can be ended again', async () => {
        const { links, reopen } = await withLinks(RICH);
        await links.saveRun('west', aSummary());
        expect(await links.end('west')).toBe(true);
        expect(await links.end('west')).toBe(true);
        expect(await reopen().links.get('west')).toStrictEqual({
          link: RICH,
          version: 1,
          ending: true,
          lastRun: aSummary(),
        });
      });

      it('a document that was read before the end is not put after it', async () => {
        const { links } = await withLinks(aLink('west'));
        await links.end('west');
        expect(await links.put(RICH, 1)).toBe(false);
        expect(await links.put(RICH, 0)).toBe(false);
        expect(await links.get('west')).toMatchObject({ link: aLink('west'), ending: true });
      });

      it('a link that is not ending is not removed, nor its gateway state', async () => {
        const { links, gateways } = await withLinks(aLink('west'));
        await gateways.save('west', EMPTY_STATE, 0);
        await links.remove('west');
        expect(await links.get('west')).toMatchObject({ version: 1 });
        expect(await gateways.load('west')).toMatchObject({ version: 1 });
      });

      it('an ending link is removed with its gateway state, and no other link', async () => {
        const { links, gateways } = await withLinks(aLink('west'), aLink('east'));
        await gateways.save('west', EMPTY_STATE, 0);
        await gateways.save('east', EMPTY_STATE, 0);
        await links.end('west');
        await links.remove('west');
        expect((await links.list()).links.map(({ link }) => link.name)).toStrictEqual(['east']);
        expect(await gateways.load('west')).toBeUndefined();
        expect(await gateways.load('east')).toMatchObject({ version: 1 });
      });

      it('removing what is not stored does nothing', async () => {
        const { links } = await withLinks(aLink('east'));
        await links.remove('west');
        expect((await links.list()).links).toHaveLength(1);
      });

      it('the journal stays', async () => {
        const { links, journal } = await withLinks(aLink('west'));
        const entry = {
          link: 'west',
          at: Date.now(),
          runId: 'r',
          what: 'w',
          reasons: [],
          result: 'applied',
        } as const;
        await journal.append([entry]);
        await links.end('west');
        await links.remove('west');
        expect(await journal.recent('west', 10)).toStrictEqual([entry]);
      });

      it('whatever comes late does not bring a removed link back', async () => {
        const { links, reopen } = await withLinks(aLink('west'));
        const late = await links.claim('west', 'late', 60);
        await links.end('west');
        await links.remove('west');

        await reopen().links.saveRun('west', aSummary());
        expect(await reopen().links.claim('west', 'other', 60)).toBeUndefined();
        expect(await reopen().links.claim('west', 'late', 60)).toBeUndefined();
        await late?.release();
        expect(await reopen().links.put(RICH, 1)).toBe(false);
        expect(await reopen().links.end('west')).toBe(false);
        await reopen().links.remove('west');

        expect(await links.list()).toStrictEqual({ links: [], broken: [] });
      });

      it('a new link of the same name begins with nothing, whatever was left behind', async () => {
        const { links, gateways } = await withLinks(aLink('west'));
        await links.saveRun('west', aSummary());
        await links.claim('west', 'late', 60);
        await links.end('west');
        await links.remove('west');
        await gateways.save('west', EMPTY_STATE, 0); // a refresh that began before the end

        expect(await links.put(RICH, 0)).toBe(true);
        expect(await links.get('west')).toStrictEqual({
          link: RICH,
          version: 1,
          ending: false,
          lastRun: undefined,
        });
        expect(await gateways.load('west')).toBeUndefined();
        expect(await links.claim('west', 'new', 60)).toBeDefined();
      });

      it('a put that loses leaves the gateway state of the link that is there', async () => {
        const { links, gateways } = await withLinks(aLink('west'));
        await gateways.save('west', EMPTY_STATE, 0);
        expect(await links.put(RICH, 0)).toBe(false);
        expect(await gateways.load('west')).toMatchObject({ version: 1 });
      });
    });

    describe('the last run', () => {
      it('comes back as it was; the next takes its place', async () => {
        const { links, reopen } = await withLinks(aLink('west'));
        await links.saveRun('west', aSummary());
        expect((await reopen().links.get('west'))?.lastRun).toStrictEqual(aSummary());
        await links.saveRun('west', aSummary({ runId: 'run-2', refusals: [], unobserved: [], notes: [] }));
        expect((await reopen().links.get('west'))?.lastRun?.runId).toBe('run-2');
      });

      it('moves neither document nor version, and a put keeps it', async () => {
        const { links } = await withLinks(RICH);
        await links.saveRun('west', aSummary());
        expect(await links.get('west')).toMatchObject({ link: RICH, version: 1 });
        expect(await links.put(aLink('west'), 1)).toBe(true);
        expect((await links.get('west'))?.lastRun).toStrictEqual(aSummary());
      });

      it('of a link that was never stored is not kept', async () => {
        const { links } = await withLinks();
        await links.saveRun('west', aSummary());
        expect(await links.list()).toStrictEqual({ links: [], broken: [] });
      });

      it('keeps as many refusals as fit, and counts the others', async () => {
        const { links } = await withLinks(aLink('west'));
        const refusal = {
          namespace: 'shop',
          name: 'web',
          reason: 'NotOwned',
          message: 'é'.repeat(500),
        } as const;
        await links.saveRun(
          'west',
          aSummary({ refusals: Array.from({ length: 5000 }, () => refusal), moreRefusals: 10 }),
        );
        const lastRun = (await links.get('west'))?.lastRun;
        expect(lastRun?.refusals[0]).toStrictEqual(refusal);
        expect(lastRun?.refusals.length).toBeGreaterThan(50);
        expect(lastRun?.refusals.length).toBeLessThan(64);
        expect((lastRun?.moreRefusals ?? 0) + (lastRun?.refusals.length ?? 0)).toBe(5010);
        expect(lastRun?.mirrors).toStrictEqual({
          'in sync': 3,
          'to create': 1,
          'to update': 0,
          waiting: 0,
          refused: 1,
        });
      });
    });
  });
}
