// What is kept of many accesses and of many runs: bounded, and each connection with one user at a time.
import { describe, expect, it } from 'vitest';
import { accessCache, type OpenedClusters, openClusters } from '../../lib/access.ts';
import type { AccessCache, Line } from '../../lib/access/cache.ts';
import { kubeCluster } from '../../lib/kube/cluster.ts';
import { fixed } from '../../lib/kube/connection.ts';
import type { StoredKubeconfig } from '../../lib/secrets/kubeconfig.ts';
import { selfSigned } from '../../sandbox/certificate.ts';
import { aList, startStub, type Stub } from '../kube/stub.ts';
import { testClock } from '../support/clock.ts';
import { clientsAt, failureOf, SECRET_ARN } from './aws.ts';

const clock = testClock();

const aLine = (place: string): Line & { readonly isClosed: () => boolean } => {
  const credentials = fixed({ headers: {} });
  const cluster = kubeCluster({ name: 'source', server: 'https://unused.invalid', credentials }, { clock });
  let isClosed = false;
  const close = async (): Promise<void> => {
    isClosed = true;
    await cluster.close();
  };
  return { place, credentials, cluster: { ...cluster, close }, isClosed: () => isClosed };
};

const aSecret = (ended: string[], name: string): StoredKubeconfig => ({
  text: { get: () => Promise.resolve(name), renew: () => Promise.resolve(name) },
  close: () => ended.push(name),
});

type StubTest = (open: (cache: AccessCache) => Promise<OpenedClusters>, server: Stub) => Promise<void>;

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

describe('lines that nobody uses', () => {
  it('are taken by the next who goes to the same place, once', async () => {
    const cache = accessCache();
    const [west, east] = [aLine('west'), aLine('east')];
    await cache.giveBack(west);
    await cache.giveBack(east);
    expect([cache.take('west'), cache.take('west'), cache.take('north'), cache.take('east')]).toEqual([
      west,
      undefined,
      undefined,
      east,
    ]);
  });

  it('are closed when there are more than 32, the one that was left first as the first', async () => {
    const cache = accessCache();
    const lines = numbers(34).map((number) => aLine(`place ${number}`));
    for (const line of lines) await cache.giveBack(line);
    expect(lines.map((line) => line.isClosed()).indexOf(false)).toBe(2);
    expect(lines.filter((line) => line.isClosed())).toHaveLength(2);
    expect(cache.take('place 0')).toBeUndefined();
    expect(cache.take('place 2')).toBe(lines[2]);
  });

  it('are all closed with the cache', async () => {
    const cache = accessCache();
    const lines = [aLine('west'), aLine('east')];
    for (const line of lines) await cache.giveBack(line);
    await cache.close();
    expect(lines.map((line) => line.isClosed())).toEqual([true, true]);
    expect(cache.take('west')).toBeUndefined();
  });
});

describe('what is known of accesses', () => {
  it('is made once for each', () => {
    const cache = accessCache();
    const ended: string[] = [];
    const first = cache.secret('a', () => aSecret(ended, 'first'));
    expect(cache.secret('a', () => aSecret(ended, 'second'))).toBe(first);
    expect(cache.secret('b', () => aSecret(ended, 'third'))).not.toBe(first);
    expect(ended).toEqual([]);
  });

  it('is kept for the 100 that were used last', () => {
    const cache = accessCache();
    const ended: string[] = [];
    const use = (name: string): StoredKubeconfig => cache.secret(name, () => aSecret(ended, name));
    for (const number of numbers(100)) use(`${number}`);
    use('0');
    use('one more');
    expect(ended).toEqual(['1']);
  });

  it('ends with the cache', async () => {
    const cache = accessCache();
    const ended: string[] = [];
    cache.secret('a', () => aSecret(ended, 'a'));
    await cache.close();
    expect(ended).toEqual(['a']);
  });
});

describe('J7: the connections of many runs', () => {
  const certificate = selfSigned();
  const kubeconfig = (server: string): string =>
    JSON.stringify({
      clusters: [
        {
          name: 'c',
          cluster: { server, 'certificate-authority-data': Buffer.from(certificate.cert).toString('base64') },
        },
      ],
      users: [{ name: 'u', user: { token: 'a-token' } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'c',
    });

  /** An API server and Secrets Manager, and runs of a link whose target they are. */
  const onStubs = async (test: StubTest): Promise<void> => {
    const server = await startStub(() => ({ body: aList([]) }), { protocol: 'h2', certificate });
    const secrets = await startStub(() => ({ body: { SecretString: kubeconfig(server.url) } }));
    const link = { name: 'west', source: undefined, target: { secret: SECRET_ARN } };
    try {
      await test((cache) => openClusters({ link, clients: clientsAt(secrets.url), clock, cache }), server);
    } finally {
      await Promise.all([server.close(), secrets.close()]);
    }
  };

  it('is one, for 1,000 runs after each other', () =>
    onStubs(async (open, server) => {
      const cache = accessCache();
      for (const _ of numbers(1_000)) {
        const clusters = await open(cache);
        await clusters.target.list('Service');
        await clusters.close();
      }
      expect([server.seen.length, server.connections(), server.open()]).toEqual([1_000, 1, 1]);
      await cache.close();
    }));

  it('is one for each that is under way at the same time', () =>
    onStubs(async (open, server) => {
      const cache = accessCache();
      for (const _ of [1, 2, 3]) {
        const runs = await Promise.all([open(cache), open(cache)]);
        await Promise.all(runs.map(({ target }) => target.list('Service')));
        await Promise.all(runs.map((run) => run.close()));
      }
      expect([server.seen.length, server.connections()]).toEqual([6, 2]);
      await cache.close();
    }));

  it('ends with a run that failed before it was connected', () =>
    onStubs(async (open, server) => {
      const cache = accessCache();
      await server.close();
      const clusters = await open(cache);
      await failureOf(clusters.target.list('Service'));
      await clusters.close();
      await cache.close();
      expect(server.open()).toBe(0);
    }));
});
