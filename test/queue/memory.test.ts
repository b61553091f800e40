// The queue in memory: the contract, and delivery as SQS does it.
import { describe, expect, it } from 'vitest';
import { memoryQueue } from '../../lib/queue/memory.ts';
import { queueContract } from '../contract/queue.contract.ts';
import { testClock } from '../support/clock.ts';

queueContract('memoryQueue', async () => ({
  async open() {
    const queue = memoryQueue<unknown>({ clock: testClock() });
    const lying = async () => queue.waiting().map(({ body, delaySeconds = 0 }) => ({ body, delaySeconds }));
    return { queue, lying };
  },
  async close() {},
}));

describe('delivery', () => {
  const open = () => {
    const clock = testClock();
    const taken: string[] = [];
    const queue = memoryQueue<string>({ clock });
    const deliver = () =>
      queue.deliver(async (body) => {
        taken.push(body);
      });
    return { clock, queue, taken, deliver };
  };

  it('hands over what is due, once, the longest due first', async () => {
    const { clock, queue, taken, deliver } = open();
    await queue.send([{ body: 'c', delaySeconds: 20 }, { body: 'b', delaySeconds: 10 }, { body: 'a' }]);
    await queue.send([{ body: 'd', delaySeconds: 21 }]);
    expect(await deliver()).toBe(1);
    expect(taken).toStrictEqual(['a']);
    clock.advance(20);
    expect(await deliver()).toBe(2);
    expect(await deliver()).toBe(0);
    expect(taken).toStrictEqual(['a', 'b', 'c']);
    expect(queue.waiting()).toStrictEqual([{ body: 'd', delaySeconds: 21 }]);
  });

  it('keeps a record of what was sent', async () => {
    const { queue, deliver } = open();
    await queue.send([{ body: 'a' }, { body: 'b', delaySeconds: 10 }]);
    await deliver();
    expect(queue.sent).toStrictEqual([{ body: 'a' }, { body: 'b', delaySeconds: 10 }]);
  });

  it('keeps a message whose receiver throws, and those after it', async () => {
    const { queue, deliver, taken } = open();
    await queue.send([{ body: 'a' }, { body: 'b' }, { body: 'c' }]);
    const failing = queue.deliver(async (body) => {
      if (body === 'b') throw new Error('not now');
    });
    await expect(failing).rejects.toThrow('not now');
    await deliver();
    expect(taken).toStrictEqual(['b', 'c']);
  });

  it('leaves what is sent meanwhile for the next time', async () => {
    const { queue, deliver, taken } = open();
    await queue.send([{ body: 'a' }]);
    expect(await queue.deliver(() => queue.send([{ body: 'follow-up' }]))).toBe(1);
    expect(taken).toStrictEqual([]);
    await deliver();
    expect(taken).toStrictEqual(['follow-up']);
  });
});
