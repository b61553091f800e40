// A deployment on this computer for the command line: dynalite with its table, a Lambda of the test, and the variables by which AWS's
// clients find both.
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, vi } from 'vitest';
import { openStack } from '../../cli/aws/open.ts';
import { tableName } from '../../cli/stack.ts';
import type { LinkDocument } from '../../lib/model/link.ts';
import { parseLink } from '../../lib/config.ts';
import { dynamoClient } from '../../lib/store/dynamo/client.ts';
import { linkKey } from '../../lib/store/dynamo/keys.ts';
import { dynamoStores, type DynamoStores } from '../../lib/store/dynamo/stores.ts';
import { startDynamoDb, type DynamoDb } from '../../sandbox/dynamodb.ts';
import { standInAccess } from '../../sandbox/stand-in.ts';
import { testClock } from '../support/clock.ts';
import { cli, NOW, type Circumstances, type Ran } from './cli.ts';
import { startTestLambda, type TestLambda } from './lambda.ts';

export const EAST = 'arn:aws:eks:eu-west-1:111122223333:cluster/east';
export const WEST = 'arn:aws:eks:eu-west-1:444455556666:cluster/west';

/** The link west between two EKS clusters. */
export const aLink = (document: Partial<LinkDocument> = {}) =>
  parseLink(
    { name: 'west', source: { eks: EAST }, target: { eks: WEST }, ...document },
    { unknown: 'refuse' },
  );

export interface Deployment {
  readonly lambda: TestLambda;
  readonly dynamo: DynamoDb;
  /** What is stored, past the command line. */
  readonly stores: DynamoStores;
  /** Puts a document as it is, sound or not, as version 3. */
  storeRaw(name: string, document: object): Promise<void>;
  /** Runs a command; words are split at blanks. */
  run(words: string, given?: Circumstances): Promise<Ran>;
}

const VARIABLES = {
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'AKIDTEST',
  AWS_SECRET_ACCESS_KEY: 'test-secret-key',
  AWS_SESSION_TOKEN: 'test-session-token',
  AWS_PROFILE: undefined,
  AWS_CONFIG_FILE: '/nowhere/config',
  AWS_SHARED_CREDENTIALS_FILE: '/nowhere/credentials',
  AWS_EC2_METADATA_DISABLED: 'true',
};

/** The deployment of stage dev, for all tests of a file. @param isKept whether tests find what former ones left; else it is emptied */
export function useDeployment({ isKept = false } = {}): Deployment {
  const parts: { lambda?: TestLambda; dynamo?: DynamoDb; stores?: DynamoStores } = {};
  const part = <K extends keyof typeof parts>(name: K): NonNullable<(typeof parts)[K]> => {
    const found = parts[name];
    if (found === undefined) throw new Error('the deployment is not up yet');
    return found;
  };
  beforeAll(async () => {
    const [lambda, dynamo] = await Promise.all([
      startTestLambda(),
      startDynamoDb({ tables: [tableName('dev')], now: () => NOW }),
    ]);
    const client = dynamoClient(standInAccess(dynamo.endpoint));
    const stores = dynamoStores({ client, table: tableName('dev'), clock: testClock(NOW) });
    Object.assign(parts, { lambda, dynamo, stores });
    const endpoints = {
      AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
      AWS_ENDPOINT_URL_LAMBDA: lambda.endpoint,
    };
    for (const [name, value] of Object.entries({ ...VARIABLES, ...endpoints })) vi.stubEnv(name, value);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await Promise.all([parts.lambda?.close(), parts.dynamo?.close()]);
  });
  beforeEach(async () => {
    if (isKept) return;
    const { links } = part('stores');
    const stored = await links.list();
    const names = [...stored.links.map(({ link }) => link.name), ...stored.broken.map(({ name }) => name)];
    for (const name of names) {
      await links.end(name);
      await links.remove(name);
    }
    part('lambda').functions.clear();
    part('lambda').refusal = undefined;
    part('lambda').invocations.length = 0;
    part('lambda').urlRequests.length = 0;
  });
  return {
    get lambda() {
      return part('lambda');
    },
    get dynamo() {
      return part('dynamo');
    },
    get stores() {
      return part('stores');
    },
    storeRaw: (name, document) => storeRaw(part('dynamo'), name, document),
    run: (words, given) =>
      cli(words.split(' '), { openStack: (place) => openStack(place, testClock(NOW)), ...given }),
  };
}

async function storeRaw({ endpoint }: DynamoDb, name: string, document: object): Promise<void> {
  const client = dynamoClient(standInAccess(endpoint));
  const Item = { ...linkKey(name), schema: 1, version: 3, document };
  await DynamoDBDocumentClient.from(client).send(new PutCommand({ TableName: tableName('dev'), Item }));
  client.destroy();
}
