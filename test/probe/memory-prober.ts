// A Prober without a network: addresses that behave as they are told, one behaviour after the other.
import type { Clock, Prober, ProbeResult, ProbeTarget } from '../../lib/ports.ts';
import { objectionTo } from '../../lib/probe/objection.ts';
import type { TargetBehaviour } from '../../sandbox/probe-target.ts';

export interface MemoryProber extends Prober {
  /** How an address behaves at its next probes; the last behaviour stays. Others behave as the address `*`, else refuse. */
  set(ip: string, ...behaviours: readonly TargetBehaviour[]): void;
  /** What was dialled so far, and when by the clock. */
  readonly dialled: readonly { readonly ip: string; readonly at: number; readonly target: ProbeTarget }[];
  /** The most probes that were ever in flight at once, of one address or of all. */
  mostInFlight(ip?: string): number;
}

const ANSWER_MS = 10;

const TROUBLES: Readonly<Partial<Record<TargetBehaviour, string>>> = {
  refused: 'connection refused',
  hangUp: 'connection closed without an answer',
  garbage: 'no HTTP answer',
  hugeHeaders: 'headers of more than 16 KB',
};

const STATUSES: Readonly<Partial<Record<TargetBehaviour, number>>> = {
  upgrade: 101,
  endlessBody: 200,
  bigHeaders: 200,
};

const answer = (status: number, { anyAnswer }: ProbeTarget): ProbeResult =>
  anyAnswer || status === 200
    ? { kind: 'alive', status, ms: ANSWER_MS }
    : { kind: 'failed', why: `HTTP ${status}` };

export const memoryProber = (clock: Clock): MemoryProber => {
  const scripts = new Map<string, TargetBehaviour[]>();
  const dialled: { ip: string; at: number; target: ProbeTarget }[] = [];
  const flying = new Map<string, number>();
  const most = new Map<string, number>();
  const count = (ip: string, change: number): void => {
    for (const key of [ip, '*']) {
      const now = (flying.get(key) ?? 0) + change;
      flying.set(key, now);
      most.set(key, Math.max(most.get(key) ?? 0, now));
    }
  };
  const behaviourOf = (ip: string): TargetBehaviour => {
    const script = scripts.get(ip) ?? scripts.get('*') ?? [];
    return (script.length > 1 ? script.shift() : script[0]) ?? 'refused';
  };
  const dial = async (target: ProbeTarget): Promise<ProbeResult> => {
    const behaviour = behaviourOf(target.ip);
    const trouble = TROUBLES[behaviour];
    const status = typeof behaviour === 'number' ? behaviour : STATUSES[behaviour];
    const hangs = trouble === undefined && status === undefined;
    await clock.sleep(hangs ? target.timeoutMs : ANSWER_MS);
    if (status !== undefined) return answer(status, target);
    return { kind: 'failed', why: trouble ?? `no answer within ${target.timeoutMs / 1000} s` };
  };
  return {
    dialled,
    mostInFlight: (ip = '*') => most.get(ip) ?? 0,
    set: (ip, ...behaviours) => scripts.set(ip, [...behaviours]),
    async probe(target, mayDial) {
      const why = objectionTo(target, mayDial);
      if (why !== undefined) return { kind: 'unknown', why };
      dialled.push({ ip: target.ip, at: clock.now(), target });
      count(target.ip, 1);
      try {
        return await dial(target);
      } finally {
        count(target.ip, -1);
      }
    },
  };
};
