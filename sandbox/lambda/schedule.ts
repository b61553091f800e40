// Plays an EventBridge rule with a rate: invokes its function at regular times, whether or not the last invocation has ended.
import { randomUUID } from 'node:crypto';
import { errorText } from '../../lib/errors.ts';
import type { Clock } from '../../lib/ports.ts';
import type { LambdaService } from './service.ts';

export interface Schedule {
  readonly ruleArn: string;
  readonly functionName: string;
  readonly every: number; // seconds
}

export interface ScheduleOptions {
  readonly lambda: Pick<LambdaService, 'invoke'>;
  readonly clock: Clock;
  readonly onTrouble: (text: string) => void;
}

export interface RunningSchedule {
  /** Invokes nothing any more; resolves when the running invocations have ended. */
  close(): Promise<void>;
}

/** The first time at once. */
export function startSchedule(
  schedule: Schedule,
  { lambda, clock, onTrouble }: ScheduleOptions,
): RunningSchedule {
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  const fire = async (): Promise<void> => {
    const { functionName } = schedule;
    try {
      const { isError, payload } = await lambda.invoke(
        functionName,
        JSON.stringify(eventOf(schedule, clock.now())),
      );
      if (isError) onTrouble(`${functionName}: ${payload}`);
    } catch (error) {
      onTrouble(`${functionName}: ${errorText(error)}`);
    }
  };
  const loop = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const fired = fire().finally(() => running.delete(fired));
      running.add(fired);
      await clock.sleep(schedule.every * 1000, closing.signal).catch(() => undefined); // closing
    }
  };
  const ended = loop();
  return {
    async close() {
      closing.abort();
      await Promise.all([ended, ...running]);
    },
  };
}

const eventOf = ({ ruleArn }: Schedule, now: number): object => {
  const [, , , region, account] = ruleArn.split(':');
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account,
    time: new Date(now).toISOString().replace(/\.\d{3}Z$/, 'Z'),
    region,
    resources: [ruleArn],
    detail: {},
  };
};
