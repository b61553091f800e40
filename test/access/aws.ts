// AWS for tests of access: keys, ARNs, clients that send each request once, and a cluster behind a responder.
import { inspect } from 'node:util';
import { EKSClient } from '@aws-sdk/client-eks';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { STSClient } from '@aws-sdk/client-sts';
import type { AwsClients } from '../../lib/access.ts';
import type { AwsCredentials } from '../../lib/eks/credentials.ts';
import { ClusterError } from '../../lib/errors.ts';
import type { SandboxKey } from '../../sandbox/eks-token.ts';

export const OTHER_ACCOUNT = '222222222222';
export const STS_HOST = 'sts.eu-central-1.amazonaws.com';

export const WEST = 'arn:aws:eks:eu-central-1:111111111111:cluster/west';
export const EAST = 'arn:aws:eks:eu-central-1:111111111111:cluster/east';
export const SECRET_ARN = 'arn:aws:secretsmanager:eu-central-1:111111111111:secret:west-abc123';

export const LAMBDA = 'arn:aws:iam::111111111111:role/lambda';

/** What every token of EKS begins with. */
export const TOKEN_PREFIX = 'k8s-aws-v1.';

/** The key of the Lambda's role. Both secrets are looked for in everything that leaves the product. */
export const LAMBDA_KEY = {
  accessKeyId: 'ASIALAMBDA',
  secretAccessKey: 'planted-secret-key/+=',
  sessionToken: 'planted-session-token/+=',
  principal: LAMBDA,
} as const satisfies SandboxKey;

export interface AwsOptions {
  /** Those of this process; default: LAMBDA_KEY, for ever. */
  readonly credentials?: () => Promise<AwsCredentials>;
  /** Of Secrets Manager; default: the one of the others. */
  readonly secretsEndpoint?: string;
}

/** Clients that ask `endpoint` for everything, and once. */
export const clientsAt = (endpoint: string, options: AwsOptions = {}): AwsClients => {
  const own = options.credentials ?? (() => Promise.resolve(LAMBDA_KEY));
  const settings = { endpoint, maxAttempts: 1 };
  const secretsEndpoint = options.secretsEndpoint ?? endpoint;
  return {
    eks: (region, credentials = own) => new EKSClient({ ...settings, region, credentials }),
    sts: (region) => new STSClient({ ...settings, region, credentials: own }),
    secrets: (region) =>
      new SecretsManagerClient({ ...settings, endpoint: secretsEndpoint, region, credentials: own }),
  };
};

/** What a request failed with. */
export const failureOf = async (attempt: Promise<unknown>): Promise<ClusterError> => {
  const error: unknown = await attempt.then(
    (value) => new Error(`expected a failure, got ${inspect(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof ClusterError) return error;
  throw error;
};

/** Everything that anybody could print of a value: hidden fields, causes and stacks too. */
export const everythingOf = (value: unknown): string =>
  inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null });
