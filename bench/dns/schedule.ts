// Plays the schedule of a deployment: a tick each minute, reconciles, and timers that come late, get lost or come twice.
import type { RefreshMessage } from '../../lib/model/messages.ts';
import type { Clock, Queue, Resolver } from '../../lib/ports.ts';
import { agenda, type Agenda } from './agenda.ts';
import { type Deployment, deploymentOf, type Gateways } from './deployment.ts';
import { seeded } from './random.ts';
import { type Recursor, recursorOf } from './recursor.ts';
import type { Script } from './script.ts';
import { type Mishaps, simQueue, type SimQueue } from './sim-queue.ts';

export interface Plan {
  readonly hostnames: Gateways;
  readonly ttlOf: (hostname: string) => number;
  readonly mishaps: Mishaps;
  readonly seed: number;
}

export interface Query {
  readonly at: number; // seconds since the beginning
  readonly hostname: string;
}

export interface Schedule {
  readonly queries: readonly Query[];
  readonly deployment: Deployment;
  readonly timers: SimQueue<RefreshMessage>;
  readonly agenda: Agenda;
}

const START = 1_800_000_000; // seconds since the epoch; a stored time must not be zero
const TICK = 60;
/** Reconciles that begin per second: ten at a time, a second each. */
const RUNS_PER_SECOND = 10;

const clockOf = (time: Agenda): Clock => ({
  now: () => Math.round((START + time.now()) * 1_000),
  sleep: () => Promise.reject(new Error('nobody has to wait here')),
});

/** As many runs at a time as the deployment allows; the others wait. */
const pacedQueue = <T>(time: Agenda, receive: (body: T) => Promise<void>): Queue<T> => {
  let free = 0;
  return {
    send(messages) {
      for (const { body } of messages) {
        const start = Math.max(free, time.now());
        free = start + 1 / RUNS_PER_SECOND;
        time.at(start, () => receive(body));
      }
      return Promise.resolve();
    },
  };
};

const storyOf = (ttl: number, busy: boolean): Script => ({
  length: Infinity,
  chapters: [
    { from: 0, truth: ['10.0.1.10', '10.0.2.10', '10.0.3.10'], view: { kind: 'all' }, ttl, caches: 1 },
  ],
  silences: [],
  lost: 0,
  busy,
});

interface Asked extends Resolver {
  readonly queries: readonly Query[];
}

/** A recursor for each name; others ask for half of them too, so that their TTLs are what is left of a copy. */
const resolverOf = (time: Agenda, { hostnames, ttlOf, seed }: Plan): Asked => {
  const names = [...new Set(Object.values(hostnames).flat())];
  const recursors = new Map<string, Recursor>(
    names.map((name, index) => [
      name,
      recursorOf(storyOf(ttlOf(name), index % 8 >= 4), seeded(seed + index)),
    ]),
  );
  const queries: Query[] = [];
  return {
    queries,
    async resolve(hostname) {
      queries.push({ at: time.now(), hostname });
      const recursor = recursors.get(hostname);
      return recursor === undefined
        ? { kind: 'nothing', why: 'NXDOMAIN' }
        : (await recursor.lookUp(time.now())).answer;
    },
  };
};

/** A deployment whose first tick is at the second 0; let it run by its agenda. */
export const scheduleOf = async (plan: Plan): Promise<Schedule> => {
  const time = agenda();
  const resolver = resolverOf(time, plan);
  const timers: SimQueue<RefreshMessage> = simQueue({
    agenda: time,
    random: seeded(plan.seed + 1),
    mishaps: plan.mishaps,
    receive: (message) => deployment.refresh(message),
  });
  const deployment: Deployment = await deploymentOf({
    hostnames: plan.hostnames,
    clock: clockOf(time),
    random: seeded(plan.seed + 2),
    resolver,
    timers,
    work: pacedQueue(time, (message) => deployment.reconcile(message)),
  });
  const tickAt = (at: number): void =>
    time.at(at, async () => {
      tickAt(at + TICK);
      await deployment.tick();
    });
  tickAt(0);
  return { queries: resolver.queries, deployment, timers, agenda: time };
};
