// Reads the packaged template as a deployment would: which functions, queues, tables, mappings, schedules and URLs there are to be.
import { resolve, type Scope } from './resolve.ts';

export interface TemplateFunction {
  readonly name: string;
  readonly arn: string;
  readonly handler: string;
  readonly archive: string; // file name of its zip
  readonly timeout: number; // seconds
  readonly memory: number; // MiB
  readonly variables: Readonly<Record<string, string>>;
}

export interface TemplateQueue {
  readonly name: string;
  readonly visibilityTimeout: number; // seconds
  readonly deadLetters?: { readonly queue: string; readonly maxReceiveCount: number };
}

export interface TemplateMapping {
  readonly queue: string;
  readonly queueArn: string;
  readonly functionName: string;
  readonly batchSize: number;
  readonly concurrency: number | undefined; // undefined: no limit
  readonly reportsFailures: boolean;
}

export interface TemplateSchedule {
  readonly ruleArn: string;
  readonly functionName: string;
  readonly every: number; // seconds
}

export interface Template {
  readonly functions: readonly TemplateFunction[];
  /** Dead letters come before the queues that they are for. */
  readonly queues: readonly TemplateQueue[];
  readonly tables: readonly string[];
  readonly mappings: readonly TemplateMapping[];
  readonly schedules: readonly TemplateSchedule[];
  /** Names of the functions that have a URL. */
  readonly urls: readonly string[];
}

export interface Place {
  readonly region: string;
  readonly account: string;
  readonly queueUrl: (name: string) => string;
}

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: string | number }>>;
}

/** CloudFormation's defaults. */
const TIMEOUT = 3;
const MEMORY = 128;
const VISIBILITY_TIMEOUT = 30;
const BATCH_SIZE = 10;

/** @param text JSON, as `serverless package` writes it @throws Error for what the sandbox cannot stand in for */
export function readTemplate(text: string, place: Place): Template {
  const document: Document = JSON.parse(text);
  const scope = scopeOf(document, place);
  const all = <T extends object>(type: string): readonly (readonly [id: string, properties: Partial<T>])[] =>
    Object.entries(document.Resources)
      .filter(([, { Type }]) => Type === type)
      .map(([id, { Properties = {} }]) => [id, Object(resolve(Properties, scope))]);
  return {
    functions: all<FunctionProperties>('AWS::Lambda::Function').map(([id, properties]) =>
      functionOf(properties, scope.attribute(id, 'Arn')),
    ),
    queues: all<QueueProperties>('AWS::SQS::Queue')
      .map(([id, properties]) => queueOf(scope.attribute(id, 'QueueName'), properties))
      .toSorted((a, b) => Number(a.deadLetters !== undefined) - Number(b.deadLetters !== undefined)),
    tables: all('AWS::DynamoDB::Table').map(([id]) => scope.ref(id)),
    mappings: all<MappingProperties>('AWS::Lambda::EventSourceMapping').map(([, properties]) =>
      mappingOf(properties),
    ),
    schedules: [
      ...all<RuleProperties>('AWS::Events::Rule').flatMap(([id, properties]) =>
        rules(properties, scope.attribute(id, 'Arn')),
      ),
      ...all<ScheduleProperties>('AWS::Scheduler::Schedule').map(([id, { ScheduleExpression, Target }]) =>
        scheduleOf(ScheduleExpression, Target?.Arn, scope.attribute(id, 'Arn')),
      ),
    ],
    urls: all<UrlProperties>('AWS::Lambda::Url').map(([, { TargetFunctionArn }]) =>
      nameIn(TargetFunctionArn),
    ),
  };
}

interface FunctionProperties {
  readonly FunctionName: string;
  readonly Handler: string;
  readonly Timeout: number;
  readonly MemorySize: number;
  readonly Code: { readonly S3Key: string };
  readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> };
}

const functionOf = (properties: Partial<FunctionProperties>, arn: string): TemplateFunction => ({
  name: nameIn(arn),
  arn,
  handler: properties.Handler ?? '',
  archive: properties.Code?.S3Key.split('/').at(-1) ?? '',
  timeout: properties.Timeout ?? TIMEOUT,
  memory: properties.MemorySize ?? MEMORY,
  variables: Object.fromEntries(
    Object.entries(properties.Environment?.Variables ?? {}).map(([name, value]) => [name, String(value)]),
  ),
});

interface QueueProperties {
  readonly VisibilityTimeout: number;
  readonly RedrivePolicy: { readonly deadLetterTargetArn: string; readonly maxReceiveCount: number };
}

const queueOf = (
  name: string,
  { VisibilityTimeout, RedrivePolicy }: Partial<QueueProperties>,
): TemplateQueue => ({
  name,
  visibilityTimeout: VisibilityTimeout ?? VISIBILITY_TIMEOUT,
  ...(RedrivePolicy !== undefined && {
    deadLetters: {
      queue: nameIn(RedrivePolicy.deadLetterTargetArn),
      maxReceiveCount: RedrivePolicy.maxReceiveCount,
    },
  }),
});

interface MappingProperties {
  readonly EventSourceArn: string;
  readonly FunctionName: string;
  readonly BatchSize: number;
  readonly FunctionResponseTypes: readonly string[];
  readonly ScalingConfig: { readonly MaximumConcurrency: number };
}

const mappingOf = (properties: Partial<MappingProperties>): TemplateMapping => ({
  queue: nameIn(properties.EventSourceArn),
  queueArn: properties.EventSourceArn ?? '',
  functionName: nameIn(properties.FunctionName),
  batchSize: properties.BatchSize ?? BATCH_SIZE,
  concurrency: properties.ScalingConfig?.MaximumConcurrency,
  reportsFailures: properties.FunctionResponseTypes?.includes('ReportBatchItemFailures') ?? false,
});

interface RuleProperties {
  readonly ScheduleExpression: string;
  readonly Targets: readonly { readonly Arn: string }[];
}

interface ScheduleProperties {
  readonly ScheduleExpression: string;
  readonly Target: { readonly Arn: string };
}

interface UrlProperties {
  readonly TargetFunctionArn: string;
}

/** A rule without a schedule waits for events that nobody here sends. */
const rules = (
  { ScheduleExpression, Targets = [] }: Partial<RuleProperties>,
  ruleArn: string,
): readonly TemplateSchedule[] =>
  ScheduleExpression === undefined
    ? []
    : Targets.map(({ Arn }) => scheduleOf(ScheduleExpression, Arn, ruleArn));

function scheduleOf(
  expression: string | undefined,
  target: string | undefined,
  ruleArn: string,
): TemplateSchedule {
  return { ruleArn, functionName: nameIn(target), every: secondsOf(expression ?? '') };
}

const UNITS = { minute: 60, hour: 3_600, day: 86_400 } as const;

function secondsOf(expression: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  if (unit === 'minute' || unit === 'hour' || unit === 'day') return Number(count) * UNITS[unit];
  throw new Error(`the template has the schedule ${expression}: the sandbox knows rates only`);
}

/** The last part of an ARN, or of a name. */
const nameIn = (arn = ''): string => arn.split(':').at(-1) ?? '';

/** What each kind of resource is called where it has no name of its own is its id: nothing else is of that name here. */
const NAMES: Readonly<Record<string, string>> = {
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::Events::Rule': 'Name',
  'AWS::Scheduler::Schedule': 'Name',
};

const ARNS: Readonly<Record<string, string>> = {
  'AWS::Lambda::Function': 'lambda:REGION:ACCOUNT:function:NAME',
  'AWS::SQS::Queue': 'sqs:REGION:ACCOUNT:NAME',
  'AWS::DynamoDB::Table': 'dynamodb:REGION:ACCOUNT:table/NAME',
  'AWS::Events::Rule': 'events:REGION:ACCOUNT:rule/NAME',
  'AWS::Scheduler::Schedule': 'scheduler:REGION:ACCOUNT:schedule/default/NAME',
  'AWS::IAM::Role': 'iam::ACCOUNT:role/NAME',
  'AWS::Logs::LogGroup': 'logs:REGION:ACCOUNT:log-group:NAME',
  'AWS::SNS::Topic': 'sns:REGION:ACCOUNT:NAME',
};

function scopeOf({ Resources, Parameters = {} }: Document, { region, account, queueUrl }: Place): Scope {
  const pseudo: Readonly<Record<string, string>> = {
    'AWS::Region': region,
    'AWS::AccountId': account,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': 'sandbox',
  };
  const resourceOf = (id: string): Resource => {
    const resource = Resources[id];
    if (resource === undefined) throw new Error(`the template refers to ${id}, which it does not have`);
    return resource;
  };
  const nameOf = (id: string): string => {
    const { Type, Properties = {} } = resourceOf(id);
    const own = Properties[NAMES[Type] ?? ''];
    return own === undefined ? id : String(resolve(own, scope));
  };
  const scope: Scope = {
    ref(id) {
      const given = pseudo[id] ?? Parameters[id]?.Default;
      if (given !== undefined) return String(given);
      return resourceOf(id).Type === 'AWS::SQS::Queue' ? queueUrl(nameOf(id)) : nameOf(id);
    },
    attribute(id, attribute) {
      if (attribute === 'QueueName') return nameOf(id);
      if (attribute === 'QueueUrl') return queueUrl(nameOf(id));
      const form = ARNS[resourceOf(id).Type];
      if (attribute !== 'Arn' || form === undefined)
        throw new Error(`the template asks for ${id}.${attribute}, which the sandbox does not know`);
      return `arn:aws:${form.replace('REGION', region).replace('ACCOUNT', account).replace('NAME', nameOf(id))}`;
    },
  };
  return scope;
}
