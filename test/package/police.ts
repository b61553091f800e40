// Stands between a function and AWS, and lets through what the function's role allows: everything else is answered as AWS does.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Statement } from './statements.ts';

/** One request, in the words of policies. */
export interface Deed {
  readonly action: string; // dynamodb:Query
  /** What it is done to, as statements name it: `WorkQueue.Arn`, or an ARN. */
  readonly resource: string;
}

export interface Police {
  readonly endpoint: string;
  /** What was done so far, each once, as `action resource`; sorted. */
  done(): readonly string[];
  /** What was refused so far. */
  refused(): readonly string[];
  close(): Promise<void>;
}

export interface PoliceOptions {
  readonly statements: readonly Statement[];
  /** Where the services really are. */
  readonly behind: Readonly<Record<'dynamodb' | 'sqs' | 'eks', string>>;
  /** What statements call tables and queues, by their names. */
  readonly names: Readonly<Record<string, string>>;
  /** ARN of a cluster by its name. */
  readonly clusterArn: (name: string) => string;
}

export async function startPolice(options: PoliceOptions): Promise<Police> {
  const deeds = { done: new Set<string>(), refused: new Set<string>() };
  const server = createServer((incoming, answer) => {
    void patrol({ incoming, answer }, options, deeds);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${portOf(server.address())}`,
    done: () => [...deeds.done].sort(),
    refused: () => [...deeds.refused].sort(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const portOf = (address: string | AddressInfo | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0;

interface Meeting {
  readonly incoming: IncomingMessage;
  readonly answer: ServerResponse;
}

async function patrol(
  { incoming, answer }: Meeting,
  options: PoliceOptions,
  deeds: { readonly done: Set<string>; readonly refused: Set<string> },
): Promise<void> {
  const body = await text(incoming);
  const { service, deed } = readDeed(incoming, body, options);
  const line = `${deed.action} ${deed.resource}`;
  if (!allows(options.statements, deed)) {
    deeds.refused.add(line);
    answer.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
    answer.end(
      JSON.stringify({ __type: 'AccessDeniedException', message: `not authorized to perform: ${line}` }),
    );
    return;
  }
  deeds.done.add(line);
  const { method, url, headers } = incoming;
  const onward = request(new URL(url ?? '/', options.behind[service]), { method, headers }, (reply) => {
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(answer);
  });
  onward.on('error', () => answer.destroy());
  onward.end(body);
}

/** Sending a batch needs the same right as sending one (API reference of SQS). */
const RIGHTS: Readonly<Record<string, string>> = { 'sqs:SendMessageBatch': 'sqs:SendMessage' };

function readDeed(
  { headers, url = '' }: IncomingMessage,
  body: string,
  { names, clusterArn }: PoliceOptions,
): { service: keyof PoliceOptions['behind']; deed: Deed } {
  const [, target = '', operation = ''] =
    /^([A-Za-z]+)(?:_\d+)?\.(\w+)$/.exec(String(headers['x-amz-target'])) ?? [];
  if (target === 'DynamoDB' || target === 'AmazonSQS') {
    const service = target === 'DynamoDB' ? 'dynamodb' : 'sqs';
    const action = `${service}:${operation}`;
    return {
      service,
      deed: { action: RIGHTS[action] ?? action, resource: names[nameIn(body)] ?? nameIn(body) },
    };
  }
  const [, cluster] = /^\/clusters\/([^/?]+)$/.exec(url) ?? [];
  if (cluster !== undefined)
    return { service: 'eks', deed: { action: 'eks:DescribeCluster', resource: clusterArn(cluster) } };
  const form = new URLSearchParams(body);
  return {
    service: 'eks',
    deed: { action: `sts:${form.get('Action') ?? 'unknown'}`, resource: form.get('RoleArn') ?? '' },
  };
}

/** The table or queue that a request is about: the one in it, for no request here is about two. */
function nameIn(body: string): string {
  const { TableName, QueueUrl, RequestItems = {} }: Readonly<Record<string, unknown>> = JSON.parse(body);
  if (typeof TableName === 'string') return TableName;
  if (typeof QueueUrl === 'string') return QueueUrl.split('/').at(-1) ?? '';
  return Object.keys(Object(RequestItems)).join();
}

const allows = (statements: readonly Statement[], { action, resource }: Deed): boolean =>
  statements.some(
    ({ effect, actions, resources }) =>
      effect === 'Allow' &&
      actions.includes(action) &&
      resources.some((pattern) => covers(pattern, resource)),
  );

/** Policies know `*`, and the template what stands for partition and account. */
export function covers(pattern: string, resource: string): boolean {
  const words = pattern
    .replaceAll('${AWS::Partition}', 'aws')
    .replaceAll('${AWS::AccountId}', '000000000000');
  const form = words.split('*').map((part) => part.replace(/[^\w]/g, '\\$&'));
  return new RegExp(`^${form.join('.*')}$`).test(resource);
}
