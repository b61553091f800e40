// A kubeconfig in Secrets Manager: what is asked, how long the answer is kept, and what is said when there is none.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InputError } from '../../lib/errors.ts';
import { secretsClients, storedKubeconfig, type StoredKubeconfig } from '../../lib/secrets/kubeconfig.ts';
import { clientsAt, everythingOf, failureOf, LAMBDA_KEY, SECRET_ARN } from '../access/aws.ts';
import { type Reply, startStub, type Stub } from '../kube/stub.ts';
import { type TestClock, testClock } from '../support/clock.ts';

const PLANTED = 'planted-secret';

let clock: TestClock;
let reply: Reply;
let stub: Stub;
let opened: StoredKubeconfig[];

beforeEach(async () => {
  clock = testClock();
  opened = [];
  reply = { body: { SecretString: 'text one' } };
  stub = await startStub(() => reply);
});
afterEach(async () => {
  for (const secret of opened) secret.close();
  await stub.close();
});

const open = (arn = SECRET_ARN): StoredKubeconfig => {
  const secret = storedKubeconfig(arn, clientsAt(stub.url), clock);
  opened.push(secret);
  return secret;
};

/** An error as Secrets Manager answers it, with a secret in its words. */
const errorReply = (status: number, type: string, message = `says ${PLANTED}`): Reply => ({
  status,
  body: { __type: type, message },
});

describe('a kubeconfig in a secret', () => {
  it('is the text of the current version', async () => {
    expect(await open().text.get()).toBe('text one');
    expect(
      stub.seen.map(({ method, headers, body }) => [method, headers['x-amz-target'], JSON.parse(body)]),
    ).toEqual([['POST', 'secretsmanager.GetSecretValue', { SecretId: SECRET_ARN }]]);
  });

  it('is asked in the region of its ARN', async () => {
    await open('arn:aws-cn:secretsmanager:cn-north-1:111111111111:secret:west-abc123').text.get();
    expect(stub.seen[0]?.headers['authorization']).toContain('/cn-north-1/secretsmanager/aws4_request');
  });

  it('J3: is read again after five minutes', async () => {
    const { text } = open();
    await text.get();
    reply = { body: { SecretString: 'text two' } };
    clock.advance(5 * 60 - 1);
    expect(await text.get()).toBe('text one');
    clock.advance(1);
    expect(await text.get()).toBe('text two');
  });

  it('J3: is read again at once on demand', async () => {
    const { text } = open();
    await text.get();
    reply = { body: { SecretString: 'text two' } };
    expect(await text.renew()).toBe('text two');
    expect(await text.get()).toBe('text two');
  });

  it('serves on while Secrets Manager is busy', async () => {
    const { text } = open();
    await text.get();
    reply = errorReply(500, 'InternalServiceError');
    clock.advance(3600);
    expect(await text.get()).toBe('text one');
  });

  it('J2: ends when it may not be read any more, and is there again when it may', async () => {
    const { text } = open();
    await text.get();
    reply = errorReply(400, 'AccessDeniedException');
    clock.advance(5 * 60);
    expect(await failureOf(text.get())).toMatchObject({ kind: 'denied' });
    reply = { body: { SecretString: 'text two' } };
    expect(await text.get()).toBe('text two');
  });

  it('is not read before somebody wants to know', () => {
    open();
    expect(stub.seen).toEqual([]);
  });
});

describe('J2: a secret that gives no kubeconfig is told without what is in it', () => {
  const right = `User: arn:aws:sts::111111111111:assumed-role/lambda/f is not authorized to perform: secretsmanager:GetSecretValue on resource: ${SECRET_ARN} ${PLANTED}`;
  it.each<readonly [string, Reply, string, string]>([
    ['no text', { body: {} }, 'denied', 'expected the text of a kubeconfig, got nothing'],
    [
      'an empty text',
      { body: { SecretString: ' \n' } },
      'denied',
      'expected the text of a kubeconfig, got nothing',
    ],
    [
      'binary data',
      { body: { SecretBinary: Buffer.from(PLANTED).toString('base64') } },
      'denied',
      'expected the text of a kubeconfig, got binary data',
    ],
    [
      'no such secret',
      errorReply(400, 'ResourceNotFoundException'),
      'denied',
      'there is no such secret, or it has no current value',
    ],
    [
      'one that is being deleted',
      errorReply(400, 'InvalidRequestException'),
      'denied',
      'the secret cannot be read now: it may be marked for deletion',
    ],
    [
      'a key that may not be used',
      errorReply(400, 'DecryptionFailure'),
      'denied',
      'the secret cannot be decrypted: the KMS key of it may not be used',
    ],
    [
      'no right to read it',
      errorReply(400, 'AccessDeniedException', right),
      'denied',
      `arn:aws:sts::111111111111:assumed-role/lambda/f may not secretsmanager:GetSecretValue on ${SECRET_ARN}`,
    ],
    [
      'throttling',
      errorReply(400, 'ThrottlingException'),
      'busy',
      'AWS answered ThrottlingException (HTTP 400)',
    ],
    [
      'a fault',
      errorReply(500, 'InternalServiceError'),
      'busy',
      'AWS answered InternalServiceError (HTTP 500)',
    ],
    [
      "a proxy's page",
      { status: 502, body: `<html>${PLANTED}</html>` },
      'busy',
      'the answer is not from AWS (HTTP 502)',
    ],
    [
      'an answer that is none',
      { body: `{"SecretString": "${PLANTED}` },
      'unreachable',
      'the answer is not from AWS (HTTP 200)',
    ],
    ['a connection that ends', { fault: 'cut' }, 'unreachable', 'no answer from AWS (ECONNRESET)'],
  ])('%s', async (_, answer, kind, message) => {
    reply = answer;
    const failure = await failureOf(open().text.get());
    expect(failure).toMatchObject({ kind, message, request: `GetSecretValue ${SECRET_ARN}` });
    for (const secret of [PLANTED, LAMBDA_KEY.secretAccessKey, LAMBDA_KEY.sessionToken]) {
      expect(everythingOf(failure)).not.toContain(secret);
    }
  });

  it.each([
    '',
    'west',
    'arn:aws:secretsmanager:eu-central-1:111111111111:parameter:west',
    `arn:aws:ssm:x:111111111111:secret:west`,
  ])('an ARN that is none: "%s"', (arn) => {
    const attempt = () => storedKubeconfig(arn, secretsClients(), clock);
    expect(attempt).toThrow(InputError);
    expect(attempt).toThrow(/^secret: expected the ARN of a secret \(.*\), got "/);
  });
});

it('the client of the product asks in the region that it is made for', async () => {
  const client = secretsClients().secrets('eu-central-1');
  expect(await client.config.region()).toBe('eu-central-1');
  client.destroy();
});
