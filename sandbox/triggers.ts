// What makes the functions of a deployment run: its schedule, and its queues.
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Clock } from '../lib/ports.ts';
import { startPoller } from './lambda/poller.ts';
import { startSchedule } from './lambda/schedule.ts';
import type { Stack } from './stack.ts';
import { standInAccess } from './stand-in.ts';

export interface TriggerOptions {
  readonly clock: Clock;
  /** Seconds between two ticks, in the place of what the template says. */
  readonly every?: number | undefined;
  readonly log: (name: string, text: string) => void;
}

export interface Triggers {
  /** Starts nothing any more; resolves when what was started has ended. */
  readonly close: () => Promise<void>;
}

/** A large batch is one invocation here as there; more of them at a time than this computer has cores would only be slower. */
const MOST_POLLERS = 2;

export function startTriggers(
  { template, queueUrls, lambda, sqs }: Stack,
  { clock, every, log }: TriggerOptions,
): Triggers {
  const client = new SQSClient({ ...standInAccess(sqs.endpoint), useQueueUrlAsEndpoint: false });
  const onTrouble = (text: string): void => log('triggers', `${text}\n`);
  const pollers = template.mappings.map(({ queue, concurrency = MOST_POLLERS, ...mapping }) =>
    startPoller(
      { ...mapping, queueUrl: queueUrls.get(queue) ?? '', concurrency: Math.min(concurrency, MOST_POLLERS) },
      { sqs: client, lambda, clock, onTrouble },
    ),
  );
  const schedules = template.schedules.map((schedule) =>
    startSchedule({ ...schedule, ...(every !== undefined && { every }) }, { lambda, clock, onTrouble }),
  );
  return {
    close: async () => {
      await Promise.all([...pollers, ...schedules].map((trigger) => trigger.close()));
      client.destroy();
    },
  };
}
