// How one EKS cluster is reached by IAM: its endpoint, its authority, and a bearer token, each kept while it is good.
import type { EKSClient } from '@aws-sdk/client-eks';
import { awsFailure } from '../aws-failures.ts';
import type { Clock } from '../ports.ts';
import { type Remembered, remembered } from '../remembered.ts';
import { type ClusterArn, parseClusterArn } from './arn.ts';
import type { EksClients } from './clients.ts';
import type { AwsCredentials, CredentialSource } from './credentials.ts';
import { type ClusterPlace, describeCluster } from './describe.ts';
import { assumedRole } from './role.ts';
import { eksToken, TOKEN_LIFETIME_MS } from './token.ts';

const MINUTE_MS = 60_000;
const PLACE_MS = 15 * MINUTE_MS;
const TOKEN_MS = 10 * MINUTE_MS;

/** A token is not used in the last minute of its life, nor of its credentials': the request has to arrive. */
const MARGIN_MS = MINUTE_MS;

export interface EksCluster {
  /** These throw ClusterError; no message holds a token, a key or a certificate. */
  readonly place: Remembered<ClusterPlace>;
  readonly token: Remembered<string>;
  /** Frees the sockets to AWS. */
  close(): void;
}

export interface EksAccess {
  readonly eks: string; // ARN of the cluster
  /** Absent: the credentials of this process. */
  readonly roleArn?: string | undefined;
  readonly externalId?: string | undefined;
}

/** Asks nothing yet. Throws InputError when the ARN is none. */
export function eksCluster(access: EksAccess, clients: EksClients, clock: Clock): EksCluster {
  const arn = parseClusterArn(access.eks);
  const { roleArn, externalId } = access;
  if (roleArn === undefined) {
    const client = clients.eks(arn.region);
    return clusterOf({ arn, client, credentials: ownCredentials(client), clock }, () => client.destroy());
  }
  const sts = clients.sts(arn.region);
  const credentials = assumedRole(sts, { roleArn, externalId }, clock);
  const client = clients.eks(arn.region, () => credentials.get());
  return clusterOf({ arn, client, credentials, clock }, () => {
    client.destroy();
    sts.destroy();
  });
}

interface Parts {
  readonly arn: ClusterArn;
  readonly client: EKSClient;
  readonly credentials: CredentialSource;
  readonly clock: Clock;
}

const clusterOf = (parts: Parts, close: () => void): EksCluster => ({
  place: places(parts),
  token: tokens(parts),
  close,
});

/** Those that AWS's client found in this process. */
function ownCredentials({ config }: EKSClient): CredentialSource {
  const ask = async (options?: { readonly forceRefresh: true }): Promise<AwsCredentials> => {
    try {
      return await config.credentials(options);
    } catch (error) {
      throw awsFailure(error, 'AWS credentials');
    }
  };
  return { get: () => ask(), renew: () => ask({ forceRefresh: true }) };
}

function places({ arn, client, credentials, clock }: Parts): Remembered<ClusterPlace> {
  return remembered({
    clock,
    look: async () => {
      await credentials.get(); // so that their error is told, and not what AWS's client makes of it
      return describeCluster(client, arn);
    },
    lifetime: (_, now) => ({ due: now + PLACE_MS, end: Number.POSITIVE_INFINITY }),
  });
}

function tokens({ arn, credentials, clock }: Parts): Remembered<string> {
  const signed = remembered({
    clock,
    look: async () => {
      const keys = await credentials.get();
      const now = clock.now();
      const expiry = keys.expiration?.getTime() ?? Number.POSITIVE_INFINITY;
      const due = Math.min(now + TOKEN_MS, expiry - MARGIN_MS);
      const end = Math.min(now + TOKEN_LIFETIME_MS, expiry) - MARGIN_MS;
      return { token: await eksToken(arn, keys, now), due, end };
    },
    lifetime: ({ due, end }) => ({ due, end }),
  });
  return {
    get: async () => (await signed.get()).token,
    async renew() {
      await credentials.renew();
      return (await signed.renew()).token;
    },
  };
}
