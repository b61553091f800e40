// What is read out of a packaged template, and how its intrinsic functions are resolved.
import { describe, expect, it } from 'vitest';
import { resolve, type Scope } from '../../../sandbox/lambda/resolve.ts';
import { readTemplate } from '../../../sandbox/lambda/template.ts';

const PLACE = {
  region: 'us-east-1',
  account: '000000000000',
  queueUrl: (name: string) => `http://queues/${name}`,
};

const att = (name: string, attribute: string): object => ({ 'Fn::GetAtt': [name, attribute] });
const ref = (name: string): object => ({ Ref: name });

const RESOURCES = {
  Tick: {
    Type: 'AWS::Lambda::Function',
    Properties: {
      FunctionName: 'app-tick',
      Handler: 'dist/tick.handler',
      Timeout: 30,
      MemorySize: 256,
      Code: { S3Key: 'serverless/app/1-2/tick.zip' },
      Environment: { Variables: { STATE_TABLE: ref('Table'), WORK_QUEUE_URL: ref('Work'), DAYS: 30 } },
    },
  },
  Plain: {
    Type: 'AWS::Lambda::Function',
    Properties: { Handler: 'dist/plain.handler', Code: { S3Key: 'plain.zip' } },
  },
  Table: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'app-state' } },
  Work: {
    Type: 'AWS::SQS::Queue',
    Properties: {
      QueueName: 'app-work',
      VisibilityTimeout: 180,
      RedrivePolicy: { deadLetterTargetArn: att('Dead', 'Arn'), maxReceiveCount: 5 },
    },
  },
  Dead: { Type: 'AWS::SQS::Queue' },
  Mapping: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: {
      EventSourceArn: att('Work', 'Arn'),
      FunctionName: att('Tick', 'Arn'),
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 7 },
    },
  },
  Bare: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { EventSourceArn: att('Dead', 'Arn'), FunctionName: ref('Plain') },
  },
  Minute: {
    Type: 'AWS::Scheduler::Schedule',
    Properties: {
      Name: 'app-tick',
      ScheduleExpression: 'rate(1 minute)',
      Target: { Arn: att('Tick', 'Arn') },
    },
  },
  Rule: {
    Type: 'AWS::Events::Rule',
    Properties: { ScheduleExpression: 'rate(2 hours)', Targets: [{ Arn: att('Plain', 'Arn'), Id: 'a' }] },
  },
  Waits: { Type: 'AWS::Events::Rule', Properties: { EventPattern: {} } },
  Url: {
    Type: 'AWS::Lambda::Url',
    Properties: { AuthType: 'AWS_IAM', TargetFunctionArn: att('Tick', 'Arn') },
  },
};

const read = (resources: object) => readTemplate(JSON.stringify({ Resources: resources }), PLACE);

describe('a template', () => {
  const template = read(RESOURCES);

  it('says which functions there are, with the defaults of CloudFormation', () => {
    expect(template.functions).toStrictEqual([
      {
        name: 'app-tick',
        arn: 'arn:aws:lambda:us-east-1:000000000000:function:app-tick',
        handler: 'dist/tick.handler',
        archive: 'tick.zip',
        timeout: 30,
        memory: 256,
        variables: { STATE_TABLE: 'app-state', WORK_QUEUE_URL: 'http://queues/app-work', DAYS: '30' },
      },
      {
        name: 'Plain',
        arn: 'arn:aws:lambda:us-east-1:000000000000:function:Plain',
        handler: 'dist/plain.handler',
        archive: 'plain.zip',
        timeout: 3,
        memory: 128,
        variables: {},
      },
    ]);
  });

  it('says which queues and tables there are, dead letters first', () => {
    expect(template.queues).toStrictEqual([
      { name: 'Dead', visibilityTimeout: 30 },
      { name: 'app-work', visibilityTimeout: 180, deadLetters: { queue: 'Dead', maxReceiveCount: 5 } },
    ]);
    expect(template.tables).toStrictEqual(['app-state']);
  });

  it('says what runs the functions', () => {
    expect(template.mappings).toStrictEqual([
      {
        queue: 'app-work',
        queueArn: 'arn:aws:sqs:us-east-1:000000000000:app-work',
        functionName: 'app-tick',
        batchSize: 1,
        concurrency: 7,
        reportsFailures: true,
      },
      {
        queue: 'Dead',
        queueArn: 'arn:aws:sqs:us-east-1:000000000000:Dead',
        functionName: 'Plain',
        batchSize: 10,
        concurrency: undefined,
        reportsFailures: false,
      },
    ]);
    expect(template.schedules).toStrictEqual([
      { ruleArn: 'arn:aws:events:us-east-1:000000000000:rule/Rule', functionName: 'Plain', every: 7200 },
      {
        ruleArn: 'arn:aws:scheduler:us-east-1:000000000000:schedule/default/app-tick',
        functionName: 'app-tick',
        every: 60,
      },
    ]);
    expect(template.urls).toStrictEqual(['app-tick']);
  });

  it('takes parameters by their defaults', () => {
    const document = {
      Parameters: { Name: { Default: 'given' } },
      Resources: { T: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: ref('Name') } } },
    };
    expect(readTemplate(JSON.stringify(document), PLACE).tables).toStrictEqual(['given']);
  });

  const wrong: readonly (readonly [title: string, resources: object, message: string])[] = [
    [
      'a schedule that is no rate',
      { R: { Type: 'AWS::Scheduler::Schedule', Properties: { ScheduleExpression: 'cron(0 * * * ? *)' } } },
      'the template has the schedule cron(0 * * * ? *): the sandbox knows rates only',
    ],
    [
      'a name that it does not have',
      { M: { Type: 'AWS::Lambda::EventSourceMapping', Properties: { FunctionName: ref('Absent') } } },
      'the template refers to Absent, which it does not have',
    ],
    [
      'an attribute that is not known',
      {
        ...RESOURCES,
        M: { Type: 'AWS::Lambda::Url', Properties: { TargetFunctionArn: att('Table', 'StreamArn') } },
      },
      'the template asks for Table.StreamArn, which the sandbox does not know',
    ],
    [
      'a function that is not known',
      { T: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: { 'Fn::Select': [0, ['a']] } } } },
      'the template uses Fn::Select, which the sandbox does not know',
    ],
  ];
  it.each(wrong)('is refused with %s', (_title, resources, message) => {
    expect(() => read(resources)).toThrow(new Error(message));
  });
});

describe('an intrinsic function', () => {
  const scope: Scope = {
    ref: (name) => `<${name}>`,
    attribute: (name, attribute) => `<${name}:${attribute}>`,
  };
  const rows: readonly (readonly [given: unknown, expected: unknown])[] = [
    ['text', 'text'],
    [null, null],
    [
      [1, ref('A')],
      [1, '<A>'],
    ],
    [
      { a: { b: ref('A') }, Ref: 'kept beside others' },
      { a: { b: '<A>' }, Ref: 'kept beside others' },
    ],
    [att('A', 'Arn'), '<A:Arn>'],
    [{ 'Fn::GetAtt': 'A.B.C' }, '<A:B.C>'],
    [{ 'Fn::Join': [':', ['a', ref('B'), att('C', 'D')]] }, 'a:<B>:<C:D>'],
    [{ 'Fn::Sub': 'x-${A}-${B.Arn}-${!C}' }, 'x-<A>-<B:Arn>-${C}'],
    [{ 'Fn::Sub': ['${A}/${B}', { A: ref('Z') }] }, '<Z>/<B>'],
  ];
  it.each(rows)('%j', (given, expected) => {
    expect(resolve(given, scope)).toStrictEqual(expected);
  });
});
