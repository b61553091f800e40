// From the operator's own kubeconfig: contexts, files, programs, and connections that work.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { kubeCluster } from '../../lib/kube/cluster.ts';
import type { KubeConnection } from '../../lib/kube/connection.ts';
import { connectionFromKubeconfig } from '../../lib/kube/kubeconfig.ts';
import { testClock } from '../support/clock.ts';
import {
  CLUSTER,
  SECRET,
  USER,
  authority,
  base64,
  client,
  document,
  mistakesOf,
  useFolder,
} from './kubeconfigs.ts';
import { type Stub, aService, startStub } from './stub.ts';

const at = useFolder();

const own = (content: object, context?: string): Promise<KubeConnection> => {
  const path = at('config');
  writeFileSync(path, stringify(content));
  return connectionFromKubeconfig({
    name: 'source',
    trust: 'file',
    path,
    ...(context !== undefined && { context }),
  });
};

describe('contexts', () => {
  const two = document(CLUSTER, USER, {
    clusters: [
      { name: 'west', cluster: CLUSTER },
      { name: 'east', cluster: { server: 'https://east.example.test' } },
    ],
    contexts: [
      { name: 'west', context: { cluster: 'west', user: 'admin' } },
      { name: 'east', context: { cluster: 'east', user: 'admin' } },
      { name: 'broken', context: { cluster: 'south', user: 'nobody' } },
    ],
  });

  it('are chosen by name, else by current-context', async () => {
    expect((await own(two)).server).toBe('https://api.example.test');
    expect((await own(two, 'east')).server).toBe('https://east.example.test');
  });

  it.each<[string, object, string | undefined, readonly string[]]>([
    ['one that is missing', two, 'north', ['context: expected one of west, east, broken, got "north"']],
    [
      'none chosen',
      { ...two, 'current-context': '' },
      undefined,
      ['current-context: expected one of west, east, broken, got nothing'],
    ],
    [
      'none there',
      {},
      undefined,
      ['current-context: expected one of its contexts (it has none), got nothing'],
    ],
    [
      'one without its cluster and user',
      two,
      'broken',
      [
        'contexts[broken].cluster: expected one of west, east, got "south"',
        'contexts[broken].user: expected one of admin, got "nobody"',
      ],
    ],
  ])('J2: %s', async (_, content, context, expected) => {
    expect(await mistakesOf(own(content, context))).toEqual(
      expected.map((line) => `source kubeconfig: ${line}`),
    );
  });
});

describe("the operator's own file", () => {
  it('names files relative to itself', async () => {
    const cluster = { server: 'https://api.example.test', 'certificate-authority': 'ca.crt' };
    const connection = await own(
      document(cluster, { 'client-certificate': 'client.crt', 'client-key': './client.key' }),
    );
    expect(connection.caData).toBe(authority.cert);
    expect(await connection.credentials()).toEqual({
      headers: {},
      clientCertificate: { cert: client.cert, key: client.key },
    });
  });

  it('inline data wins over a file, which then need not be there', async () => {
    const cluster = { ...CLUSTER, 'certificate-authority': 'absent.crt' };
    expect((await own(document(cluster))).caData).toBe(authority.cert);
  });

  it.each(['tokenFile', 'token-file'])(
    '%s is read, again when it may have changed, and wins over token',
    async (key) => {
      const { credentials } = await own(document(CLUSTER, { ...USER, [key]: 'token' }));
      expect(await credentials()).toEqual({ headers: { Authorization: 'Bearer token-of-the-file' } });
    },
  );

  it('a password and an impersonated user become headers', async () => {
    const { credentials } = await own(document(CLUSTER, { username: 'me', password: 'pass', as: 'you' }));
    expect(await credentials()).toEqual({
      headers: { Authorization: `Basic ${base64('me:pass')}`, 'Impersonate-User': 'you' },
    });
  });

  it('may switch verification off, name another host and a proxy, and use plain http', async () => {
    const cluster = {
      server: 'http://127.0.0.1:8080',
      'insecure-skip-tls-verify': true,
      'tls-server-name': 'kubernetes',
      'proxy-url': 'socks5://127.0.0.1:1080',
    };
    const { credentials: _, ...rest } = await own(document(cluster));
    expect(rest).toEqual({
      name: 'source',
      server: 'http://127.0.0.1:8080',
      skipVerification: true,
      tlsServerName: 'kubernetes',
      proxyUrl: 'socks5://127.0.0.1:1080',
    });
  });

  it('J2: what cannot work is refused, all together', async () => {
    const cluster = { server: 'ftp://x', 'certificate-authority': 'absent.crt', 'proxy-url': 'socks4://x' };
    const user = { as: 'you', 'as-groups': ['g'], 'client-certificate': 'client.crt', tokenFile: 'absent' };
    expect(await mistakesOf(own(document(cluster, user)))).toEqual(
      [
        `clusters[west].certificate-authority: expected a readable file, got ${at('absent.crt')}: no such file or directory`,
        'clusters[west].server: expected https://… or http://…, got ftp://…',
        'clusters[west].proxy-url: expected http://…, https://… or socks5://…, got socks4:',
        `users[admin].tokenFile: expected a readable file, got ${at('absent')}: no such file or directory`,
        'users[admin].as-groups: expected `as` alone, got an impersonation that is not supported',
        'users[admin]: expected a client certificate and its key, got the certificate alone',
      ].map((line) => `source kubeconfig: ${line}`),
    );
  });

  it('J2: a file that holds no PEM is refused like inline data', async () => {
    const cluster = { server: 'https://api.example.test', 'certificate-authority': 'token' };
    expect(await mistakesOf(own(document(cluster)))).toEqual([
      'source kubeconfig: clusters[west].certificate-authority-data: expected base64 of PEM, got something else',
    ]);
  });

  it('entries that are not chosen do not matter', async () => {
    const users = [
      { name: 'admin', user: USER },
      { name: 'other', user: { 'client-certificate': 'absent', surprise: 1 } },
    ];
    expect(await own(document(CLUSTER, USER, { users }))).toMatchObject({
      server: 'https://api.example.test',
    });
  });
});

describe('exec plugins', () => {
  const plugin = (script: string): object => {
    const path = at('plugin');
    writeFileSync(path, `#!/bin/sh\necho run >> ${at('runs')}\n${script}\n`);
    chmodSync(path, 0o700);
    writeFileSync(at('runs'), '');
    return {
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1beta1',
        command: './plugin',
        args: ['eks'],
        env: [{ name: 'TOKEN', value: 'from-env' }],
      },
    };
  };
  const runs = (): number => readFileSync(at('runs'), 'utf8').split('\n').length - 1;
  const credential = (status: object): string =>
    `cat <<END\n${JSON.stringify({ kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1beta1', status })}\nEND`;

  it('are run at the first request, once for all that begin together, and not again while their token lives', async () => {
    const script = credential({ token: '$TOKEN', expirationTimestamp: '2099-01-01T00:00:00Z' });
    const { credentials } = await own(document(CLUSTER, plugin(script)));
    expect(runs()).toBe(0);
    const all = await Promise.all([credentials(), credentials(), credentials()]);
    expect(all.map(({ headers }) => headers['Authorization'])).toEqual(Array(3).fill('Bearer from-env'));
    await credentials();
    expect(runs()).toBe(1);
  });

  it('are run again when their token has expired', async () => {
    const script = credential({ token: 'short', expirationTimestamp: '2020-01-01T00:00:00Z' });
    const { credentials } = await own(document(CLUSTER, plugin(script)));
    await credentials();
    await credentials();
    expect(runs()).toBe(2);
  });

  it('may give a client certificate', async () => {
    const script = credential({ clientCertificateData: client.cert, clientKeyData: client.key });
    const { credentials } = await own(document(CLUSTER, plugin(script)));
    expect(await credentials()).toEqual({
      headers: {},
      clientCertificate: { cert: client.cert, key: client.key },
    });
  });

  it.each([
    [
      'what they say when they fail is told',
      'echo "the session has expired" >&2; exit 255',
      'failed: the session has expired',
    ],
    ['they may fail in silence', 'exit 1', 'failed: it said nothing'],
    [
      'an answer that is no JSON is not repeated',
      `echo ${SECRET}`,
      'failed: it did not answer with an ExecCredential',
    ],
    [
      'an answer without a status',
      `echo '{"token":"${SECRET}"}'`,
      'failed: it did not answer with an ExecCredential',
    ],
    ['an answer without a token', credential({}), 'gave neither a token nor a client certificate'],
  ])('J2: %s', async (_, script, what) => {
    const { credentials } = await own(document(CLUSTER, plugin(script)));
    await expect(credentials()).rejects.toThrow(`the exec plugin ${at('plugin')} ${what}`);
  });

  it('J2: one that is not installed is a refusal of the request, by name', async () => {
    const connection = await own(document(CLUSTER, { exec: { command: 'no-such-program-here' } }));
    const cluster = kubeCluster(connection, { clock: testClock() });
    await expect(cluster.list('Service')).rejects.toMatchObject({
      kind: 'denied',
      message:
        'no credentials: the exec plugin no-such-program-here failed: spawn no-such-program-here ENOENT',
    });
    await cluster.close();
  });
});

describe('a connection from a kubeconfig', () => {
  const stubs: Stub[] = [];
  afterEach(async () => {
    await Promise.all(stubs.splice(0).map((stub) => stub.close()));
  });

  it('works, over plain http and over TLS with a client certificate', async () => {
    const plain = await startStub(() => ({ body: aService('plain') }));
    const secure = await startStub(() => ({ body: aService('secure') }), {
      protocol: 'h2',
      certificate: authority,
      clientAuthority: client.cert,
    });
    stubs.push(plain, secure);
    const user = { 'client-certificate': 'client.crt', 'client-key': 'client.key' };
    for (const connection of [
      await own(document({ server: plain.url })),
      await own(document({ server: secure.url, 'certificate-authority': 'ca.crt' }, user)),
    ]) {
      const cluster = kubeCluster(connection, { clock: testClock() });
      expect(await cluster.get('Service', 'shop', 'x')).toBeDefined();
      await cluster.close();
    }
    expect(plain.seen[0]?.headers.authorization).toBe('Bearer a-token');
    expect(secure.seen).toHaveLength(1);
  });
});
