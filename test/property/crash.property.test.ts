// A run that dies after any of its writes, or whose answer to any write is lost, is repaired by the next one.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ON_SERVERS } from './bounds.ts';
import { type Ground, serversOf, settle } from './ground.ts';
import { stateOf } from './state.ts';
import { world, type World } from './worlds.ts';

/** Past the longest time for which a run that died can hold the Lease. */
const LEASE_SECONDS = 61;

interface Crash {
  readonly at: number; // which write, as a share of all
  readonly when: 'before' | 'lost';
}
const crash = fc.record<Crash>({
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  when: fc.constantFrom('before', 'lost'),
});

/** Nothing is answered from the chosen write on; that write itself may have been carried out. */
const dieAt = ({ lab }: Ground, write: string, when: Crash['when']): void => {
  lab.sourceFaults.add({
    on: write,
    times: 1,
    hook: () => lab.sourceFaults.add({ on: '', fail: { kind: 'unreachable', when: 'before' } }),
    fail: { kind: 'unreachable', when },
  });
};

interface Ends {
  readonly undisturbed: unknown;
  readonly disturbed: unknown;
}

/** Where two links with the same world and the same past end, one of which was disturbed in its run on what is new. */
const endsOf = async (
  given: World,
  disturb: (ground: Ground, writes: readonly string[]) => Promise<void>,
): Promise<Ends> => {
  const servers = await serversOf(given);
  const grounds: Ground[] = [];
  try {
    for (let count = 0; count < 2; count += 1) grounds.push(await servers.open());
    servers.moveOn();
    const [undisturbed, disturbed] = grounds;
    if (undisturbed === undefined || disturbed === undefined) throw new Error('two were opened');
    const { writes } = await undisturbed.lab.sync();
    fc.pre(writes.length > 0);
    await settle(undisturbed.lab);
    await disturb(disturbed, writes);
    await settle(disturbed.lab);
    expect(grounds.flatMap((ground) => ground.broken())).toEqual([]);
    return { undisturbed: stateOf(undisturbed.source), disturbed: stateOf(disturbed.source) };
  } finally {
    await Promise.all(grounds.map((ground) => ground.close()));
    await servers.close();
  }
};

const chosen = (writes: readonly string[], at: number): string =>
  writes[Math.floor(at * writes.length)] ?? '';

describe('for any target and any leftovers in the source', () => {
  it('a run that dies at any write, carried out or not, leaves what the next runs bring to the same end', async () => {
    await fc.assert(
      fc.asyncProperty(world, crash, async (given, { at, when }) => {
        const ends = await endsOf(given, async (ground, writes) => {
          dieAt(ground, chosen([...writes, 'POST Lease'], at), when);
          await ground.lab.sync();
          ground.lab.sourceFaults.clear();
          ground.lab.clock.advance(LEASE_SECONDS);
        });
        expect(ends.disturbed).toEqual(ends.undisturbed);
      }),
      ON_SERVERS,
    );
  });

  it('a lost answer to any one write is found out in the same run', async () => {
    await fc.assert(
      fc.asyncProperty(world, crash, async (given, { at }) => {
        const ends = await endsOf(given, async ({ lab }, writes) => {
          const write = chosen(writes, at);
          lab.sourceFaults.add({ on: write, times: 1, fail: { kind: 'unreachable', when: 'lost' } });
          const { report } = await lab.sync();
          const results = report.outcomes?.map(({ result }) => result);
          expect(results?.filter((result) => result !== 'applied')).toEqual([]);
        });
        expect(ends.disturbed).toEqual(ends.undisturbed);
      }),
      ON_SERVERS,
    );
  });
});
