// Kubeconfigs from anywhere but the operator's own file may hold little; what is no kubeconfig at all.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { connectionFromKubeconfig } from '../../lib/kube/kubeconfig.ts';
import {
  CLUSTER,
  SECRET,
  USER,
  authority,
  base64,
  client,
  document,
  mistakesOf,
  stored,
  useFolder,
} from './kubeconfigs.ts';

const at = useFolder();

describe('a stored kubeconfig', () => {
  it('J2: with an inline token is read', async () => {
    const { credentials, ...rest } = await stored(document());
    expect(rest).toEqual({ name: 'target', server: 'https://api.example.test', caData: authority.cert });
    expect(await credentials()).toEqual({ headers: { Authorization: 'Bearer a-token' } });
  });

  it('J2: with an inline client certificate is read', async () => {
    const user = { 'client-certificate-data': base64(client.cert), 'client-key-data': base64(client.key) };
    const { credentials } = await stored(document(CLUSTER, user));
    expect(await credentials()).toEqual({
      headers: {},
      clientCertificate: { cert: client.cert, key: client.key },
    });
  });

  it('may leave the authorities to the system, and be JSON', async () => {
    const { caData, server } = await stored(
      JSON.stringify(document({ server: 'https://api.example.test:6443/k8s' })),
    );
    expect([caData, server]).toEqual([undefined, 'https://api.example.test:6443/k8s']);
  });

  it('what kubectl writes for "not set" is not refused', async () => {
    const cluster = {
      ...CLUSTER,
      'insecure-skip-tls-verify': false,
      'proxy-url': '',
      'tls-server-name': null,
    };
    const user = { ...USER, exec: null, username: '', 'auth-provider': null };
    expect(await stored(document(cluster, user))).toMatchObject({ server: 'https://api.example.test' });
  });

  it.each<[string, object, string]>([
    ['exec', { exec: { command: '/bin/sh', args: ['-c', SECRET] } }, 'a program to run'],
    ['auth-provider', { 'auth-provider': { name: 'oidc', config: {} } }, 'an authentication plugin'],
    ['tokenFile', { tokenFile: '/proc/self/environ' }, 'a file to read'],
    ['token-file', { 'token-file': '/proc/self/environ' }, 'a file to read'],
    [
      'client-certificate',
      { 'client-certificate': '/c', 'client-key-data': base64(client.key) },
      'a file to read',
    ],
    ['client-key', { 'client-key': '/k', 'client-certificate-data': base64(client.cert) }, 'a file to read'],
    ['username', { username: SECRET }, 'a user name'],
    ['password', { password: SECRET }, 'a password'],
    ['as', { ...USER, as: SECRET }, 'another user to act as'],
    ['as-groups', { ...USER, 'as-groups': [SECRET] }, 'a field that is not known'],
    ['surprise', { ...USER, surprise: SECRET }, 'a field that is not known'],
  ])('J2: user.%s is refused by name', async (key, user, what) => {
    const mistakes = await mistakesOf(stored(document(CLUSTER, user)));
    expect(mistakes).toContain(
      `target kubeconfig: users[admin].${key}: expected an inline token or client certificate, got ${what}`,
    );
    expect(mistakes.join('\n')).not.toContain(SECRET);
  });

  it.each<[string, object, string]>([
    ['certificate-authority', { 'certificate-authority': '/etc/ca' }, 'a file to read'],
    ['proxy-url', { 'proxy-url': 'http://proxy.example.test' }, 'a proxy'],
    ['insecure-skip-tls-verify', { 'insecure-skip-tls-verify': true }, 'verification switched off'],
    ['tls-server-name', { 'tls-server-name': 'other' }, 'another name to verify'],
    ['surprise', { surprise: 1 }, 'a field that is not known'],
  ])('J2: cluster.%s is refused by name', async (key, cluster, what) => {
    expect(await mistakesOf(stored(document({ ...CLUSTER, ...cluster })))).toEqual([
      `target kubeconfig: clusters[west].${key}: expected an https server and inline authorities alone, got ${what}`,
    ]);
  });

  it.each([
    ['http://127.0.0.1:8080', 'expected https://…, got http://…'],
    ['file:///etc/passwd', 'expected https://…, got file://…'],
    ['api.example.test', 'expected https://…, got no URL'],
    [
      `https://me:${SECRET}@api.example.test`,
      'expected a host, port and path alone, got a user name, query or fragment',
    ],
    [
      'https://api.example.test/?x=1',
      'expected a host, port and path alone, got a user name, query or fragment',
    ],
  ])('J2: the server %s', async (server, what) => {
    expect(await mistakesOf(stored(document({ server })))).toEqual([
      `target kubeconfig: clusters[west].server: ${what}`,
    ]);
  });

  it('J2: all mistakes come together, those of entries that are not chosen too', async () => {
    const content = document(
      { server: 'http://x.example.test', 'certificate-authority-data': 'bm8=' },
      {},
      {
        users: [
          { name: 'admin', user: {} },
          { name: 'other', user: { exec: { command: 'aws' } } },
        ],
      },
    );
    expect(await mistakesOf(stored(content))).toEqual([
      'target kubeconfig: clusters[west].server: expected https://…, got http://…',
      'target kubeconfig: clusters[west].certificate-authority-data: expected base64 of PEM, got something else',
      'target kubeconfig: users[admin]: expected an inline token or client certificate, got nothing',
      'target kubeconfig: users[other].exec: expected an inline token or client certificate, got a program to run',
    ]);
  });

  it('reads no file and starts no program', async () => {
    const trace = at('trace');
    const exec = { command: '/bin/sh', args: ['-c', `touch ${trace}`] };
    const files = { 'token-file': at('absent'), tokenFile: at('absent') };
    const mistakes = await mistakesOf(stored(document(CLUSTER, { ...USER, ...files, exec })));
    expect(mistakes).toHaveLength(3);
    expect(mistakes.join('\n')).not.toContain('no such file');
    expect(() => readFileSync(trace)).toThrow('ENOENT');
  });
});

describe('what is no kubeconfig', () => {
  it.each<[string, string, readonly string[]]>([
    ['no YAML', `clusters: [\n  token: ${SECRET}\n`, ['line 3: expected YAML, got BAD_INDENT']],
    ['text', SECRET, ['expected a kubeconfig, got text']],
    ['a list', '[1]', ['expected a kubeconfig, got a list']],
    ['nothing', '', ['expected a kubeconfig, got nothing']],
    [
      'lists that are none',
      stringify({ clusters: {}, users: 1, contexts: 'x' }),
      [
        'clusters: expected a list, got fields',
        'users: expected a list, got a single value',
        'contexts: expected a list, got a single value',
      ],
    ],
    [
      'entries that are none',
      stringify({ users: [SECRET, { user: {} }, { name: 'x', user: SECRET }] }),
      [
        'users[0]: expected name and user, got no name',
        'users[1]: expected name and user, got no name',
        'users[x].user: expected fields, got another value',
      ],
    ],
    [
      'a token that is a number',
      stringify(document(CLUSTER, { token: 12_345 })),
      ['users[admin].token: expected text, got another value'],
    ],
    [
      'a server that is a list',
      stringify(document({ server: ['https://api.example.test'] })),
      ['clusters[west].server: expected text, got another value'],
    ],
  ])('J2: %s', async (_, text, expected) => {
    expect(await mistakesOf(stored(text))).toEqual(expected.map((line) => `target kubeconfig: ${line}`));
  });

  it('J2: a file that is not there', async () => {
    const path = at('nowhere');
    expect(await mistakesOf(connectionFromKubeconfig({ name: 'source', trust: 'file', path }))).toEqual([
      `source kubeconfig: expected a readable file, got ${path}: no such file or directory`,
    ]);
  });

  it.each([
    [
      'certificate-authority-data',
      { ...CLUSTER, 'certificate-authority-data': base64(SECRET) },
      USER,
      'clusters[west]',
    ],
    [
      'client-key-data',
      CLUSTER,
      { 'client-certificate-data': base64(client.cert), 'client-key-data': base64(SECRET) },
      'users[admin]',
    ],
    [
      'client-certificate-data',
      CLUSTER,
      { 'client-certificate-data': SECRET, 'client-key-data': base64(client.key) },
      'users[admin]',
    ],
  ])('J2: %s that holds no PEM', async (key, cluster, user, where) => {
    expect(await mistakesOf(stored(document(cluster, user)))).toEqual([
      `target kubeconfig: ${where}.${key}: expected base64 of PEM, got something else`,
    ]);
  });

  it.each([
    ['certificate', { 'client-certificate-data': base64(client.cert) }],
    ['key', { 'client-key-data': base64(client.key) }],
  ])('J2: a %s alone', async (what, user) => {
    expect(await mistakesOf(stored(document(CLUSTER, user)))).toEqual([
      `target kubeconfig: users[admin]: expected a client certificate and its key, got the ${what} alone`,
    ]);
  });
});
