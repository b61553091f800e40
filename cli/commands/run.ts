// What `plan`, `sync`, `status` and `gateways` on two clusters have in common: read the input, reconcile once, print the report.
import type { Link } from '../../lib/model/link.ts';
import type { Report } from '../../lib/model/report.ts';
import type { ReconcileOptions } from '../../lib/reconcile.ts';
import type { Data } from '../../lib/runs/report-data.ts';
import type { Services } from '../command.ts';
import type { FlagName } from '../flag-rows.ts';
import type { GivenFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { print } from '../print.ts';
import { progressLine } from '../progress.ts';
import type { Paint } from '../render/paint.ts';
import { readInput, type RunInput } from '../run-input.ts';

/** Flags that say which link, where its clusters are and how names are resolved. */
export const LINK_FLAGS = [
  'link',
  'source-kubeconfig',
  'source-context',
  'target-kubeconfig',
  'target-context',
  'link-file',
  'endpoints',
  'dns',
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
  readonly mistakes: readonly string[]; // found before
  readonly views: Views;
}

/** What was run, for the exit code. */
export interface Done {
  readonly report: Report;
  readonly link: Link;
}

/** Reconciles once and prints. */
export async function runOnce({ dryRun, views, ...terms }: Run): Promise<Done> {
  const { io, services } = terms;
  const input = await readInput(terms);
  const progress = progressLine(io);
  try {
    const options = optionsOf(input, io, dryRun, progress.show);
    const running = services.reconcile(input.link, input.world, options);
    const report = await (dryRun ? orInterrupted(running, io.signal) : running);
    progress.clear();
    print(io, input.format, {
      data: () => views.data(report, input),
      text: (paint) => views.text(report, input, paint),
    });
    return { report, link: input.link };
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
