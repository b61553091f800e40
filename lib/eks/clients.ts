// AWS's clients for EKS and STS, with limits that fit into a run.
import { EKSClient } from '@aws-sdk/client-eks';
import { STSClient } from '@aws-sdk/client-sts';
import type { AwsCredentials } from './credentials.ts';

export interface EksClients {
  /** @param credentials absent: those of this process */
  eks(region: string, credentials?: () => Promise<AwsCredentials>): EKSClient;
  /** @param region of the cluster, where this process has none of its own */
  sts(region: string): STSClient;
}

export interface AwsSettings {
  /** The region of this process. Its STS endpoint is the one that a VPC without a way out can reach. */
  readonly region?: string | undefined;
}

/** An endpoint that cannot be reached (a VPC without a way out) is told after some ten seconds. */
const LIMITS = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true }, // ms
} as const;

/** Clients by the usual configuration of AWS: credentials, and endpoints such as AWS_ENDPOINT_URL_EKS, are found by themselves. */
export const eksClients = ({ region: own }: AwsSettings = {}): EksClients => ({
  eks: (region, credentials) =>
    new EKSClient({ ...LIMITS, region, ...(credentials !== undefined && { credentials }) }),
  sts: (region) => new STSClient({ ...LIMITS, region: own ?? region }),
});
