// Sockets and answers: how many connections, what is sent again, compression, counting, the server's clock.
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { KubeCluster } from '../../lib/kube/cluster.ts';
import { type Credentials, TIMEOUTS } from '../../lib/kube/connection.ts';
import { testClock } from '../support/clock.ts';
import { selfSigned } from '../../sandbox/certificate.ts';
import {
  type ClientOptions,
  type Script,
  type Stub,
  aList,
  aService,
  clusterAt,
  inTurn,
  startStub,
} from './stub.ts';

let stub: Stub;
let cluster: KubeCluster;
afterEach(async () => {
  await cluster.close();
  await stub.close();
});

type Protocol = 'http' | 'https' | 'h2';
const certificate = selfSigned();

const open = async (
  script: Script,
  protocol: Protocol = 'http',
  options: ClientOptions = {},
): Promise<void> => {
  stub = await startStub(script, { protocol, certificate });
  cluster = clusterAt(stub, { caData: certificate.cert, ...options });
};

const get = (): Promise<unknown> => cluster.get('Service', 'shop', 'web');
const create = (): Promise<unknown> => cluster.create('Service', 'shop', { metadata: { name: 'web' } });
const times = (count: number, act: () => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, act));

/** Answers only when so many requests are there at once. */
const together = (count: number): Script => {
  let waiting: (() => void)[] = [];
  return async () => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length < count) return;
      for (const go of waiting) go();
      waiting = [];
    });
    return { body: aService('web') };
  };
};

describe('connections', () => {
  it.each<[Protocol, string, number]>([
    ['http', '1.1', 8],
    ['https', '1.1', 8],
    ['h2', '2.0', 1],
  ])(
    '%s: 8 requests at a time go over HTTP/%s and %i connections, again and again',
    async (protocol, version, connections) => {
      await open(together(8), protocol);
      for (let round = 0; round < 5; round += 1) await times(8, create);
      expect(new Set(stub.seen.map((request) => request.protocol))).toEqual(new Set([version]));
      expect(stub.connections()).toBe(connections);
    },
  );

  it('the ninth HTTP/1.1 request waits for one of eight connections', async () => {
    await open(() => ({ body: aService('web') }), 'https');
    await times(40, create);
    expect(stub.seen).toHaveLength(40);
    expect(stub.connections()).toBeLessThanOrEqual(8);
  });

  it('one after the other keep to at most two: the first may not be free at once', async () => {
    await open(() => ({ body: aService('web') }), 'https');
    for (let round = 0; round < 5; round += 1) await get();
    expect(stub.connections()).toBeLessThanOrEqual(2);
  });

  it('J7: close frees them, and what is under way ends', async () => {
    let arrived = (): void => {};
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    await open(() => {
      arrived();
      return { fault: 'hang' };
    });
    const failure = create().catch((error: unknown) => error);
    await arrival;
    expect(stub.open()).toBe(1);
    await cluster.close();
    expect(await failure).toMatchObject({ kind: 'unreachable' });
    await expect.poll(() => stub.open()).toBe(0);
    await expect(create()).rejects.toMatchObject({ message: 'no complete answer (CLOSED)' });
  });

  it('a new client certificate gets new connections, the same one does not', async () => {
    const [first, second] = [selfSigned('first'), selfSigned('second')];
    let present: Credentials = { headers: {}, clientCertificate: first };
    await open(() => ({ body: aService('web') }), 'https', { credentials: () => Promise.resolve(present) });
    await get();
    present = { headers: {}, clientCertificate: { ...first } };
    for (let round = 0; round < 3; round += 1) await get();
    const before = stub.connections();
    expect(before).toBeLessThanOrEqual(2);
    present = { headers: {}, clientCertificate: second };
    await get();
    expect(stub.seen.at(-1)?.connection).toBe(before + 1);
    await expect.poll(() => stub.open()).toBe(1);
  });

  it('verification can be switched off, and another name can be asked for', async () => {
    const options = { caData: selfSigned().cert };
    await open(() => ({ body: aService('web') }), 'https', { ...options, skipVerification: true });
    expect(await get()).toMatchObject({ meta: { name: 'web' } });
    const elsewhere = clusterAt(stub, { caData: certificate.cert, tlsServerName: 'kubernetes.default' });
    await expect(elsewhere.get('Service', 'shop', 'web')).rejects.toMatchObject({
      message: 'no complete answer (ERR_TLS_CERT_ALTNAME_INVALID)',
    });
    await elsewhere.close();
    const byName = clusterAt(stub, { caData: certificate.cert, tlsServerName: 'localhost' });
    expect(await byName.get('Service', 'shop', 'web')).toMatchObject({ meta: { name: 'web' } });
    await byName.close();
  });
});

describe('a connection that goes silent', () => {
  const timeouts = { ...TIMEOUTS, read: 200, write: 200 };
  const served = { body: aService('web') };

  it.each<Protocol>(['http', 'https', 'h2'])('%s: is not used again', async (protocol) => {
    await open(inTurn(served, { fault: 'hang' }, served), protocol, { timeouts });
    await get();
    const before = stub.connections();
    await expect(create()).rejects.toMatchObject({ message: 'no complete answer (TimeoutError)' });
    expect(await create()).toMatchObject({ meta: { name: 'web' } });
    expect(stub.seen.at(-1)?.connection).toBeGreaterThan(before);
  });

  it('h2: what else is under way on it may still end', async () => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const script: Script = async ({ method }) => {
      if (method === 'POST') return { fault: 'hang' };
      await released;
      return served;
    };
    await open(script, 'h2', { timeouts: { ...timeouts, read: 20_000 } });
    const reading = get();
    await expect(create()).rejects.toMatchObject({ kind: 'unreachable' });
    release();
    expect(await reading).toMatchObject({ meta: { name: 'web' } });
  });
});

describe('a connection that the server closes', () => {
  const served = { body: aService('web') };
  const cut = { fault: 'cut' } as const;

  it.each<Protocol>(['http', 'https', 'h2'])('%s: a read is sent again, once', async (protocol) => {
    await open(inTurn(served, cut, served), protocol);
    await get();
    expect(await get()).toMatchObject({ meta: { name: 'web' } });
    expect(stub.seen).toHaveLength(3);
    expect(stub.connections()).toBe(2);
    expect(cluster.requests().reads).toBe(3);
  });

  it.each<Protocol>(['http', 'https', 'h2'])('%s: a read is not sent a third time', async (protocol) => {
    await open(inTurn(served, cut), protocol);
    await get();
    await expect(get()).rejects.toMatchObject({ kind: 'unreachable' });
    expect(stub.seen).toHaveLength(3);
  });

  it.each<Protocol>(['http', 'https', 'h2'])(
    '%s: a write is never sent again: it may have been done',
    async (protocol) => {
      await open(inTurn(served, cut, served), protocol);
      await create();
      await expect(create()).rejects.toMatchObject({ kind: 'unreachable' });
      expect(stub.seen).toHaveLength(2);
      expect(await create()).toMatchObject({ meta: { name: 'web' } });
    },
  );
});

describe('compression', () => {
  it('is asked for, undone, and counted as it came', async () => {
    const list = aList(Array.from({ length: 50 }, (_, index) => aService(`web-${index}`)));
    const packed = gzipSync(JSON.stringify(list));
    await open(() => ({ body: packed, headers: { 'content-encoding': 'gzip' } }));
    expect(await cluster.list('Service')).toHaveLength(50);
    expect(stub.seen[0]?.headers['accept-encoding']).toBe('gzip');
    expect(cluster.requests().bytes).toBe(packed.byteLength);
  });
});

describe('counts', () => {
  it('reads, writes and Leases apart, and the bytes received', async () => {
    const text = JSON.stringify(aService('web'));
    await open(({ path }) => ({ body: path.endsWith('/services') ? aService('web') : text }));
    await get();
    await create();
    await cluster.patch('Endpoints', 'shop', 'web', {});
    await cluster.delete('Service', 'shop', 'web', { uid: 'u', resourceVersion: '1' });
    await cluster.get('Lease', 'shop', 'lease');
    await cluster.patch('Lease', 'shop', 'lease', {});
    expect(cluster.requests()).toEqual({ reads: 1, writes: 3, leases: 2, bytes: 6 * text.length });
  });
});

describe("the server's clock", () => {
  const LOCAL = Date.parse('2025-01-31T09:00:00Z');
  const SERVER = Date.parse('2025-01-31T10:00:00Z');
  const dated = { body: aService('web'), headers: { date: 'Fri, 31 Jan 2025 10:00:00 GMT' } };

  it('is the local one before the first answer, then that of the Date header, carried forward', async () => {
    const clock = testClock(LOCAL);
    await open(inTurn(dated), 'http', { clock });
    expect(cluster.now()).toBe(LOCAL);
    await get();
    expect(cluster.now()).toBe(SERVER);
    clock.advance(90);
    expect(cluster.now()).toBe(SERVER + 90_000);
    await get();
    expect(cluster.now()).toBe(SERVER);
  });

  it('is also learned from a refusal, and kept when an answer has no readable date', async () => {
    const clock = testClock(LOCAL);
    await open(
      inTurn({ ...dated, status: 403 }, { body: aService('web'), headers: { date: 'now' } }),
      'http',
      { clock },
    );
    await expect(get()).rejects.toMatchObject({ kind: 'denied' });
    expect(cluster.now()).toBe(SERVER);
    await get();
    expect(cluster.now()).toBe(SERVER);
  });
});
