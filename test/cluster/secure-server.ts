// Finds out when a Kubernetes program serves HTTPS with the certificate it makes for itself at its first start.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Api, connectApi } from './api.ts';
import { type Daemon, waitUntilReady } from './daemons.ts';

export const START_DEADLINE = 90_000; // ms, for each program; on two busy cores it takes some ten seconds

export interface SecureServer {
  readonly daemon: Daemon;
  /** https://127.0.0.1:PORT */
  readonly url: string;
  /** the PEM file that it writes before it listens: its certificate, then the authority that signed it */
  readonly certificateFile: string;
  readonly token: string;
  readonly isReady: (api: Api) => Promise<boolean>;
}

/** Resolves with the PEM of the server's authority when it is ready; rejects with a StartError. */
export async function waitForServer({
  daemon,
  url,
  certificateFile,
  token,
  isReady,
}: SecureServer): Promise<string> {
  let caData = '';
  const readAuthority = async () => {
    caData = authorityIn(readFileSync(certificateFile, 'utf8'));
    return caData !== '';
  };
  await waitUntilReady(daemon, readAuthority, START_DEADLINE);
  const api = connectApi({ url, caData, token });
  try {
    await waitUntilReady(daemon, () => isReady(api), START_DEADLINE);
  } finally {
    api.close();
  }
  return caData;
}

/** The certificate of the authority; empty while the file is still being written. */
function authorityIn(pem: string): string {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g) ?? [];
  return certificates.find((certificate) => new X509Certificate(certificate).ca) ?? '';
}
