// Signals and streams of the process, on a stand-in.
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { interrupts, type Signalled } from '../../cli/process.ts';
import { testClock } from '../support/clock.ts';

function aProcess(): Signalled & {
  readonly send: (signal: string) => void;
  readonly exits: readonly number[];
} {
  const emitter = new EventEmitter();
  const exits: number[] = [];
  return {
    on: (signal, listener) => emitter.on(signal, listener),
    exit: (code) => exits.push(code),
    send: (signal) => emitter.emit(signal),
    exits,
  };
}

describe('interrupts', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('%s asks the run to stop', (name) => {
    const target = aProcess();
    const signal = interrupts(target, testClock());
    expect(signal.aborted).toBe(false);
    target.send(name);
    expect(signal.reason).toStrictEqual(new Error(`interrupted by ${name}`));
    expect(target.exits).toStrictEqual([]);
  });

  it('one press that arrives twice is one', () => {
    const target = aProcess();
    const clock = testClock();
    interrupts(target, clock);
    target.send('SIGINT');
    clock.advance(0.1);
    target.send('SIGINT');
    expect(target.exits).toStrictEqual([]);
  });

  it('a second press ends the process at once', () => {
    const target = aProcess();
    const clock = testClock();
    interrupts(target, clock);
    target.send('SIGINT');
    clock.advance(2);
    target.send('SIGTERM');
    expect(target.exits).toStrictEqual([143]);
  });
});
