// How the sandbox itself speaks to the AWS stand-ins beside it: with made-up credentials, whatever the environment says.

const REGION = 'us-east-1';

/** The account that queues of a stand-in belong to. */
const STAND_IN_ACCOUNT = '000000000000';

export interface StandInAccess {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export const standInAccess = (endpoint: string): StandInAccess => ({
  endpoint,
  region: REGION,
  credentials: { accessKeyId: 'sandbox', secretAccessKey: 'sandbox' },
});

export const queueArn = (name: string): string => `arn:aws:sqs:${REGION}:${STAND_IN_ACCOUNT}:${name}`;
