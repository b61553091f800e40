// Credentials of a role that is assumed for one cluster.
import { AssumeRoleCommand, type STSClient } from '@aws-sdk/client-sts';
import { awsFailure } from '../aws-failures.ts';
import { ClusterError } from '../errors.ts';
import { FIELD_MANAGER } from '../model/labels.ts';
import type { Clock } from '../ports.ts';
import { type Remembered, remembered } from '../remembered.ts';
import type { AwsCredentials } from './credentials.ts';

/** An hour is the most for a role that a role assumes, and every role allows as much (IAM: role chaining). */
const DURATION_SECONDS = 3_600;

/** Renewed this long before they expire, ms. */
const MARGIN_MS = 5 * 60_000;

export interface Role {
  readonly roleArn: string;
  readonly externalId?: string | undefined;
}

export const assumedRole = (client: STSClient, role: Role, clock: Clock): Remembered<AwsCredentials> =>
  remembered({
    clock,
    look: () => assume(client, role),
    lifetime: ({ expiration }, now) => {
      const end = expiration?.getTime() ?? now;
      return { due: end - MARGIN_MS, end };
    },
  });

async function assume(client: STSClient, { roleArn, externalId }: Role): Promise<AwsCredentials> {
  const request = `AssumeRole ${roleArn}`;
  const command = new AssumeRoleCommand({
    RoleArn: roleArn,
    RoleSessionName: FIELD_MANAGER, // what CloudTrail shows
    DurationSeconds: DURATION_SECONDS,
    ...(externalId !== undefined && { ExternalId: externalId }),
  });
  try {
    const { Credentials: keys } = await client.send(command);
    const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey } = keys ?? {};
    const { SessionToken: sessionToken, Expiration: expiration } = keys ?? {};
    if (!accessKeyId || !secretAccessKey || !sessionToken || !expiration) {
      throw new ClusterError('STS gave no credentials', { kind: 'unreachable', request });
    }
    return { accessKeyId, secretAccessKey, sessionToken, expiration };
  } catch (error) {
    throw awsFailure(error, request);
  }
}
