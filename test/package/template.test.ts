// `npx serverless package`, run for real and offline: the template that it compiles, and the zips.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { BUDGETS, FUNCTION_NAMES, type FunctionName } from '../../scripts/bundle/functions.ts';
import { alarms } from '../../scripts/serverless/alarms.ts';
import { deploymentOf } from '../../scripts/serverless/deployment.ts';
import { roles } from '../../scripts/serverless/roles.ts';
import { aPlace, EVERYTHING, REQUIRED } from './builders.ts';
import { aWorkshop, packaged, unpack, type Packaged, type Resource, type Workshop } from './support.ts';

/** Bundling and compiling, on a machine that does other things as well, ms. */
const PATIENCE = 180_000;

let workshop: Workshop;
let plain: Packaged; // with the parameters of serverless.yml
let full: Packaged; // with every other parameter too

beforeAll(() => {
  workshop = aWorkshop();
  plain = packaged(workshop.root);
  full = packaged(workshop.root, {
    ...EVERYTHING,
    timeout: '300',
    memory: '1024',
    concurrency: '25',
    schedule: 'rate(2 minutes)',
    logDays: '7',
    journalDays: '90',
    logLevel: 'DEBUG',
  });
}, PATIENCE);
afterAll(() => workshop.remove());

const logical = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

const propertiesOf = ({ resources }: Packaged, name: string): Readonly<Record<string, unknown>> => {
  const found = resources[name];
  if (found === undefined)
    throw new Error(`the template has no ${name}: ${Object.keys(resources).join(', ')}`);
  return found.Properties;
};

const lambda = (made: Packaged, name: FunctionName): Readonly<Record<string, unknown>> =>
  propertiesOf(made, `${logical(name)}LambdaFunction`);

const environment = z.object({
  Variables: z.record(z.string(), z.union([z.string(), z.strictObject({ Ref: z.string() })])),
});
type Variables = z.output<typeof environment>['Variables'];

const variablesOf = (made: Packaged, name: FunctionName): Variables =>
  environment.parse(lambda(made, name)['Environment']).Variables;

const ofType = ({ resources }: Packaged, type: string): [string, Resource][] =>
  Object.entries(resources).filter(([, { Type }]) => Type === type);

const everyPlaceOf = (value: unknown, key: string): unknown[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, inner]) => [
        ...(name === key ? [inner] : []),
        ...everyPlaceOf(inner, key),
      ]);

const COMMON = {
  STATE_TABLE: 'eks-service-mirror-test-state',
  POWERTOOLS_SERVICE_NAME: 'eks-service-mirror-test',
  POWERTOOLS_METRICS_NAMESPACE: 'eks-service-mirror',
  POWERTOOLS_LOG_LEVEL: 'INFO',
};
const QUEUES = { WORK_QUEUE_URL: { Ref: 'WorkQueue' }, TIMER_QUEUE_URL: { Ref: 'TimerQueue' } };

describe('the functions', () => {
  it('are the five and no other, on Node 24 and arm64', () => {
    const found = ofType(plain, 'AWS::Lambda::Function').map(([, { Properties }]) => ({
      name: Properties['FunctionName'],
      runtime: Properties['Runtime'],
      architectures: Properties['Architectures'],
      handler: Properties['Handler'],
      role: Properties['Role'],
    }));
    expect(found).toEqual(
      FUNCTION_NAMES.map((name) => ({
        name: `eks-service-mirror-test-${name}`,
        runtime: 'nodejs24.x',
        architectures: ['arm64'],
        handler: `dist/${name}.handler`,
        role: { 'Fn::GetAtt': [`${logical(name)}Role`, 'Arn'] },
      })),
    );
  });

  it.each([
    ['tick', { ...COMMON, ...QUEUES }],
    ['reconcile', { ...COMMON, ...QUEUES, JOURNAL_DAYS: '30' }],
    ['refresh', { ...COMMON, ...QUEUES, JOURNAL_DAYS: '30' }],
    ['resync', { ...COMMON, ...QUEUES, JOURNAL_DAYS: '30' }],
    ['status', COMMON],
  ] as const)('%s has the environment that it needs and nothing else', (name, expected) => {
    expect(variablesOf(plain, name)).toEqual(expected);
  });

  it.each(FUNCTION_NAMES)('%s is told the DNS servers: they tell which names it shares with whom', (name) => {
    expect(variablesOf(full, name)['DNS_SERVERS']).toBe('10.0.0.2,10.0.0.3');
    expect(variablesOf(plain, name)['DNS_SERVERS']).toBeUndefined();
  });

  it.each([
    ['tick', undefined],
    ['reconcile', 'on'],
    ['refresh', 'on'],
    ['resync', 'on'],
    ['status', undefined],
  ] as const)('%s asks AWS for load balancers only where it may', (name, expected) => {
    expect(variablesOf(full, name)['LOAD_BALANCERS']).toBe(expected);
  });

  it('take log level and days of the journal from the parameters', () => {
    expect(variablesOf(full, 'reconcile')).toMatchObject({
      POWERTOOLS_LOG_LEVEL: 'DEBUG',
      JOURNAL_DAYS: '90',
    });
  });

  it.each([
    ['tick', { MemorySize: 256, Timeout: 30 }],
    ['reconcile', { MemorySize: 512, Timeout: 120 }],
    ['refresh', { MemorySize: 512, Timeout: 120 }],
    ['resync', { MemorySize: 512, Timeout: 900 }],
    ['status', { MemorySize: 256, Timeout: 30 }],
  ] as const)('%s has %j', (name, expected) => {
    expect(lambda(plain, name)).toMatchObject(expected);
  });

  it('take memory and time from the parameters where these depend on the links', () => {
    const given = FUNCTION_NAMES.map((name) => [
      name,
      lambda(full, name)['MemorySize'],
      lambda(full, name)['Timeout'],
    ]);
    expect(given).toEqual([
      ['tick', 256, 30],
      ['reconcile', 1024, 300],
      ['refresh', 1024, 300],
      ['resync', 1024, 900],
      ['status', 256, 30],
    ]);
  });

  it('may feed their own queues where they do, and nowhere else', () => {
    const loops = FUNCTION_NAMES.map((name) => [name, lambda(plain, name)['RecursiveLoop']]);
    expect(Object.fromEntries(loops)).toEqual({
      tick: undefined,
      reconcile: 'Allow',
      refresh: 'Allow',
      resync: undefined,
      status: undefined,
    });
  });

  it('run outside of any VPC unless one is named', () => {
    for (const name of FUNCTION_NAMES) expect(lambda(plain, name)).not.toHaveProperty('VpcConfig');
    for (const name of FUNCTION_NAMES) {
      expect(lambda(full, name)['VpcConfig']).toEqual({
        SubnetIds: ['subnet-0a1b2c3d4e5f60718', 'subnet-0a1b2c3d4e5f60719'],
        SecurityGroupIds: ['sg-0a1b2c3d4e5f60718'],
      });
    }
  });

  it('are not repeated by Lambda when they were not asked by a queue', () => {
    expect(propertiesOf(plain, 'TickLambdaEvConf')).toMatchObject({
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    });
    expect(propertiesOf(plain, 'ResyncLambdaEvConf')).toMatchObject({ MaximumRetryAttempts: 0 });
  });

  it('leave no old versions behind', () => {
    expect(ofType(plain, 'AWS::Lambda::Version')).toEqual([]);
  });

  it.each(FUNCTION_NAMES)('%s logs to a group that forgets', (name) => {
    const group = (made: Packaged): unknown => propertiesOf(made, `${logical(name)}LogGroup`);
    const LogGroupName = `/aws/lambda/eks-service-mirror-test-${name}`;
    expect(group(plain)).toEqual({ LogGroupName, RetentionInDays: 30 });
    expect(group(full)).toEqual({ LogGroupName, RetentionInDays: 7 });
  });

  it('are never invoked by strangers: the URL of status asks for a signature', () => {
    expect(propertiesOf(plain, 'StatusLambdaFunctionUrl')).toMatchObject({ AuthType: 'AWS_IAM' });
    expect(ofType(plain, 'AWS::Lambda::Url')).toHaveLength(1);
    expect(ofType(plain, 'AWS::Lambda::Permission')).toEqual([]);
  });
});

describe('the queues', () => {
  it.each([
    ['Reconcile', 'WorkQueue', 1],
    ['Refresh', 'TimerQueue', 10],
  ])('%s takes from %s, %d at a time, and gives back what failed', (name, queue, BatchSize) => {
    const mapping = `${name}EventSourceMappingSQS${queue}`;
    const expected = {
      BatchSize,
      Enabled: true,
      EventSourceArn: { 'Fn::GetAtt': [queue, 'Arn'] },
      FunctionName: { 'Fn::GetAtt': [`${name}LambdaFunction`, 'Arn'] },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    };
    expect(propertiesOf(plain, mapping)).toEqual({ ...expected, ScalingConfig: { MaximumConcurrency: 10 } });
    expect(propertiesOf(full, mapping)).toEqual({ ...expected, ScalingConfig: { MaximumConcurrency: 25 } });
  });

  it('feed nobody else', () => {
    expect(ofType(plain, 'AWS::Lambda::EventSourceMapping')).toHaveLength(2);
  });

  it.each([
    ['WorkQueue', 'reconcile'],
    ['TimerQueue', 'refresh'],
  ] as const)('%s keeps a message for six timeouts of %s, whatever that is', (queue, name) => {
    for (const made of [plain, full]) {
      const timeout = Number(lambda(made, name)['Timeout']);
      expect(propertiesOf(made, queue)['VisibilityTimeout']).toBe(6 * timeout);
    }
  });

  it.each([
    ['WorkQueue', 'eks-service-mirror-test-work', 'WorkDeadLetters'],
    ['TimerQueue', 'eks-service-mirror-test-timers', 'TimerDeadLetters'],
  ])('%s is a standard queue called %s that gives up into %s', (queue, QueueName, dead) => {
    const { VisibilityTimeout, MessageRetentionPeriod, ...rest } = propertiesOf(full, queue);
    const redrive = { deadLetterTargetArn: { 'Fn::GetAtt': [dead, 'Arn'] }, maxReceiveCount: 5 };
    expect(rest).toEqual({ QueueName, SqsManagedSseEnabled: true, RedrivePolicy: redrive });
    // It is tried as often as it may be before it is too old.
    expect(Number(MessageRetentionPeriod)).toBeGreaterThan(5 * Number(VisibilityTimeout));
    expect(propertiesOf(plain, dead)).toEqual({
      QueueName: `${QueueName}-dead`,
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 14 * 86_400,
    });
  });
});

describe('the table', () => {
  it('has one key for everything, is paid by request, encrypted, can be wound back, and goes with the deployment', () => {
    expect(plain.resources['StateTable']).toEqual({
      Type: 'AWS::DynamoDB::Table',
      DeletionPolicy: 'Delete',
      UpdateReplacePolicy: 'Delete',
      Properties: {
        TableName: 'eks-service-mirror-test-state',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true },
      },
    });
  });
});

describe('the schedule', () => {
  it.each([
    ['rate(1 minute)', () => plain],
    ['rate(2 minutes)', () => full],
  ])(
    'ticks at %s sharp, and lets a tick go that cannot be delivered within a minute',
    (ScheduleExpression, made) => {
      expect(propertiesOf(made(), 'TickSchedule')).toEqual({
        Name: 'eks-service-mirror-test-tick',
        ScheduleExpression,
        FlexibleTimeWindow: { Mode: 'OFF' },
        Target: {
          Arn: { 'Fn::GetAtt': ['TickLambdaFunction', 'Arn'] },
          RoleArn: { 'Fn::GetAtt': ['ScheduleRole', 'Arn'] },
          RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 1 },
        },
      });
    },
  );
});

describe('roles and alarms', () => {
  // Both are made by functions with tests of their own; here they must arrive as they were made.
  const made = (given: Readonly<Record<string, unknown>>) =>
    deploymentOf({ ...REQUIRED, ...given }, aPlace({ region: 'us-east-1' }));

  it('arrive in the template, and nothing else grants or alarms', () => {
    const ofRoles = Object.fromEntries(ofType(plain, 'AWS::IAM::Role'));
    expect(ofRoles).toEqual(roles(made({})));
    expect(Object.fromEntries(ofType(plain, 'AWS::CloudWatch::Alarm'))).toEqual(alarms(made({})));
    const other = [
      'AWS::IAM::Policy',
      'AWS::IAM::ManagedPolicy',
      'AWS::IAM::RolePolicy',
      'AWS::SQS::QueuePolicy',
    ];
    expect(other.flatMap((type) => ofType(plain, type))).toEqual([]);
  });

  it('follow the parameters', () => {
    const parameters = { ...EVERYTHING, timeout: 300, schedule: 'rate(2 minutes)' };
    expect(Object.fromEntries(ofType(full, 'AWS::IAM::Role'))).toEqual(roles(made(parameters)));
    expect(Object.fromEntries(ofType(full, 'AWS::CloudWatch::Alarm'))).toEqual(alarms(made(parameters)));
  });

  it('refer to resources that are there', () => {
    const references = [
      ...everyPlaceOf(full.resources, 'Ref'),
      ...everyPlaceOf(full.resources, 'Fn::GetAtt').map((place) => Array.isArray(place) && place[0]),
    ].map(String);
    const missing = references.filter(
      (name) => !name.startsWith('AWS::') && full.resources[name] === undefined,
    );
    expect(references.length).toBeGreaterThan(50);
    expect(missing).toEqual([]);
  });
});

describe('what a deployment tells of itself', () => {
  it('is what the command line and the clusters need', () => {
    const { ServerlessDeploymentBucketName: _bucket, ...outputs } = plain.outputs;
    expect(Object.fromEntries(Object.entries(outputs).map(([name, { Value }]) => [name, Value]))).toEqual({
      StateTableName: { Ref: 'StateTable' },
      WorkQueueUrl: { Ref: 'WorkQueue' },
      TimerQueueUrl: { Ref: 'TimerQueue' },
      WorkDeadLettersUrl: { Ref: 'WorkDeadLetters' },
      TimerDeadLettersUrl: { Ref: 'TimerDeadLetters' },
      TickFunctionName: { Ref: 'TickLambdaFunction' },
      ReconcileFunctionName: { Ref: 'ReconcileLambdaFunction' },
      RefreshFunctionName: { Ref: 'RefreshLambdaFunction' },
      ResyncFunctionName: { Ref: 'ResyncLambdaFunction' },
      StatusFunctionName: { Ref: 'StatusLambdaFunction' },
      StatusLambdaFunctionUrl: { 'Fn::GetAtt': ['StatusLambdaFunctionUrl', 'FunctionUrl'] },
      ReconcileRoleArn: { 'Fn::GetAtt': ['ReconcileRole', 'Arn'] },
      RefreshRoleArn: { 'Fn::GetAtt': ['RefreshRole', 'Arn'] },
      ResyncRoleArn: { 'Fn::GetAtt': ['ResyncRole', 'Arn'] },
    });
  });

  it('holds no secret: the bucket of the code is closed and encrypted', () => {
    expect(propertiesOf(plain, 'ServerlessDeploymentBucket')).toMatchObject({
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
    });
  });
});

/** What Lambda gives a function besides its own variables. */
const LAMBDA = { AWS_REGION: 'eu-west-1', AWS_LAMBDA_FUNCTION_NAME: 'test' };
const URLS: Readonly<Record<string, string>> = {
  WorkQueue: 'https://sqs.eu-west-1.amazonaws.com/111122223333/work',
  TimerQueue: 'https://sqs.eu-west-1.amazonaws.com/111122223333/timers',
};

const resolved = (variables: Variables): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : (URLS[value.Ref] ?? ''),
    ]),
  );

describe('a zip', () => {
  it.each(FUNCTION_NAMES)('of %s holds its one file', (name) => {
    expect([...(plain.zips.get(name)?.files.keys() ?? [])]).toEqual([`dist/${name}.mjs`]);
  });

  it('is there for every function and for nothing else', () => {
    expect([...plain.zips.keys()].sort()).toEqual([...FUNCTION_NAMES].sort());
  });

  it.each(FUNCTION_NAMES)('of %s weighs no more than it may', (name) => {
    const bytes = plain.zips.get(name)?.bytes ?? Infinity;
    expect(bytes).toBeLessThanOrEqual(BUDGETS[name].zipKB * 1000);
    expect(bytes).toBeLessThanOrEqual(1_500_000);
  });

  it.each(FUNCTION_NAMES)('of %s starts by itself, with the environment of the template alone', (name) => {
    const zip = plain.zips.get(name);
    if (zip === undefined) throw new Error(`no zip of ${name}`);
    const folder = mkdtempSync(join(tmpdir(), 'zip-'));
    try {
      const url = pathToFileURL(join(unpack(zip, folder), `dist/${name}.mjs`)).href;
      const code = `console.log(typeof (await import(${JSON.stringify(url)})).handler)`;
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...LAMBDA, ...resolved(variablesOf(plain, name)) },
      });
      expect({ stdout, stderr }).toEqual({ stdout: 'function\n', stderr: '' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
