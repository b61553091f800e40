// The telling of a story, with a clock and a cluster in the test's hand.
import { describe, expect, it } from 'vitest';
import type { PresentMirror } from '../../../sandbox/story/mirrors.ts';
import type { Stage, Step } from '../../../sandbox/story/steps.ts';
import { tell, type Told } from '../../../sandbox/story/tell.ts';
import { plainView } from '../../../sandbox/view/view.ts';
import { testClock } from '../../support/clock.ts';

const mirror = (...addresses: readonly string[]): Present => ({
  name: 'shop/web-west',
  addresses,
  ports: [],
});

/** What is there, without what every mirror has. */
type Present = Omit<PresentMirror, 'clusterIP' | 'version'>;

interface World {
  /** What is there after so many sleeps. */
  readonly there: (sleeps: number) => readonly Present[];
  readonly nameState?: string;
  readonly patience?: number;
  readonly signal?: AbortSignal;
}

async function told(
  steps: readonly Step[],
  world: World,
): Promise<{ readonly told: Told; readonly text: string }> {
  const clock = testClock(0);
  let text = '';
  const present = (given: Present): PresentMirror => ({ ...given, clusterIP: '10.96.0.9', version: '1' });
  const nothing = (): Promise<void> => Promise.resolve();
  const stage: Stage = {
    answer: () => undefined,
    scale: nothing,
    makeHeadless: nothing,
    unexport: nothing,
    ttlIsOver: nothing,
    resync: nothing,
    nameState: () => Promise.resolve(world.nameState ?? 'FRESH'),
    complaints: () => Promise.resolve([]),
  };
  const result = await tell(steps, {
    stage,
    clock,
    view: plainView({ isTTY: false, write: (part) => (text += part) }),
    signal: world.signal ?? new AbortController().signal,
    patience: world.patience ?? 1_000,
    read: () => Promise.resolve(world.there(clock.slept.length).map(present)),
  });
  return { told: result, text };
}

const step = (given: Partial<Step>): Step => ({
  title: 'Something happens',
  about: ['This and that.'],
  act: () => undefined,
  expected: { mirrors: [mirror('192.0.2.1')], absent: [] },
  ...given,
});

describe('a story', () => {
  it('waits until what is expected is there, and says so', async () => {
    const { told: result, text } = await told([step({})], {
      there: (sleeps) => (sleeps < 3 ? [] : [mirror('192.0.2.1')]),
    });
    expect(result).toStrictEqual({ isGood: true });
    expect(text).toBe(`
1. Something happens
   This and that.
     mirror         cluster IP  expected   there
   ✓ shop/web-west  10.96.0.9   192.0.2.1  192.0.2.1
`);
  });

  it('ends at the first step that does not come out, naming it', async () => {
    const steps = [step({}), step({ expected: { mirrors: [mirror('192.0.2.2')], absent: [] } }), step({})];
    const { told: result, text } = await told(steps, { there: () => [mirror('192.0.2.1')] });
    expect(result).toStrictEqual({ isGood: false, step: 2, trouble: 'stale: shop/web-west' });
    expect(text).toContain('✗ shop/web-west  10.96.0.9   192.0.2.2  192.0.2.1');
    expect(text).not.toContain('3. ');
  });

  it('waits for what is to hold besides', async () => {
    const besides = {
      what: 'the name is STALE',
      holds: async (stage: Stage) => (await stage.nameState()) === 'STALE',
    };
    const there = () => [mirror('192.0.2.1')];
    const good = await told([step({ besides })], { there, nameState: 'STALE' });
    expect(good.told).toStrictEqual({ isGood: true });
    expect(good.text).toContain('✓ the name is STALE');
    const bad = await told([step({ besides })], { there });
    expect(bad.told).toStrictEqual({ isGood: false, step: 1, trouble: 'expected that the name is STALE' });
    expect(bad.text).toContain('✗ the name is STALE');
  });

  it('ends when it is interrupted', async () => {
    const clockless = told([step({})], {
      there: () => [],
      signal: AbortSignal.abort(new Error('interrupted')),
    });
    await expect(clockless).rejects.toThrow('interrupted');
  });
});
