// What a failed request to AWS means for a run, in words that are safe to show: nothing that AWS said is repeated as it stands.
import { ClusterError, type ClusterErrorKind } from './errors.ts';

/** What is known of an error of AWS's client. Its message may quote the signed request, and with it a session token. */
interface Facts {
  readonly name: string;
  readonly status: number | undefined; // HTTP
  readonly code: string | undefined; // of the network: ECONNREFUSED, …
  readonly message: string;
}

/** Names of errors that mean "later", whatever their HTTP status is. */
const THROTTLED = /throttl|toomanyrequests|limitexceeded|slowdown/i;

/** The credentials of this process, in the words of the services. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  CredentialsProviderError: 'this process has no AWS credentials',
  ExpiredToken: 'the AWS credentials have expired',
  ExpiredTokenException: 'the AWS credentials have expired',
  InvalidClientTokenId: 'AWS does not know the credentials',
  UnrecognizedClientException: 'AWS does not know the credentials',
  InvalidSignatureException: 'AWS does not accept the signature: the secret key or the clock is wrong',
  SignatureDoesNotMatch: 'AWS does not accept the signature: the secret key or the clock is wrong',
};

/** `User: ARN is not authorized to perform: service:Action on resource: ARN …` */
const NOT_AUTHORIZED =
  /User: (arn:[\w:/+=,.@-]{1,300}) is not authorized to perform: ([\w-]{1,40}:\w{1,60})(?: on resource: (arn:[\w:/+=,.@*-]{1,300}))?/;

/**
 * The error of a request to AWS that failed; an error that is one already stays. It has no cause, because that would carry AWS's own
 * message along.
 *
 * @param request what was asked: `DescribeCluster arn:aws:eks:…`
 * @param words what certain errors of this request mean, by their names
 */
export function awsFailure(
  error: unknown,
  request: string,
  words: Readonly<Record<string, string>> = {},
): ClusterError {
  if (error instanceof ClusterError) return error;
  const facts = factsOf(error);
  const { status } = facts;
  const message = words[facts.name] ?? CREDENTIALS[facts.name] ?? messageOf(facts);
  return new ClusterError(message, {
    kind: kindOf(facts),
    request,
    ...(status !== undefined && { status }),
  });
}

function factsOf(error: unknown): Facts {
  if (!(error instanceof Error)) return { name: 'unknown', status: undefined, code: undefined, message: '' };
  const metadata = '$metadata' in error ? error.$metadata : undefined;
  const isAnswer = typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata;
  const status =
    isAnswer && typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
  return { name: wordOf(error.name), status, code: codeOf(error), message: error.message };
}

/** The innermost code of a network error. */
function codeOf(error: Error): string | undefined {
  if ('code' in error && typeof error.code === 'string') return wordOf(error.code);
  return error.cause instanceof Error ? codeOf(error.cause) : undefined;
}

/** Names and codes are one word; anything else is not one. */
const wordOf = (text: string): string => (/^\w{1,64}$/.test(text) ? text : 'unknown');

/**
 * HTTP 429 5xx, throttling   busy          no answer: a code of the network, a timeout   unreachable
 * HTTP 4xx, credentials      denied        an answer that AWS's client does not take     unreachable
 * the request was never made denied
 */
function kindOf({ name, status, code }: Facts): ClusterErrorKind {
  if (THROTTLED.test(name) || status === 429) return 'busy';
  if (CREDENTIALS[name] !== undefined) return 'denied';
  if (status === undefined) return code !== undefined || isLate(name) ? 'unreachable' : 'denied';
  if (status >= 500) return 'busy';
  return status >= 400 ? 'denied' : 'unreachable';
}

const isLate = (name: string): boolean => name === 'TimeoutError' || name === 'AbortError';

function messageOf({ name, status, code, message }: Facts): string {
  const [, user, action, resource] = NOT_AUTHORIZED.exec(message) ?? [];
  if (user !== undefined && action !== undefined) {
    return `${user} may not ${action}${resource === undefined ? '' : ` on ${resource}`}`;
  }
  if (status === undefined) return `no answer from AWS (${code ?? name})`;
  const isUnderstood = status >= 400 && name !== 'SyntaxError';
  return isUnderstood
    ? `AWS answered ${name} (HTTP ${status})`
    : `the answer is not from AWS (HTTP ${status})`;
}
