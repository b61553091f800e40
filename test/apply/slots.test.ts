// So many pieces of work at once and no more.
import { describe, expect, it } from 'vitest';
import { openSlots, type Slots } from '../../lib/apply/slots.ts';

/** Work that a test ends by hand; what began is told in order. */
const workshop = (slots: Slots) => {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const start = (line: 'queue' | 'jump', name: string) =>
    slots[line](
      () =>
        new Promise<string>((resolve, reject) => {
          begun.push(name);
          ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
        }),
    );
  const settle = () =>
    new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  const end = async (name: string, error?: Error): Promise<void> => {
    ends.get(name)?.(error);
    await settle();
  };
  return { begun, start, end, settle };
};

describe('openSlots', () => {
  it('lets so many run, and each that ends lets one more', async () => {
    const { begun, start, end, settle } = workshop(openSlots(2));
    const all = ['a', 'b', 'c', 'd'].map((name) => start('queue', name));
    await settle();
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('a');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    await end('c');
    await end('d');
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('what jumps runs before all that was queued, in its own order', async () => {
    const { begun, start, end, settle } = workshop(openSlots(1));
    const all = [start('queue', 'a'), start('queue', 'b'), start('queue', 'c')];
    all.push(start('jump', 'x'), start('jump', 'y'));
    await settle();
    for (const name of ['a', 'x', 'y', 'b', 'c']) await end(name);
    expect(begun).toEqual(['a', 'x', 'y', 'b', 'c']);
    expect(await Promise.all(all)).toHaveLength(5);
  });

  it('what jumps takes no more slots than there are, and does not stop what runs', async () => {
    const { begun, start, settle } = workshop(openSlots(2));
    void start('queue', 'a');
    void start('jump', 'b');
    void start('jump', 'c');
    await settle();
    expect(begun).toEqual(['a', 'b']);
  });

  it('work that fails gives its slot on', async () => {
    const { begun, start, end, settle } = workshop(openSlots(1));
    const failing = start('queue', 'a');
    const next = start('queue', 'b');
    await settle();
    const told = failing.catch((error: unknown) => String(error));
    await end('a', new Error('a fault'));
    expect(await told).toBe('Error: a fault');
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(await next).toBe('b');
  });

  it('slots that stood empty are all there again', async () => {
    const { begun, start, end, settle } = workshop(openSlots(2));
    const first = ['a', 'b', 'c'].map((name) => start('queue', name));
    await settle();
    for (const name of ['a', 'b', 'c']) await end(name);
    await Promise.all(first);
    const second = ['d', 'e', 'f'].map((name) => start('queue', name));
    await settle();
    expect(begun.slice(3)).toEqual(['d', 'e']);
    for (const name of ['d', 'e', 'f']) await end(name);
    expect(await Promise.all(second)).toEqual(['d', 'e', 'f']);
  });
});
