// What every Queue must do, run on each of them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queue, QueueMessage } from '../../lib/ports.ts';

export interface QueueWorld {
  readonly queue: Queue<unknown>;
  /** What lies in the queue, and the delay that it was sent with, in any order. */
  readonly lying: () => Promise<readonly Required<QueueMessage<unknown>>[]>;
}

/** @param open an empty queue */
export function queueContract(
  title: string,
  start: () => Promise<{ open: () => Promise<QueueWorld>; close: () => Promise<void> }>,
): void {
  describe(`${title} keeps to the Queue contract`, () => {
    let world: Awaited<ReturnType<typeof start>> | undefined;
    beforeAll(async () => {
      world = await start();
    });
    afterAll(() => world?.close());
    const open = async (): Promise<QueueWorld> => {
      if (world === undefined) throw new Error('not started');
      return world.open();
    };

    it('sends nothing when there is nothing to send', async () => {
      const { queue, lying } = await open();
      await queue.send([]);
      expect(await lying()).toStrictEqual([]);
    });

    it.each([
      ['fields', { link: 'west', hop: 0, due: 1_700_000_000.5 }],
      ['nested lists', { a: [{ b: [] }, null] }],
      ['letters of every kind', { link: 'wést "quoted" <b> Ω\n' }],
      ['text', 'west'],
    ])('a body of %s arrives as it was', async (_, body) => {
      const { queue, lying } = await open();
      await queue.send([{ body }]);
      expect(await lying()).toStrictEqual([{ body, delaySeconds: 0 }]);
    });

    it.each([1, 10, 11, 35])('%i messages arrive once each', async (count) => {
      const { queue, lying } = await open();
      const bodies = Array.from({ length: count }, (_, index) => ({ link: `link-${index + 100}` }));
      await queue.send(bodies.map((body) => ({ body })));
      const arrived = (await lying()).map(({ body }) => JSON.stringify(body)).toSorted();
      expect(arrived).toStrictEqual(bodies.map((body) => JSON.stringify(body)));
    });

    it('messages too large to travel together arrive', async () => {
      const { queue, lying } = await open();
      const large = 'x'.repeat(400_000);
      await queue.send(['a', 'b', 'c', 'd', 'e'].map((link) => ({ body: { link, large } })));
      expect(await lying()).toHaveLength(5);
    });

    it.each([
      [0, 0],
      [1, 1],
      [0.001, 1],
      [59.2, 60],
      [900, 900],
    ])('a delay of %d seconds is one of %i', async (delaySeconds, expected) => {
      const { queue, lying } = await open();
      await queue.send([{ body: 'later', delaySeconds }]);
      expect(await lying()).toStrictEqual([{ body: 'later', delaySeconds: expected }]);
    });

    it('every message has its own delay', async () => {
      const { queue, lying } = await open();
      await queue.send([
        { body: 'now' },
        { body: 'later', delaySeconds: 60 },
        { body: 'last', delaySeconds: 300 },
      ]);
      const delays = Object.fromEntries(
        (await lying()).map(({ body, delaySeconds }) => [body, delaySeconds]),
      );
      expect(delays).toStrictEqual({ now: 0, later: 60, last: 300 });
    });

    it.each([-1, 900.5, 901, NaN, Infinity])(
      'a delay of %d seconds is refused, and nothing is sent',
      async (delaySeconds) => {
        const { queue, lying } = await open();
        const send = queue.send([{ body: 'now' }, { body: 'never', delaySeconds }]);
        await expect(send).rejects.toThrow(`delaySeconds: expected 0 to 900, got ${delaySeconds}`);
        expect(await lying()).toStrictEqual([]);
      },
    );
  });
}
