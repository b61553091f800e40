// A whole deployment on loopback for the real handlers: two API servers behind IAM, EKS, DynamoDB, SQS and DNS, and the environment
// that the functions would have.
import { selfSigned } from '../../sandbox/certificate.ts';
import { type EmbeddedApiServer, startApiServer } from '../../sandbox/apiserver/server.ts';
import { type DnsServer, startDnsServer } from '../../sandbox/dns/server.ts';
import { type DynamoDb, startDynamoDb } from '../../sandbox/dynamodb.ts';
import { startEks } from '../../sandbox/eks.ts';
import { eksTokenReview, type SandboxKey } from '../../sandbox/eks-token.ts';
import { type Sqs, startSqs } from '../../sandbox/sqs.ts';
import { systemClock } from '../../lib/clock.ts';
import type { LinkDocument } from '../../lib/model/link.ts';
import type { LinkStore } from '../../lib/ports.ts';
import { dynamoClient } from '../../lib/store/dynamo/client.ts';
import { dynamoStores } from '../../lib/store/dynamo/stores.ts';
import { testApi, type TestApi } from './api.ts';
import { aGateway, aNamespace } from './builders.ts';
import { linkOf } from './lab.ts';

const REGION = 'eu-central-1';
const TABLE = 'state';
const ADMIN = 'arranger-token';
const KEY: SandboxKey = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'not-a-secret',
  principal: 'arn:aws:iam::000000000000:role/eks-service-mirror',
};

export const arnOf = (cluster: string): string => `arn:aws:eks:${REGION}:000000000000:cluster/${cluster}`;

export interface Stack {
  readonly servers: { readonly source: EmbeddedApiServer; readonly target: EmbeddedApiServer };
  readonly source: TestApi;
  readonly target: TestApi;
  readonly dns: DnsServer;
  readonly sqs: Sqs;
  readonly dynamo: DynamoDb;
  readonly links: LinkStore;
  /** What the functions find in their environment. */
  readonly environment: Readonly<Record<string, string>>;
  store(document: Partial<LinkDocument>): Promise<void>;
  close(): Promise<void>;
}

const startCluster = async (
  name: string,
  serviceRange: string,
  keyOf: (id: string) => SandboxKey | undefined,
) => {
  const { key, cert } = selfSigned(name);
  return startApiServer({
    name,
    serviceRange,
    tls: { key, cert },
    mirroringController: name === 'east',
    tokens: [{ token: ADMIN, user: 'admin' }],
    reviewToken: eksTokenReview({
      cluster: name,
      stsHost: `sts.${REGION}.amazonaws.com`,
      keyOf,
      entries: new Map([[KEY.principal, 'eks-service-mirror']]),
      clock: systemClock,
    }),
  }).then((server) => ({ server, cert }));
};

/** @param awsTime ms since the epoch; what DynamoDB's answers say. Default: the real time. */
export const startStack = async (awsTime?: () => number): Promise<Stack> => {
  const keys = new Map([[KEY.accessKeyId, KEY]]);
  const keyOf = (id: string): SandboxKey | undefined => keys.get(id);
  const [east, west, dns, dynamo, sqs] = await Promise.all([
    startCluster('east', '10.96.0.0/16', keyOf),
    startCluster('west', '10.97.0.0/16', keyOf),
    startDnsServer({}),
    startDynamoDb({ tables: [TABLE], ...(awsTime === undefined ? {} : { now: awsTime }) }),
    startSqs(),
  ]);
  const eks = await startEks({
    clock: systemClock,
    keys: [KEY],
    clusters: [
      { arn: arnOf('east'), endpoint: east.server.url, caData: east.cert },
      { arn: arnOf('west'), endpoint: west.server.url, caData: west.cert },
    ],
  });
  const [WORK_QUEUE_URL, TIMER_QUEUE_URL] = await Promise.all([
    sqs.createQueue({ name: 'work', visibilityTimeout: 30 }),
    sqs.createQueue({ name: 'timers', visibilityTimeout: 30 }),
  ]);
  const environment = {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: KEY.accessKeyId,
    AWS_SECRET_ACCESS_KEY: KEY.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
    AWS_ENDPOINT_URL_EKS: eks.endpoint,
    AWS_ENDPOINT_URL_STS: eks.endpoint,
    STATE_TABLE: TABLE,
    WORK_QUEUE_URL,
    TIMER_QUEUE_URL,
    DNS_SERVERS: dns.address,
    POWERTOOLS_SERVICE_NAME: 'eks-service-mirror',
    POWERTOOLS_METRICS_NAMESPACE: 'EksServiceMirror',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    POWERTOOLS_METRICS_DISABLED: 'true',
  };
  const client = dynamoClient({
    endpoint: dynamo.endpoint,
    region: REGION,
    credentials: { accessKeyId: KEY.accessKeyId, secretAccessKey: KEY.secretAccessKey },
  });
  const { links } = dynamoStores({ client, table: TABLE, clock: systemClock });
  const apis = {
    source: testApi({ url: east.server.url, token: ADMIN, caData: east.cert }),
    target: testApi({ url: west.server.url, token: ADMIN, caData: west.cert }),
  };
  for (const name of ['shop', 'linkerd-multicluster']) {
    await Promise.all([apis.source, apis.target].map((api) => api.create('Namespace', aNamespace(name))));
  }
  await apis.target.create('Service', aGateway());
  return {
    servers: { source: east.server, target: west.server },
    ...apis,
    dns,
    sqs,
    dynamo,
    links,
    environment,
    store: async (document) => {
      const link = linkOf({ source: { eks: arnOf('east') }, target: { eks: arnOf('west') }, ...document });
      if (!(await links.put(link, 0))) throw new Error(`link ${link.name} is stored already`);
    },
    close: async () => {
      client.destroy();
      await Promise.all([apis.source.close(), apis.target.close()]);
      await Promise.all([east, west].map(({ server }) => server.close()));
      await Promise.all([dns.close(), dynamo.close(), sqs.close(), eks.close()]);
    },
  };
};
