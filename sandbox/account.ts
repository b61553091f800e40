// The AWS account of the sandbox: where everything is said to be, and the access key that opens it. All of it is made up.
import type { SandboxKey } from './eks-token.ts';

/** Those that the stand-ins of DynamoDB and SQS have. */
export const REGION = 'us-east-1';
export const ACCOUNT = '000000000000';

/** The stage that is packaged for the sandbox. */
export const STAGE = 'sandbox';

/** The key of the functions, and of whoever sources the file of variables. */
export const KEY: SandboxKey = {
  accessKeyId: 'AKIASANDBOX',
  secretAccessKey: 'not-a-secret',
  principal: `arn:aws:iam::${ACCOUNT}:role/eks-service-mirror-${STAGE}`,
};

export const clusterArn = (name: string): string => `arn:aws:eks:${REGION}:${ACCOUNT}:cluster/${name}`;
