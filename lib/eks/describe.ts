// Asks EKS where a cluster's API server is and whom to trust there.
import { X509Certificate } from 'node:crypto';
import { type Cluster, DescribeClusterCommand, type EKSClient } from '@aws-sdk/client-eks';
import { awsFailure } from '../aws-failures.ts';
import { ClusterError } from '../errors.ts';
import type { ClusterArn } from './arn.ts';

export interface ClusterPlace {
  readonly server: string; // https://…
  readonly caData: string; // PEM
}

/** States in which the API server works. */
const SERVING: ReadonlySet<string> = new Set(['ACTIVE', 'UPDATING']);

/** Throws ClusterError. */
export async function describeCluster(client: EKSClient, arn: ClusterArn): Promise<ClusterPlace> {
  const request = `DescribeCluster ${arn.text}`;
  try {
    const { cluster = {} } = await client.send(new DescribeClusterCommand({ name: arn.name }));
    const found = placeIn(cluster, arn);
    if ('problem' in found) throw new ClusterError(found.problem, { kind: found.kind, request });
    return found;
  } catch (error) {
    const ResourceNotFoundException = `there is no cluster ${arn.name} in ${arn.region} for these credentials`;
    throw awsFailure(error, request, { ResourceNotFoundException });
  }
}

type Found = ClusterPlace | { readonly problem: string; readonly kind: 'denied' | 'unreachable' };

function placeIn(cluster: Cluster, asked: ClusterArn): Found {
  const { arn = asked.text, status = 'unknown', endpoint = '', certificateAuthority } = cluster;
  // EKS is asked by a name: credentials of another account find that account's cluster of this name.
  if (arn !== asked.text) {
    return {
      kind: 'denied',
      problem: `these credentials belong to another account: they find another cluster of that name (a roleArn of account ${asked.account} is needed)`,
    };
  }
  if (!SERVING.has(status)) {
    return {
      kind: 'unreachable',
      problem: `the cluster is ${status}, expected one that is ACTIVE or UPDATING`,
    };
  }
  const caData = Buffer.from(certificateAuthority?.data ?? '', 'base64').toString('utf8');
  if (!endpoint.startsWith('https://') || !URL.canParse(endpoint) || !isCertificate(caData)) {
    return { kind: 'unreachable', problem: 'EKS names no https endpoint with a certificate authority' };
  }
  return { server: endpoint, caData };
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}
