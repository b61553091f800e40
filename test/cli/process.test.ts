// Signals and streams of the process, on a stand-in.
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { askOn, interrupts, type Signalled, type Terminal } from '../../cli/process.ts';
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

describe('askOn', () => {
  function aTerminal(typed: { readonly stdin?: boolean; readonly stderr?: boolean } = {}) {
    const stdin = Object.assign(new PassThrough(), { isTTY: typed.stdin ?? true });
    const stderr = Object.assign(new PassThrough(), { isTTY: typed.stderr ?? true });
    const terminal: Terminal = { stdin, stderr };
    return { terminal, stdin, stderr };
  }
  const never = new AbortController().signal;

  it('asks on standard error and takes one line', async () => {
    const { terminal, stdin, stderr } = aTerminal();
    const answer = askOn(terminal, never).ask?.('Sure? ');
    stdin.write('west\nand more\n');
    expect(await answer).toBe('west');
    expect(String(stderr.read())).toBe('Sure? ');
  });

  it('ends without an answer where the input ends', async () => {
    const { terminal, stdin } = aTerminal();
    const answer = askOn(terminal, never).ask?.('Sure? ');
    stdin.end();
    expect(await answer).toBeUndefined();
  });

  it('ends with the reason of an interrupt', async () => {
    const { terminal } = aTerminal();
    const controller = new AbortController();
    const answer = askOn(terminal, controller.signal).ask?.('Sure? ');
    controller.abort(new Error('interrupted by SIGINT'));
    await expect(answer).rejects.toThrow('interrupted by SIGINT');
  });

  it.each([{ stdin: false }, { stderr: false }])('nobody where there is no terminal: %o', (typed) => {
    expect(askOn(aTerminal(typed).terminal, never)).toStrictEqual({});
  });
});
