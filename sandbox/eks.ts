// EKS and STS on this computer, as far as access to clusters goes: DescribeCluster and AssumeRole, on loopback.
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { SandboxKey } from './eks-token.ts';

export interface SandboxCluster {
  readonly arn: string;
  readonly endpoint: string; // https://127.0.0.1:PORT
  readonly caData: string; // PEM
  readonly status?: string; // default: ACTIVE
}

export interface SandboxRole {
  readonly arn: string;
  readonly externalId?: string;
}

export interface EksOptions {
  readonly port?: number; // default: a free one
  readonly clusters: readonly SandboxCluster[];
  /** Access keys of the callers. */
  readonly keys: readonly SandboxKey[];
  /** Roles that every caller may assume. */
  readonly roles?: readonly SandboxRole[];
  readonly clock: { now(): number };
}

export interface SandboxEks {
  /** For AWS_ENDPOINT_URL_EKS and AWS_ENDPOINT_URL_STS: `http://127.0.0.1:PORT`. */
  readonly endpoint: string;
  /** What was asked, as `DescribeCluster NAME` and `AssumeRole ARN`. */
  readonly requests: readonly string[];
  /** Puts a cluster in the place of the one with its ARN. */
  setCluster(cluster: SandboxCluster): void;
  /** A key that a caller has, or that a role was given. */
  keyOf(accessKeyId: string): SandboxKey | undefined;
  /** Ends every connection. */
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly errorType?: string; // of the header by which EKS names an error
}

const SESSION_MS = 3_600_000;

/** Resolves when it answers. Rejects when the port is taken. */
export async function startEks(options: EksOptions): Promise<SandboxEks> {
  const clusters = new Map(options.clusters.map((cluster) => [cluster.arn, cluster]));
  const keys = new Map(options.keys.map((key) => [key.accessKeyId, key]));
  const requests: string[] = [];
  const { roles = [], clock } = options;
  const answerTo = async (incoming: IncomingMessage): Promise<Answer> => {
    const signer = signerOf(incoming, keys);
    const body = new URLSearchParams(await text(incoming));
    const name = /^\/clusters\/([^/?]+)$/.exec(incoming.url ?? '')?.[1];
    if (name !== undefined) {
      requests.push(`DescribeCluster ${name}`);
      return describeCluster({ name, signer, clusters: [...clusters.values()] });
    }
    requests.push(`${body.get('Action')} ${body.get('RoleArn')}`);
    return assumeRole({ body, signer, roles, keys, expiration: new Date(clock.now() + SESSION_MS) });
  };
  const server = createServer((incoming, response) => {
    answerTo(incoming).then(
      (answer) => send(response, answer),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    requests,
    setCluster: (cluster) => clusters.set(cluster.arn, cluster),
    keyOf: (accessKeyId) => keys.get(accessKeyId),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Who signed, and for which region. The signature is not checked. */
interface Signer {
  readonly account: string;
  readonly region: string;
}

function signerOf({ headers }: IncomingMessage, keys: ReadonlyMap<string, SandboxKey>): Signer | undefined {
  const form = /^AWS4-HMAC-SHA256 Credential=(\w+)\/\d{8}\/([a-z0-9-]+)\/\w+\/aws4_request,/;
  const [, accessKeyId = '', region = ''] = form.exec(headers.authorization ?? '') ?? [];
  const key = keys.get(accessKeyId);
  if (key === undefined || headers['x-amz-security-token'] !== key.sessionToken) return undefined;
  return { account: key.principal.split(':')[4] ?? '', region };
}

interface Described {
  readonly name: string;
  readonly signer: Signer | undefined;
  readonly clusters: readonly SandboxCluster[];
}

/** Sees the clusters of the signer's account and region, and no others. */
function describeCluster({ name, signer, clusters }: Described): Answer {
  if (signer === undefined)
    return eksError(403, 'UnrecognizedClientException', 'The security token is invalid.');
  const ending = `:eks:${signer.region}:${signer.account}:cluster/${name}`;
  const cluster = clusters.find(({ arn }) => arn.endsWith(ending));
  if (cluster === undefined)
    return eksError(404, 'ResourceNotFoundException', `No cluster found for name: ${name}.`);
  const { arn, endpoint, caData, status = 'ACTIVE' } = cluster;
  const certificateAuthority = { data: Buffer.from(caData).toString('base64') };
  return json(200, { cluster: { name, arn, endpoint, status, certificateAuthority } });
}

const json = (status: number, body: object): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(body),
});

const eksError = (status: number, errorType: string, message: string): Answer => ({
  ...json(status, { message }),
  errorType,
});

interface Assumed {
  readonly body: URLSearchParams;
  readonly signer: Signer | undefined;
  readonly roles: readonly SandboxRole[];
  readonly keys: Map<string, SandboxKey>;
  readonly expiration: Date;
}

function assumeRole({ body, signer, roles, keys, expiration }: Assumed): Answer {
  if (body.get('Action') !== 'AssumeRole')
    return stsError(400, 'InvalidAction', 'Only AssumeRole is known here.');
  const role = roles.find(({ arn }) => arn === body.get('RoleArn'));
  const isExternal = (role?.externalId ?? null) === body.get('ExternalId');
  if (signer === undefined || role === undefined || !isExternal) {
    return stsError(403, 'AccessDenied', 'The caller is not authorized to perform: sts:AssumeRole.');
  }
  const key = {
    accessKeyId: `ASIA${randomBytes(8).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64'),
    sessionToken: randomBytes(120).toString('base64'),
    principal: role.arn,
  };
  keys.set(key.accessKeyId, key);
  const fields = {
    AccessKeyId: key.accessKeyId,
    SecretAccessKey: key.secretAccessKey,
    SessionToken: key.sessionToken,
    Expiration: expiration.toISOString(),
  };
  return xml(
    200,
    element('AssumeRoleResponse', element('AssumeRoleResult', elements({ Credentials: elements(fields) }))),
  );
}

const element = (name: string, content: string): string => `<${name}>${content}</${name}>`;

const elements = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, content]) => element(name, content))
    .join('');

const xml = (status: number, body: string): Answer => ({ status, type: 'text/xml', body });

const stsError = (status: number, code: string, message: string): Answer =>
  xml(
    status,
    element('ErrorResponse', element('Error', elements({ Type: 'Sender', Code: code, Message: message }))),
  );

function send(response: ServerResponse, { status, type, body, errorType }: Answer): void {
  const headers = { 'Content-Type': type, 'x-amzn-RequestId': randomUUID() };
  response.writeHead(
    status,
    errorType === undefined ? headers : { ...headers, 'x-amzn-ErrorType': errorType },
  );
  response.end(body);
}
