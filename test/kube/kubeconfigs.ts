// Kubeconfigs for tests: one context with its cluster and user, in a text or in a file beside its certificates.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { stringify } from 'yaml';
import { InputError } from '../../lib/errors.ts';
import type { KubeConnection } from '../../lib/kube/connection.ts';
import { connectionFromKubeconfig } from '../../lib/kube/kubeconfig.ts';
import { selfSigned } from '../../sandbox/certificate.ts';

export const authority = selfSigned('authority');
export const client = selfSigned('client');
export const SECRET = 'planted-secret';
export const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const CLUSTER = {
  server: 'https://api.example.test',
  'certificate-authority-data': base64(authority.cert),
};
export const USER = { token: 'a-token' };

/** One context `west` of cluster `west` and user `admin`. */
export const document = (cluster: object = CLUSTER, user: object = USER, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'west', cluster }],
  users: [{ name: 'admin', user }],
  contexts: [{ name: 'west', context: { cluster: 'west', user: 'admin', namespace: 'shop' } }],
  'current-context': 'west',
  ...more,
});

/** A folder for one test file, with `ca.crt`, `client.crt`, `client.key` and `token` in it; returns paths within it. */
export function useFolder(): (name: string) => string {
  let folder: string;
  const at = (name: string): string => join(folder, name);
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubeconfig-test-'));
    writeFileSync(at('ca.crt'), authority.cert);
    writeFileSync(at('client.crt'), client.cert);
    writeFileSync(at('client.key'), client.key);
    writeFileSync(at('token'), 'token-of-the-file\n');
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return at;
}

export const stored = (content: object | string): Promise<KubeConnection> =>
  connectionFromKubeconfig({
    name: 'target',
    trust: 'stored',
    text: typeof content === 'string' ? content : stringify(content),
  });

export const mistakesOf = async (attempt: Promise<unknown>): Promise<readonly string[]> => {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof InputError) return error.mistakes;
  throw error ?? new Error('expected mistakes');
};
