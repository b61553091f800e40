// Real API servers for the sandbox, each in a process of its own with its etcd and the controller that copies Endpoints to slices.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { clusterArn, KEY, REGION } from './account.ts';
import type { ClusterAccess } from './api-client.ts';
import { selfSigned } from './certificate.ts';
import type { StartCluster } from './clusters.ts';
import { eksTokenReview } from './eks-token.ts';
import { startFront } from './front.ts';

/** Prints how its cluster is reached, and ends it when its standard input is closed. */
const PROGRAM = fileURLToPath(new URL('../test/sandbox/real-cluster.ts', import.meta.url));

export const startReal: StartCluster = async ({ name, serviceRange, port, eks, clock }) => {
  const child = spawn(process.execPath, [PROGRAM, name, serviceRange], { stdio: ['pipe', 'pipe', 'pipe'] });
  const behind = await accessOf(name, child);
  const tls = selfSigned(name);
  const front = await startFront({
    port,
    tls,
    behind,
    reviewToken: eksTokenReview({
      cluster: name,
      stsHost: `sts.${REGION}.amazonaws.com`,
      keyOf: (id) => eks.keyOf(id),
      entries: new Map([[KEY.principal, 'eks-service-mirror']]),
      clock,
    }),
  }).catch(async (error: unknown) => {
    await end(child);
    throw error;
  });
  const url = `https://${front.address}`;
  eks.setCluster({ arn: clusterArn(name), endpoint: url, caData: tls.cert });
  let closing: Promise<unknown> | undefined;
  const close = async (): Promise<void> =>
    void (await (closing ??= Promise.all([front.close(), end(child)])));
  return { name, url, ca: tls.cert, token: behind.token, close };
};

/** @throws Error with what the program said, when it ends instead */
async function accessOf(name: string, child: ChildProcess): Promise<ClusterAccess> {
  let [said, complaint] = ['', ''];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const access = new Promise<ClusterAccess>((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.endsWith('\n')) resolve({ name, ...JSON.parse(said) });
    });
  });
  const ended = once(child, 'close').then(() => {
    throw new Error(`cluster ${name} does not start: ${complaint.trim()}`);
  });
  return Promise.race([access, ended]);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.stdin?.end();
  await closed;
}
