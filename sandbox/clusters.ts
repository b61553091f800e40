// The two clusters of the sandbox. Their operator reaches them with a token; the product, as EKS clusters, with tokens signed by IAM.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../lib/ports.ts';
import { clusterArn, KEY, REGION } from './account.ts';
import type { ClusterAccess } from './api-client.ts';
import { startApiServer } from './apiserver/server.ts';
import { selfSigned } from './certificate.ts';
import { eksTokenReview } from './eks-token.ts';
import type { SandboxEks } from './eks.ts';

export interface SandboxCluster extends ClusterAccess {
  /** Ends its API server. May be called again. */
  readonly close: () => Promise<void>;
}

export interface ClusterPlace {
  readonly name: string;
  readonly serviceRange: string; // CIDR
  readonly port: number; // 0 for a free one
  readonly eks: SandboxEks;
  readonly clock: Clock;
}

/** Starts an API server, and has EKS know it. Rejects when the port is taken. */
export type StartCluster = (place: ClusterPlace) => Promise<SandboxCluster>;

export const startEmbedded: StartCluster = async ({ name, serviceRange, port, eks, clock }) => {
  const tls = selfSigned(name);
  const token = randomBytes(16).toString('hex');
  const server = await startApiServer({
    name,
    port,
    serviceRange,
    tls,
    mirroringController: true,
    tokens: [{ token, user: 'admin' }],
    reviewToken: eksTokenReview({
      cluster: name,
      stsHost: `sts.${REGION}.amazonaws.com`,
      keyOf: (id) => eks.keyOf(id),
      entries: new Map([[KEY.principal, 'eks-service-mirror']]),
      clock,
    }),
  });
  eks.setCluster({ arn: clusterArn(name), endpoint: server.url, caData: tls.cert });
  let closing: Promise<void> | undefined;
  return { name, url: server.url, ca: tls.cert, token, close: () => (closing ??= server.close()) };
};
