// What `plan`, `sync` and `status` have in common: read the input, reconcile once, print the report, tell the exit code.
import type { Report } from '../../lib/model/report.ts';
import type { ReconcileOptions } from '../../lib/reconcile.ts';
import type { Services } from '../command.ts';
import type { FlagName, GivenFlags } from '../flags.ts';
import { wantsColour, type Io } from '../io.ts';
import { progressLine } from '../progress.ts';
import type { Data } from '../../lib/runs/report-data.ts';
import { toJson, toYaml } from '../render/data.ts';
import { colourful, plain, type Paint } from '../render/paint.ts';
import { readInput, type RunInput } from '../run-input.ts';

/** Flags that say which link, where its clusters are and how names are resolved. */
export const LINK_FLAGS = [
  'link',
  'source-kubeconfig',
  'source-context',
  'target-kubeconfig',
  'target-context',
  'link-file',
  'dns',
  'endpoints',
  'gateway-address',
  'gateway-port',
  'allowed-cidr',
  'allowed-hostname',
  'state',
] as const satisfies readonly FlagName[];

export interface Views {
  readonly data: (report: Report, input: RunInput) => Data;
  readonly text: (report: Report, input: RunInput, paint: Paint) => string;
}

export interface Run {
  readonly flags: GivenFlags;
  readonly io: Io;
  readonly services: Services;
  readonly dryRun: boolean;
  readonly views: Views;
}

/** Reconciles once and prints; the report, for the exit code. */
export async function runOnce({ flags, io, services, dryRun, views }: Run): Promise<Report> {
  const input = await readInput(flags, io, services);
  const progress = progressLine(io);
  try {
    const options = optionsOf(input, io, dryRun, progress.show);
    const running = services.reconcile(input.link, input.world, options);
    const report = await (dryRun ? orInterrupted(running, io.signal) : running);
    progress.clear();
    io.stdout.write(printed(report, input, io, views));
    return report;
  } finally {
    progress.clear();
    await input.close();
  }
}

/** What writes nothing can be left at any point; what writes ends by itself as soon as no request is on its way. */
async function orInterrupted<T>(running: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return running;
  const interrupted = new Promise<never>((_, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([running, interrupted]);
}

const optionsOf = (
  { namespaces, services, forceDeletes }: RunInput,
  { signal }: Io,
  dryRun: boolean,
  onProgress: ReconcileOptions['onProgress'],
): ReconcileOptions => ({ dryRun, namespaces, services, forceDeletes, onProgress, signal });

function printed(report: Report, input: RunInput, io: Io, { data, text }: Views): string {
  if (input.format === 'json') return toJson(data(report, input));
  if (input.format === 'yaml') return toYaml(data(report, input));
  return text(report, input, wantsColour(io) ? colourful : plain);
}
