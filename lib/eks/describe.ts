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
    const problem = problemOf(cluster, arn);
    // EKS has answered: to ask the same again, or to go on as before, is no help.
    if (problem !== undefined) throw new ClusterError(problem, { kind: 'denied', request });
    return { server: cluster.endpoint ?? '', caData: authorityOf(cluster) };
  } catch (error) {
    const ResourceNotFoundException = `there is no cluster ${arn.name} in ${arn.region} for these credentials`;
    throw awsFailure(error, request, { ResourceNotFoundException });
  }
}

/** Why a cluster cannot be reached; undefined when it can. */
function problemOf(cluster: Cluster, asked: ClusterArn): string | undefined {
  const { arn = asked.text, status = 'unknown', endpoint = '' } = cluster;
  // EKS is asked by a name: credentials of another account find that account's cluster of this name.
  if (arn !== asked.text) {
    return `these credentials belong to another account: they find another cluster of that name (a roleArn of account ${asked.account} is needed)`;
  }
  if (!SERVING.has(status)) return `the cluster is ${status}, expected one that is ACTIVE or UPDATING`;
  const isPlace =
    endpoint.startsWith('https://') && URL.canParse(endpoint) && isCertificate(authorityOf(cluster));
  return isPlace ? undefined : 'EKS names no https endpoint with a certificate authority';
}

const authorityOf = ({ certificateAuthority }: Cluster): string =>
  Buffer.from(certificateAuthority?.data ?? '', 'base64').toString('utf8');

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}
