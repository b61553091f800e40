// `npm start`: the command line of the sandbox, and the process around it.
import { resolve } from 'node:path';
import { systemClock } from '../lib/clock.ts';
import { errorText, InputError } from '../lib/errors.ts';
import { HELP, parseFlags } from './flags.ts';
import { EXIT, run } from './run.ts';
import { plainView, terminalView, type Output, type View } from './view/view.ts';

type End = (why: string) => void;

/** Every signal ends the run in order, which takes a moment at the most. */
function endOnSignals(end: End): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => end(`interrupted by ${signal}`));
  }
}

/** A reader that has seen enough (`| head`) ends the run as well. */
function outputOf(stream: NodeJS.WriteStream, end: End): Output {
  stream.on('error', (error) => end(errorText(error)));
  return {
    isTTY: stream.isTTY,
    get columns() {
      return stream.columns; // changes with the window
    },
    write: (text) => void stream.write(text),
  };
}

function viewOf(output: Output): View {
  const { NO_COLOR = '', TERM } = process.env;
  if (!output.isTTY || TERM === 'dumb') return plainView(output);
  return terminalView(output, NO_COLOR === '');
}

async function main(): Promise<number> {
  const controller = new AbortController();
  const end: End = (why) => controller.abort(new Error(why));
  const output = outputOf(process.stdout, end);
  endOnSignals(end);
  const { signal } = controller;
  try {
    const flags = parseFlags(process.argv.slice(2));
    if (flags.help) {
      output.write(HELP);
      return EXIT.done;
    }
    const project = resolve(import.meta.dirname, '..');
    return await run({ flags, project, view: viewOf(output), clock: systemClock, signal });
  } catch (error) {
    if (signal.aborted) return EXIT.interrupted;
    const lines = error instanceof InputError ? error.mistakes : [errorText(error)];
    for (const line of lines) console.error(`error: ${line}`);
    if (!(error instanceof InputError)) return EXIT.failed;
    console.error('see npm start -- --help');
    return EXIT.wrongInput;
  }
}

process.exitCode = await main();
