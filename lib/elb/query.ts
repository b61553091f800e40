// One signed request to a query API of AWS. Two small calls are not worth the clients of these services: that of EC2 alone would
// weigh 130 KB in every bundle.
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { parseXml, textAt, type Xml } from './xml.ts';

export interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface Query {
  readonly service: 'elasticloadbalancing' | 'ec2';
  readonly region: string;
  readonly endpoint: string; // https://…
  readonly action: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface Sending {
  readonly keys: Keys;
  readonly now: number; // ms since the epoch
  readonly signal: AbortSignal;
}

/** From the API references of the two. */
const VERSIONS = { elasticloadbalancing: '2015-12-01', ec2: '2016-11-15' } as const;

/** The answer's outermost element. Throws what fetch throws, or an error with the service's name for it, as AWS's clients do. */
export async function sendQuery(query: Query, { keys, now, signal }: Sending): Promise<Xml> {
  const { service, region, action, parameters } = query;
  const url = new URL(query.endpoint);
  const body = new URLSearchParams({ Action: action, Version: VERSIONS[service], ...parameters }).toString();
  const signer = new SignatureV4({ service, region, credentials: keys, sha256: Sha256 });
  const request = {
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    path: '/',
    headers: { host: url.host, 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    body,
  };
  const { headers } = await signer.sign(request, { signingDate: new Date(now) });
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
  const answer = parseXml(await response.text());
  if (response.ok && answer?.name === `${action}Response`) return answer;
  throw failureOf(answer, response.status);
}

/** ELB puts the error into `ErrorResponse`, EC2 into the `Errors` of a `Response`. */
function failureOf(answer: Xml | undefined, httpStatusCode: number): Error {
  const path = answer?.name === 'Response' ? ['Errors', 'Error'] : ['Error'];
  const name = textAt(answer, ...path, 'Code') || 'SyntaxError';
  const error = new Error(textAt(answer, ...path, 'Message'));
  return Object.assign(error, { name, $metadata: { httpStatusCode } });
}
