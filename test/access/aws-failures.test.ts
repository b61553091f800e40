// What errors of AWS's clients become, and that nothing of what they quote gets through.
import { describe, expect, it } from 'vitest';
import { awsFailure } from '../../lib/aws-failures.ts';
import { ClusterError } from '../../lib/errors.ts';
import { everythingOf } from './aws.ts';

const PLANTED = 'planted-secret';

interface Fields {
  readonly name?: string;
  readonly message?: string;
  readonly status?: number;
  readonly code?: string;
  readonly cause?: unknown;
}

/** An error as AWS's clients throw them, with secrets wherever they keep something. */
const anError = ({ name = 'Error', message = `says ${PLANTED}`, status, code, cause }: Fields): Error =>
  Object.assign(new Error(message, { cause }), {
    name,
    $fault: 'client',
    $response: { headers: { authorization: PLANTED } },
    ...(status !== undefined && { $metadata: { httpStatusCode: status, requestId: 'r-1' } }),
    ...(code !== undefined && { code }),
  });

const REQUEST = 'DescribeCluster arn:aws:eks:eu-central-1:111111111111:cluster/west';

describe('J2: a failed request to AWS is told without anything that was signed', () => {
  it.each([
    [
      'throttling',
      { name: 'ThrottlingException', status: 400 },
      'busy',
      'AWS answered ThrottlingException (HTTP 400)',
    ],
    [
      'too many requests',
      { name: 'TooManyRequestsException', status: 429 },
      'busy',
      'AWS answered TooManyRequestsException (HTTP 429)',
    ],
    [
      'a fault of AWS',
      { name: 'ServerException', status: 500 },
      'busy',
      'AWS answered ServerException (HTTP 500)',
    ],
    [
      'any refusal',
      { name: 'InvalidParameterException', status: 400 },
      'denied',
      'AWS answered InvalidParameterException (HTTP 400)',
    ],
    [
      'no right, not said which',
      { name: 'AccessDenied', status: 403 },
      'denied',
      'AWS answered AccessDenied (HTTP 403)',
    ],
    [
      'expired credentials',
      { name: 'ExpiredTokenException', status: 403 },
      'denied',
      'the AWS credentials have expired',
    ],
    [
      'unknown credentials',
      { name: 'UnrecognizedClientException', status: 403 },
      'denied',
      'AWS does not know the credentials',
    ],
    [
      'a wrong signature',
      { name: 'SignatureDoesNotMatch', status: 403 },
      'denied',
      'AWS does not accept the signature: the secret key or the clock is wrong',
    ],
    ['no credentials', { name: 'CredentialsProviderError' }, 'denied', 'this process has no AWS credentials'],
    ['nobody at the port', { code: 'ECONNREFUSED' }, 'unreachable', 'no answer from AWS (ECONNREFUSED)'],
    [
      'a code within',
      { cause: Object.assign(new Error(PLANTED), { code: 'ENOTFOUND' }) },
      'unreachable',
      'no answer from AWS (ENOTFOUND)',
    ],
    ['no answer in time', { name: 'TimeoutError' }, 'unreachable', 'no answer from AWS (TimeoutError)'],
    [
      'an answer of somebody else',
      { name: 'SyntaxError', status: 200 },
      'unreachable',
      'the answer is not from AWS (HTTP 200)',
    ],
    ['a request that was not made', { name: 'TypeError' }, 'denied', 'no answer from AWS (TypeError)'],
    [
      'a name that is a text',
      { name: `x ${PLANTED}`, status: 400 },
      'denied',
      'AWS answered unknown (HTTP 400)',
    ],
    ['a code that is a text', { code: `x ${PLANTED}` }, 'unreachable', 'no answer from AWS (unknown)'],
  ] as const)('%s', (_, fields, kind, message) => {
    const failure = awsFailure(anError(fields), REQUEST);
    expect(failure).toMatchObject({ kind, message, request: REQUEST });
    expect(failure.cause).toBeUndefined();
    expect(everythingOf(failure)).not.toContain(PLANTED);
  });

  it.each([
    [
      'with the resource',
      `User: arn:aws:sts::111111111111:assumed-role/lambda/f is not authorized to perform: eks:DescribeCluster on resource: arn:aws:eks:eu-central-1:111111111111:cluster/west because ${PLANTED}`,
      'arn:aws:sts::111111111111:assumed-role/lambda/f may not eks:DescribeCluster on arn:aws:eks:eu-central-1:111111111111:cluster/west',
    ],
    [
      'without one',
      `User: arn:aws:iam::111111111111:user/me is not authorized to perform: sts:AssumeRole (${PLANTED})`,
      'arn:aws:iam::111111111111:user/me may not sts:AssumeRole',
    ],
  ])('a missing right is named, %s', (_, said, message) => {
    const failure = awsFailure(
      anError({ name: 'AccessDeniedException', status: 403, message: said }),
      REQUEST,
    );
    expect(failure).toMatchObject({ kind: 'denied', message, status: 403 });
    expect(everythingOf(failure)).not.toContain(PLANTED);
  });

  it('an error may have words of its own for a request', () => {
    const error = anError({ name: 'ResourceNotFoundException', status: 404 });
    expect(awsFailure(error, REQUEST, { ResourceNotFoundException: 'there is none' }).message).toBe(
      'there is none',
    );
  });

  it('what is an error of a cluster already stays what it is', () => {
    const error = new ClusterError('as it was', { kind: 'busy', request: 'AssumeRole x' });
    expect(awsFailure(error, REQUEST)).toBe(error);
  });

  it.each([PLANTED, undefined, { message: PLANTED }])(
    'what is no error at all is told as unknown',
    (thrown) => {
      expect(everythingOf(awsFailure(thrown, REQUEST))).not.toContain(PLANTED);
      expect(awsFailure(thrown, REQUEST)).toMatchObject({
        kind: 'denied',
        message: 'no answer from AWS (unknown)',
      });
    },
  );
});
