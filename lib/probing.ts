// Probes the addresses of gateways: a bounded number at once, one at a time of each address, failures followed up within the run.
import { followUp, isTimeLeft } from './gateway/liveness-schedule.ts';
import type { ProbeResults, ProbeTry } from './gateway/liveness-schedule.ts';
import type { ProbeSettings } from './gateway/probe.ts';
import type { PublishedAddress } from './model/gateway.ts';
import type { Liveness } from './model/liveness.ts';
import type { Clock, Prober, ProbeTarget } from './ports.ts';

/** Probes in flight at once: a gateway has few addresses, and one that hangs holds its place for a whole timeout. */
const MOST_AT_ONCE = 16;

/** The gateway of one link, as it is to be probed. */
export interface ProbedGateway {
  readonly link: string;
  readonly addresses: readonly PublishedAddress[];
  readonly liveness: Liveness; // before the run
  readonly settings: ProbeSettings;
  /** Whether an address passes the link's filter now; asked before every single probe. */
  readonly mayDial: (ip: string) => boolean;
}

export interface ProbeRun {
  readonly prober: Prober;
  readonly clock: Clock;
  readonly gateways: readonly ProbedGateway[];
  /** All probes have ended by then; one that might not is not begun. */
  readonly budgetMs: number;
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs up to `most` pieces of work at once, others as places get free, first come first served. */
const takingTurns = (most: number): InTurn => {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next(); // the place goes on to it
    }
  };
};

interface AddressRun extends Omit<ProbeRun, 'gateways' | 'budgetMs'> {
  readonly gateway: ProbedGateway;
  readonly target: ProbeTarget;
  readonly until: number; // ms since the epoch
  readonly inTurn: InTurn;
}

/** undefined: its turn came too late. */
const probeOnce = ({ prober, clock, gateway, target, until, inTurn }: AddressRun) =>
  inTurn(async (): Promise<ProbeTry | undefined> => {
    const startedAt = clock.now();
    if (!isTimeLeft(startedAt, { settings: gateway.settings, until })) return undefined;
    const result = await prober.probe(target, gateway.mayDial);
    return { startedAt, endedAt: clock.now(), result };
  });

const probeAddress = async (run: AddressRun): Promise<readonly ProbeTry[]> => {
  const { clock, target, until, gateway } = run;
  const tries: ProbeTry[] = [];
  for (let at: number | undefined = clock.now(); at !== undefined;) {
    const wait = at - clock.now();
    if (wait > 0) await clock.sleep(wait);
    const tried = await probeOnce(run);
    if (tried === undefined) break;
    tries.push(tried);
    at = followUp({ known: gateway.liveness[target.ip], tries, settings: gateway.settings, until });
  }
  return tries;
};

const targetsOf = ({ addresses, settings }: ProbedGateway): readonly ProbeTarget[] => {
  const { off, port, path, timeout, anyAnswer } = settings;
  if (off || port === undefined) return [];
  return addresses.map(({ ip }) => ({ ip, port, path, timeoutMs: timeout * 1000, anyAnswer }));
};

const probeGateway = async (
  gateway: ProbedGateway,
  run: Omit<AddressRun, 'gateway' | 'target'>,
): Promise<ProbeResults> => {
  const rows = await Promise.all(
    targetsOf(gateway).map(async (target) => {
      const tries = await probeAddress({ ...run, gateway, target });
      return [target.ip, tries.map(({ result }) => result)] as const;
    }),
  );
  return new Map(rows.filter(([, results]) => results.length > 0));
};

/**
 * Probes every address of these gateways, follow-ups included.
 *
 * @returns by link; a gateway that was not probed has no results
 */
export const probeAll = async ({
  prober,
  clock,
  gateways,
  budgetMs,
}: ProbeRun): Promise<ReadonlyMap<string, ProbeResults>> => {
  const run = { prober, clock, until: clock.now() + budgetMs, inTurn: takingTurns(MOST_AT_ONCE) };
  return new Map(
    await Promise.all(
      gateways.map(async (gateway) => [gateway.link, await probeGateway(gateway, run)] as const),
    ),
  );
};
