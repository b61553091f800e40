// The time by the Date header of the last answer, carried forward: the one clock that all functions of a deployment share.
import type { Clock } from '../../ports.ts';

export interface AnswerClock {
  /** Notes the time that an HTTP answer says; anything without one is passed over. */
  saw(response: unknown): void;
  /** ms since the epoch; local time before the first answer. Behind by the part of a second that the header leaves out. */
  now(): number;
}

export function answerClock(clock: Clock): AnswerClock {
  let offset = 0; // of the other clock against ours, ms
  return {
    saw(response) {
      const said = dateOf(response);
      if (said !== undefined) offset = said - clock.now();
    },
    now: () => clock.now() + offset,
  };
}

function dateOf(response: unknown): number | undefined {
  const headers = fieldOf(response, 'headers');
  const date = fieldOf(headers, 'date');
  const time = typeof date === 'string' ? Date.parse(date) : NaN;
  return Number.isNaN(time) ? undefined : time;
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
