// The EventBridge rule: when it invokes, and with what.
import { expect, it } from 'vitest';
import { startSchedule } from '../../../sandbox/lambda/schedule.ts';

const RULE = 'arn:aws:events:us-east-1:000000000000:rule/every-minute';
const START = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/** A clock that stands until it is moved, and lets whoever sleeps wait until then. */
function steppedClock(start: number) {
  let now = start;
  let sleeper: { readonly until: number; readonly wake: () => void } | undefined;
  return {
    now: () => now,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        sleeper = { until: now + ms, wake: resolve };
        signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      }),
    move: async (seconds: number) => {
      now += seconds * 1000;
      if (sleeper !== undefined && now >= sleeper.until) sleeper.wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it('invokes at once and then at its rate, with an event of EventBridge', async () => {
  const clock = steppedClock(START);
  const seen: { name: string; event: unknown }[] = [];
  const invoke = (name: string, payload: string) => {
    seen.push({ name, event: JSON.parse(payload) });
    return Promise.resolve({ requestId: 'r', isError: false, payload: 'null' });
  };
  const running = startSchedule(
    { ruleArn: RULE, functionName: 'tick', every: 60 },
    { clock, lambda: { invoke }, onTrouble: () => undefined },
  );
  expect(seen).toStrictEqual([
    {
      name: 'tick',
      event: {
        version: '0',
        id: expect.any(String),
        'detail-type': 'Scheduled Event',
        source: 'aws.events',
        account: '000000000000',
        time: '2026-01-02T03:04:05Z',
        region: 'us-east-1',
        resources: [RULE],
        detail: {},
      },
    },
  ]);
  await clock.move(59);
  expect(seen).toHaveLength(1);
  await clock.move(1);
  expect(seen).toHaveLength(2);
  await running.close();
  await clock.move(600);
  expect(seen).toHaveLength(2);
});

it('goes on while an invocation runs, and whatever becomes of one', async () => {
  const clock = steppedClock(START);
  const troubles: string[] = [];
  const slow = Promise.withResolvers<{ requestId: string; isError: boolean; payload: string }>();
  const answers = [
    () => slow.promise,
    () => Promise.reject(new RangeError('Function not found: tick')),
    () => Promise.resolve({ requestId: 'r', isError: true, payload: '{"errorType":"E"}' }),
  ];
  let calls = 0;
  const running = startSchedule(
    { ruleArn: RULE, functionName: 'tick', every: 60 },
    {
      clock,
      onTrouble: (text) => troubles.push(text),
      lambda: {
        invoke: () => {
          calls += 1;
          return answers[calls - 1]?.() ?? slow.promise;
        },
      },
    },
  );
  await clock.move(60);
  await clock.move(60);
  expect(calls).toBe(3);
  expect(troubles).toStrictEqual(['tick: Function not found: tick', 'tick: {"errorType":"E"}']);
  const closed = running.close();
  slow.resolve({ requestId: 'r', isError: false, payload: 'null' });
  await closed;
  expect(calls).toBe(3);
});
