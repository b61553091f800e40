// What the lease of a stored link must do, run on every LinkStore.
import { describe, expect, it } from 'vitest';
import type { Link } from '../../lib/model/link.ts';
import { aLink, aSummary, RICH, stored, type LinkWorld } from './link-world.ts';

export function linkLeaseContract(title: string, open: () => Promise<LinkWorld>): void {
  const withLinks = (...links: readonly Link[]) => stored(open, links);

  describe(`the lease of a link in ${title}`, () => {
    it('is given to one of several who ask at once', async () => {
      const { reopen } = await withLinks(aLink('west'));
      const holders = ['a', 'b', 'c', 'd', 'e'];
      const claims = await Promise.all(holders.map((holder) => reopen().links.claim('west', holder, 60)));
      expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
    });

    it('is not given for a link that is not stored, and makes none', async () => {
      const { links } = await withLinks();
      expect(await links.claim('west', 'a', 60)).toBeUndefined();
      expect(await links.get('west')).toBeUndefined();
    });

    it('is given for a link that is ending', async () => {
      const { links } = await withLinks(aLink('west'));
      await links.end('west');
      expect(await links.claim('west', 'a', 60)).toBeDefined();
    });

    it('is of one link', async () => {
      const { links } = await withLinks(aLink('west'), aLink('east'));
      await links.claim('west', 'a', 60);
      expect(await links.claim('east', 'b', 60)).toBeDefined();
    });

    it('is free again after its release, with a higher fence', async () => {
      const { links, reopen } = await withLinks(aLink('west'));
      const first = await links.claim('west', 'a', 60);
      expect(first?.fence).toBe(1);
      await first?.release();
      expect((await reopen().links.claim('west', 'b', 60))?.fence).toBe(2);
    });

    it('is free again when it has run out, and not before', async () => {
      const { advance, reopen } = await withLinks(aLink('west'));
      await reopen().links.claim('west', 'a', 60);
      advance(59);
      expect(await reopen().links.claim('west', 'b', 60)).toBeUndefined();
      advance(4);
      expect((await reopen().links.claim('west', 'b', 60))?.fence).toBe(2);
    });

    it('is given again to its own holder, whose first answer may have been lost', async () => {
      const { advance, reopen } = await withLinks(aLink('west'));
      await reopen().links.claim('west', 'a', 60);
      advance(50);
      expect((await reopen().links.claim('west', 'a', 60))?.fence).toBe(2);
      advance(50);
      expect(await reopen().links.claim('west', 'b', 60)).toBeUndefined();
    });

    it('is not taken from the next holder by a late release', async () => {
      const { links, advance, reopen } = await withLinks(aLink('west'));
      const late = await links.claim('west', 'a', 60);
      advance(63);
      await reopen().links.claim('west', 'b', 60);
      await late?.release();
      expect(await reopen().links.claim('west', 'c', 60)).toBeUndefined();
    });

    it("is not taken from its holder's own later claim by a release of the earlier one", async () => {
      const { links, reopen } = await withLinks(aLink('west'));
      const first = await links.claim('west', 'a', 60);
      await links.claim('west', 'a', 60);
      await first?.release();
      expect(await reopen().links.claim('west', 'b', 60)).toBeUndefined();
    });

    it('can be released twice', async () => {
      const { links } = await withLinks(aLink('west'));
      const claim = await links.claim('west', 'a', 60);
      await claim?.release();
      await claim?.release();
      expect(await links.claim('west', 'b', 60)).toBeDefined();
    });

    it('is kept by a put, an end and a run', async () => {
      const { links } = await withLinks(aLink('west'));
      await links.claim('west', 'a', 60);
      await links.put(RICH, 1);
      await links.saveRun('west', aSummary());
      await links.end('west');
      expect(await links.claim('west', 'b', 60)).toBeUndefined();
      expect(await links.get('west')).toMatchObject({ link: RICH, version: 2, ending: true });
    });
  });
}
