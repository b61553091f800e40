// The roles of the functions: who may do what, on one screen. No function has a right that it does not use.
import { FUNCTION_NAMES, type FunctionName } from '../bundle/functions.ts';
import type { Deployment } from './deployment.ts';
import { type Attributes, attributeOf, joined, logicalName } from './template.ts';

interface Statement {
  readonly Sid: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Attributes;
}

const allow = (Sid: string, Action: readonly string[], Resource: unknown): Statement => ({
  Sid,
  Effect: 'Allow',
  Action,
  Resource,
});

const state = (...operations: readonly string[]): Statement =>
  allow(
    'State',
    operations.map((operation) => `dynamodb:${operation}`),
    attributeOf('StateTable', 'Arn'),
  );

const arnsOf = (queues: readonly Queue[]): unknown[] => queues.map((queue) => attributeOf(queue, 'Arn'));
type Queue = 'WorkQueue' | 'TimerQueue';

const send = (...queues: readonly Queue[]): Statement => allow('Send', ['sqs:SendMessage'], arnsOf(queues));

/** What the event source mapping does in the function's name. */
const receive = (queue: Queue): Statement =>
  allow('Receive', ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], arnsOf([queue]));

const log = (name: FunctionName): Statement =>
  allow(
    'Log',
    ['logs:CreateLogStream', 'logs:PutLogEvents'],
    attributeOf(`${logicalName(name)}LogGroup`, 'Arn'),
  );

/** Only as a part of reading a secret. */
const decryptSecrets = (keyArns: readonly string[]): Statement => ({
  ...allow('Decrypt', ['kms:Decrypt'], keyArns),
  Condition: { StringLike: { 'kms:ViaService': 'secretsmanager.*' } },
});

/** The ways to the clusters of links. Their API servers decide by themselves what an identity may do there. */
const reachClusters = ({
  clusterArns,
  roleArns,
  secretArns,
  secretKeyArns,
}: Deployment): readonly Statement[] => [
  allow(
    'Describe',
    ['eks:DescribeCluster'],
    clusterArns.length > 0 ? clusterArns : joined('arn:${AWS::Partition}:eks:*:${AWS::AccountId}:cluster/*'),
  ),
  ...(roleArns.length > 0 ? [allow('Assume', ['sts:AssumeRole'], roleArns)] : []),
  ...(secretArns.length > 0 ? [allow('Kubeconfigs', ['secretsmanager:GetSecretValue'], secretArns)] : []),
  ...(secretKeyArns.length > 0 ? [decryptSecrets(secretKeyArns)] : []),
];

/** For links with `gateway.loadBalancer`. AWS wants these on every resource. */
const LOAD_BALANCER_LOOKS = [
  'elasticloadbalancing:DescribeLoadBalancers',
  'ec2:DescribeNetworkInterfaces',
] as const;

const lookAtLoadBalancers = ({ loadBalancers }: Deployment): readonly Statement[] =>
  loadBalancers ? [allow('LoadBalancers', LOAD_BALANCER_LOOKS, '*')] : [];

/** For Lambda itself, which makes a function's network interfaces by the function's role. AWS wants these on every resource. */
const INTERFACES = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
] as const;

/**
 * The function's own code may not: requests that it signs carry its ARN, those of Lambda do not.
 *
 * @param own what it is allowed besides, which a Deny would take away
 */
const networkInterfaces = (functionName: string, own: readonly Statement[]): readonly Statement[] => [
  allow('Interfaces', INTERFACES, '*'),
  {
    Sid: 'InterfacesByLambdaOnly',
    Effect: 'Deny',
    Action: INTERFACES.filter((action) => !own.some(({ Action }) => Action.includes(action))),
    Resource: '*',
    Condition: {
      ArnEquals: {
        'lambda:SourceFunctionArn': joined(
          `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:${functionName}`,
        ),
      },
    },
  },
];

/** A run reads its link, and the others too when its gateway is silent: whether theirs answer says whose fault it is. */
const RUNS_LINKS = ['Query', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'] as const;

const RIGHTS: Readonly<Record<FunctionName, (deployment: Deployment) => readonly Statement[]>> = {
  tick: () => [state('Query'), send('WorkQueue', 'TimerQueue')],
  reconcile: (deployment) => [
    state(...RUNS_LINKS),
    receive('WorkQueue'),
    send('WorkQueue', 'TimerQueue'),
    ...reachClusters(deployment),
    ...lookAtLoadBalancers(deployment),
  ],
  refresh: (deployment) => [
    state(...RUNS_LINKS.filter((operation) => operation !== 'Query')),
    receive('TimerQueue'),
    send('WorkQueue', 'TimerQueue'),
    ...reachClusters(deployment),
    ...lookAtLoadBalancers(deployment),
  ],
  resync: (deployment) => [
    state(...RUNS_LINKS),
    send('TimerQueue'),
    ...reachClusters(deployment),
    ...lookAtLoadBalancers(deployment),
  ],
  status: () => [state('Query', 'GetItem')],
};

const role = (name: string, service: string, statements: readonly Statement[]): Attributes => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    RoleName: name,
    AssumeRolePolicyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: service },
          Action: 'sts:AssumeRole',
          ...(service.startsWith('scheduler') && {
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          }),
        },
      ],
    },
    Policies: [{ PolicyName: 'rights', PolicyDocument: { Version: '2012-10-17', Statement: statements } }],
  },
});

/**
 * The role of every function, and that of the schedule. Names of roles hold for a whole account, so the region is a part of them; and
 * they are fixed, so that clusters can be told of them before and between deployments.
 */
export function roles(deployment: Deployment): Attributes {
  const { names, region, vpc } = deployment;
  const own = FUNCTION_NAMES.map((name) => {
    const rights = RIGHTS[name](deployment);
    const statements = [
      log(name),
      ...rights,
      ...(vpc === null ? [] : networkInterfaces(`${names}-${name}`, rights)),
    ];
    return [
      `${logicalName(name)}Role`,
      role(`${names}-${region}-${name}`, 'lambda.amazonaws.com', statements),
    ];
  });
  const invoke = allow('Invoke', ['lambda:InvokeFunction'], attributeOf('TickLambdaFunction', 'Arn'));
  const schedule = role(`${names}-${region}-schedule`, 'scheduler.amazonaws.com', [invoke]);
  return Object.fromEntries([...own, ['ScheduleRole', schedule]]);
}
