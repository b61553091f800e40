// Clusters that are reached as a Lambda reaches them: by IAM behind a responder of EKS and STS, or by a kubeconfig in a secret.
import { afterEach, beforeEach } from 'vitest';
import { stringify } from 'yaml';
import {
  type AccessCache,
  type AccessOptions,
  accessCache,
  openClusters,
  type OpenedClusters,
} from '../../lib/access.ts';
import { type EmbeddedApiServer, startApiServer } from '../../sandbox/apiserver/server.ts';
import { type Certificate, selfSigned } from '../../sandbox/certificate.ts';
import { type SandboxEks, startEks } from '../../sandbox/eks.ts';
import { eksTokenReview } from '../../sandbox/eks-token.ts';
import { type Stub, startStub } from '../kube/stub.ts';
import { type ServerAccess, testApi, type TestApi } from '../support/api.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import { clientsAt, EAST, LAMBDA, LAMBDA_KEY, OTHER_ACCOUNT, SECRET_ARN, STS_HOST, WEST } from './aws.ts';

export const ROLE = `arn:aws:iam::${OTHER_ACCOUNT}:role/mirror`;
export const EXTERNAL_ID = 'planted-external-id';
export const STATIC_TOKEN = 'planted-static-token';

export interface Reached {
  readonly arn: string;
  readonly server: EmbeddedApiServer;
  readonly certificate: Certificate;
  /** Bearer tokens that it takes besides those of EKS, and whose they are. */
  readonly tokens: Map<string, string>;
  /** Its access entries. */
  readonly entries: Map<string, string>;
  readonly access: ServerAccess;
}

export interface AccessBench {
  readonly clock: TestClock;
  readonly aws: SandboxEks;
  readonly west: Reached;
  readonly east: Reached;
  /** What the secrets hold, by ARN. */
  readonly secrets: Map<string, string>;
  /** Requests to Secrets Manager. */
  readonly secretsAsked: () => number;
  readonly cache: AccessCache;
  /** The clusters of link `west`, to which a test adds what it is about; source and target are reached by IAM. */
  open(options?: Partial<AccessOptions>): Promise<OpenedClusters>;
  /** A cluster at the same ARN, in place of the one that is shut down. */
  replace(reached: Reached): Promise<Reached>;
  readonly kubeconfig: (reached: Reached, token?: string) => string;
  arrange(reached: Reached): TestApi;
}

/** A fresh bench for every test of a file. */
export const useAccessBench = (): (() => AccessBench) => {
  let bench: AccessBench;
  let endings: (() => unknown)[];
  beforeEach(async () => {
    endings = [];
    bench = await openBench((end) => endings.unshift(end));
  });
  afterEach(async () => {
    for (const end of endings) await end();
  });
  return () => bench;
};

type Later = (end: () => unknown) => void;

async function openBench(later: Later): Promise<AccessBench> {
  const clock = testClock();
  const cache = accessCache();
  const aws = await startEks({
    clock,
    clusters: [],
    keys: [LAMBDA_KEY],
    roles: [{ arn: ROLE, externalId: EXTERNAL_ID }],
  });
  later(() => aws.close());
  const start = async (arn: string, name: string): Promise<Reached> => {
    const reached = await startCluster({ arn, name, aws, clock });
    later(() => reached.server.close());
    aws.setCluster({ arn, endpoint: reached.server.url, caData: reached.certificate.cert });
    return reached;
  };
  const [west, east] = await Promise.all([start(WEST, 'west'), start(EAST, 'east')]);
  const secrets = new Map([[SECRET_ARN, kubeconfigOf(west, STATIC_TOKEN)]]);
  const stub = await startSecrets(secrets);
  later(() => stub.close());
  const clients = clientsAt(aws.endpoint, { secretsEndpoint: stub.url });
  later(() => cache.close());
  return {
    clock,
    aws,
    west,
    east,
    secrets,
    secretsAsked: () => stub.seen.length,
    cache,
    async open(options = {}) {
      const link = { name: 'west', source: { eks: EAST }, target: { eks: WEST } };
      const clusters = await openClusters({ link, clients, clock, cache, ...options });
      later(() => clusters.close());
      return clusters;
    },
    async replace({ arn, server }) {
      await server.close();
      return start(arn, 'west');
    },
    kubeconfig: (reached, token = STATIC_TOKEN) => kubeconfigOf(reached, token),
    arrange(reached) {
      const api = testApi(reached.access);
      later(() => api.close());
      return api;
    },
  };
}

interface ClusterFacts {
  readonly arn: string;
  readonly name: string;
  readonly aws: SandboxEks;
  readonly clock: TestClock;
}

async function startCluster({ arn, name, aws, clock }: ClusterFacts): Promise<Reached> {
  const certificate = selfSigned();
  const tokens = new Map([[STATIC_TOKEN, 'secret-user']]);
  const entries = new Map([
    [LAMBDA, 'lambda'],
    [ROLE, 'role'],
  ]);
  const review = eksTokenReview({
    cluster: name,
    stsHost: STS_HOST,
    keyOf: (id) => aws.keyOf(id),
    entries,
    clock,
  });
  const server = await startApiServer({
    name,
    tls: certificate,
    clock,
    serviceRange: name === 'west' ? '10.97.0.0/16' : '10.96.0.0/16',
    tokens: [{ token: 'arranger', user: 'admin' }],
    reviewToken: (token) => tokens.get(token) ?? review(token),
  });
  const access = { url: server.url, token: 'arranger', caData: certificate.cert };
  return { arn, server, certificate, tokens, entries, access };
}

/** Secrets Manager: a secret that is not there answers as AWS does. */
const startSecrets = (secrets: ReadonlyMap<string, string>): Promise<Stub> =>
  startStub(({ body }) => {
    const { SecretId: arn }: { readonly SecretId: string } = JSON.parse(body);
    const text = secrets.get(arn);
    return text === undefined
      ? { status: 400, body: { __type: 'ResourceNotFoundException', message: 'planted' } }
      : { body: { ARN: arn, SecretString: text } };
  });

const kubeconfigOf = ({ server, certificate }: Reached, token: string): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'west',
        cluster: {
          server: server.url,
          'certificate-authority-data': Buffer.from(certificate.cert).toString('base64'),
        },
      },
    ],
    users: [{ name: 'mirror', user: { token } }],
    contexts: [{ name: 'west', context: { cluster: 'west', user: 'mirror' } }],
    'current-context': 'west',
  });
