// Reads the text of a kubeconfig from Secrets Manager, and reads it again every few minutes: tokens in it are rotated.
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { awsFailure } from '../aws-failures.ts';
import { ClusterError, InputError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import { type Remembered, remembered } from '../remembered.ts';
import { quoted } from '../wording.ts';

/** How long a text is used before it is read again, ms. */
const KEPT_MS = 5 * 60_000;

/** An endpoint that cannot be reached (a VPC without a way out) is told after some ten seconds. */
const LIMITS = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true }, // ms
} as const;

/** What certain answers mean, in the order of GetSecretValue's own list of errors. */
const WORDS: Readonly<Record<string, string>> = {
  DecryptionFailure: 'the secret cannot be decrypted: the KMS key of it may not be used',
  InvalidRequestException: 'the secret cannot be read now: it may be marked for deletion',
  ResourceNotFoundException: 'there is no such secret, or it has no current value',
};

export interface SecretsClients {
  secrets(region: string): SecretsManagerClient;
}

/** Clients by the usual configuration of AWS. */
export const secretsClients = (): SecretsClients => ({
  secrets: (region) => new SecretsManagerClient({ ...LIMITS, region }),
});

export interface StoredKubeconfig {
  /** Throws ClusterError; no message holds anything of the secret. */
  readonly text: Remembered<string>;
  /** Frees the sockets to AWS. */
  close(): void;
}

/** @param arn of the secret. Asks nothing yet. Throws InputError when it is no ARN of a secret. */
export function storedKubeconfig(arn: string, clients: SecretsClients, clock: Clock): StoredKubeconfig {
  const region = /^arn:[a-z-]+:secretsmanager:([a-z0-9-]+):\d{12}:secret:\S+$/.exec(arn)?.[1];
  if (region === undefined) {
    const expected = 'expected the ARN of a secret (arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME)';
    throw new InputError([`secret: ${expected}, got ${quoted(arn)}`]);
  }
  const client = clients.secrets(region);
  const text = remembered({
    clock,
    look: () => read(client, arn),
    lifetime: (_, now) => ({ due: now + KEPT_MS, end: Number.POSITIVE_INFINITY }),
  });
  return { text, close: () => client.destroy() };
}

async function read(client: SecretsManagerClient, arn: string): Promise<string> {
  const request = `GetSecretValue ${arn}`;
  try {
    const { SecretString: text, SecretBinary: bytes } = await client.send(
      new GetSecretValueCommand({ SecretId: arn }),
    );
    if (text !== undefined && text.trim() !== '') return text;
    const got = bytes === undefined ? 'nothing' : 'binary data';
    throw new ClusterError(`expected the text of a kubeconfig, got ${got}`, { kind: 'denied', request });
  } catch (error) {
    throw awsFailure(error, request, WORDS);
  }
}
