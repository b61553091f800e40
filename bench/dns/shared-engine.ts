// The same engine as a deployment drives it: two links that share a name, its timer, and a reconcile of each after every look-up.
import type { Answer } from '../../lib/ports.ts';
import { resolvedBy } from '../../lib/gateway/published.ts';
import type { Engine } from './course.ts';
import { deploymentOf } from './deployment.ts';
import type { Random } from './random.ts';

const START = 1_800_000_000; // seconds since the epoch
const LINKS = ['east', 'west'] as const;
const NAME = { hostname: 'gateway.example.test', family: 'IPv4' } as const;

const noQueue = { send: () => Promise.resolve() };

export const sharedEngine = async (random: Random): Promise<Engine> => {
  let now = START;
  let next: Answer = { kind: 'unknown', why: 'not asked yet' };
  let asked = 0;
  const { world, reconcile, refresh } = await deploymentOf({
    hostnames: Object.fromEntries(LINKS.map((link) => [link, [NAME.hostname]])),
    clock: { now: () => now * 1_000, sleep: () => Promise.resolve() },
    random,
    resolver: {
      resolve: () => {
        asked += 1;
        return Promise.resolve(next);
      },
    },
    work: noQueue,
    timers: noQueue,
  });
  let checks = 0;
  return {
    async hear(answer, at) {
      now = START + at;
      next = answer;
      checks += 1;
      await refresh({ ...NAME, due: now, hop: 0 });
      for (const link of LINKS) await reconcile({ link, hop: 0 });
      if (asked !== checks) throw new Error(`asked ${asked} times in ${checks} checks`);
      const name = await world.names.get(NAME.hostname, NAME.family);
      const [first, second] = await Promise.all(LINKS.map((link) => world.gateways.load(link)));
      const [addresses, others] = [first, second].map((stored) =>
        stored === undefined ? [] : resolvedBy(stored.value),
      );
      if (JSON.stringify(addresses) !== JSON.stringify(others))
        throw new Error('links that share a name differ');
      return { addresses: addresses ?? [], nextCheckAt: (name?.value.nextCheckAt ?? now) - START };
    },
  };
};
