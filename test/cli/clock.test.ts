// The real clock, as far as it can be told without measuring time.
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';

describe('systemClock.sleep', () => {
  it('ends', async () => {
    await expect(systemClock.sleep(1)).resolves.toBeUndefined();
  });

  it('ends with the reason of an abort, not with a general one', async () => {
    const controller = new AbortController();
    const slept = systemClock.sleep(60_000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(slept).rejects.toThrow('enough');
  });

  it('does not begin when aborted before', async () => {
    await expect(systemClock.sleep(60_000, AbortSignal.abort(new Error('no')))).rejects.toThrow('no');
  });
});
