// Who may do what: every statement of every role is written out here.
import { describe, expect, it } from 'vitest';
import { FUNCTION_NAMES } from '../../scripts/bundle/functions.ts';
import { roles } from '../../scripts/serverless/roles.ts';
import { aDeployment, EVERYTHING } from './builders.ts';
import { statementsOf, type Statement } from './statements.ts';

const TABLE = 'StateTable.Arn';
const OWN_CLUSTERS = 'arn:${AWS::Partition}:eks:*:${AWS::AccountId}:cluster/*';

const log = (group: string): Statement => ({
  effect: 'Allow',
  actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
  resources: [`${group}.Arn`],
});
const allow = (actions: readonly string[], ...resources: readonly string[]): Statement => ({
  effect: 'Allow',
  actions,
  resources,
});
const RECEIVE = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

const EXPECTED = {
  tick: [
    log('TickLogGroup'),
    allow(['dynamodb:Query'], TABLE),
    allow(['sqs:SendMessage'], 'WorkQueue.Arn', 'TimerQueue.Arn'),
  ],
  reconcile: [
    log('ReconcileLogGroup'),
    allow(
      [
        'dynamodb:Query',
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:UpdateItem',
        'dynamodb:DeleteItem',
        'dynamodb:BatchWriteItem',
      ],
      TABLE,
    ),
    allow(RECEIVE, 'WorkQueue.Arn'),
    allow(['sqs:SendMessage'], 'WorkQueue.Arn', 'TimerQueue.Arn'),
    allow(['eks:DescribeCluster'], OWN_CLUSTERS),
  ],
  refresh: [
    log('RefreshLogGroup'),
    allow(
      [
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:UpdateItem',
        'dynamodb:DeleteItem',
        'dynamodb:BatchWriteItem',
      ],
      TABLE,
    ),
    allow(RECEIVE, 'TimerQueue.Arn'),
    allow(['sqs:SendMessage'], 'WorkQueue.Arn', 'TimerQueue.Arn'),
    allow(['eks:DescribeCluster'], OWN_CLUSTERS),
  ],
  resync: [
    log('ResyncLogGroup'),
    allow(
      [
        'dynamodb:Query',
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:UpdateItem',
        'dynamodb:DeleteItem',
        'dynamodb:BatchWriteItem',
      ],
      TABLE,
    ),
    allow(['sqs:SendMessage'], 'TimerQueue.Arn'),
    allow(['eks:DescribeCluster'], OWN_CLUSTERS),
  ],
  status: [log('StatusLogGroup'), allow(['dynamodb:Query', 'dynamodb:GetItem'], TABLE)],
} as const;

const roleOf = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}Role`;

describe('a role', () => {
  it.each(FUNCTION_NAMES)('of %s allows what the function does and nothing else', (name) => {
    expect(statementsOf(roles(aDeployment())[roleOf(name)])).toEqual(EXPECTED[name]);
  });

  it('of the schedule allows to invoke tick, for this account only', () => {
    const role = roles(aDeployment())['ScheduleRole'];
    expect(statementsOf(role)).toEqual([allow(['lambda:InvokeFunction'], 'TickLambdaFunction.Arn')]);
    expect(role).toMatchObject({
      Properties: {
        AssumeRolePolicyDocument: {
          Statement: [
            {
              Principal: { Service: 'scheduler.amazonaws.com' },
              Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
            },
          ],
        },
      },
    });
  });

  it.each(FUNCTION_NAMES)('of %s is taken by Lambda only, and has a fixed name', (name) => {
    expect(roles(aDeployment())[roleOf(name)]).toMatchObject({
      Type: 'AWS::IAM::Role',
      Properties: {
        RoleName: `eks-service-mirror-test-eu-west-1-${name}`,
        AssumeRolePolicyDocument: {
          Statement: [
            { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
          ],
        },
      },
    });
  });

  it.each(['reconcile', 'refresh', 'resync'] as const)(
    'of %s reaches the clusters, roles and secrets that are named',
    (name) => {
      const { clusterArns, roleArns, secretArns, secretKeyArns } = EVERYTHING;
      const statements = statementsOf(
        roles(aDeployment({ clusterArns, roleArns, secretArns, secretKeyArns }))[roleOf(name)],
      );
      expect(statements.slice(-4)).toEqual([
        allow(['eks:DescribeCluster'], clusterArns),
        allow(['sts:AssumeRole'], roleArns),
        allow(['secretsmanager:GetSecretValue'], secretArns),
        {
          ...allow(['kms:Decrypt'], secretKeyArns),
          condition: { StringLike: { 'kms:ViaService': 'secretsmanager.*' } },
        },
      ]);
    },
  );

  it.each(['tick', 'status'] as const)('of %s reaches no cluster whatever is named', (name) => {
    const { clusterArns, roleArns, secretArns, secretKeyArns } = EVERYTHING;
    const statements = statementsOf(
      roles(aDeployment({ clusterArns, roleArns, secretArns, secretKeyArns }))[roleOf(name)],
    );
    expect(statements).toEqual(EXPECTED[name]);
  });

  it.each(FUNCTION_NAMES)('of %s lets Lambda, and not its own code, make interfaces in a VPC', (name) => {
    const { subnetIds, securityGroupIds } = EVERYTHING;
    const statements = statementsOf(roles(aDeployment({ subnetIds, securityGroupIds }))[roleOf(name)]);
    const actions = [
      'ec2:CreateNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:DeleteNetworkInterface',
      'ec2:AssignPrivateIpAddresses',
      'ec2:UnassignPrivateIpAddresses',
    ];
    const own = `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:eks-service-mirror-test-${name}`;
    expect(statements).toEqual([
      ...EXPECTED[name],
      { effect: 'Allow', actions, resources: ['*'] },
      {
        effect: 'Deny',
        actions,
        resources: ['*'],
        condition: { ArnEquals: { 'lambda:SourceFunctionArn': { 'Fn::Sub': own } } },
      },
    ]);
  });

  const LOOKS = ['elasticloadbalancing:DescribeLoadBalancers', 'ec2:DescribeNetworkInterfaces'] as const;

  it.each(['reconcile', 'refresh', 'resync'] as const)(
    'of %s looks at load balancers where the deployment may, in a VPC too',
    (name) => {
      const { subnetIds, securityGroupIds } = EVERYTHING;
      const own = (given: Readonly<Record<string, unknown>>) =>
        statementsOf(roles(aDeployment({ loadBalancers: true, ...given }))[roleOf(name)]);
      expect(own({})).toEqual([...EXPECTED[name], allow(LOOKS, '*')]);
      const denied = own({ subnetIds, securityGroupIds }).find(({ effect }) => effect === 'Deny');
      expect(denied?.actions).toEqual([
        'ec2:CreateNetworkInterface',
        'ec2:DescribeSubnets',
        'ec2:DeleteNetworkInterface',
        'ec2:AssignPrivateIpAddresses',
        'ec2:UnassignPrivateIpAddresses',
      ]);
    },
  );

  it.each(['tick', 'status'] as const)('of %s does not look at load balancers', (name) => {
    expect(statementsOf(roles(aDeployment({ loadBalancers: true }))[roleOf(name)])).toEqual(EXPECTED[name]);
  });

  it('has a right on everything only for interfaces and load balancers, where AWS knows no other', () => {
    const wide = Object.values(roles(aDeployment(EVERYTHING)))
      .flatMap(statementsOf)
      .filter(({ effect, resources }) => effect === 'Allow' && resources.includes('*'));
    expect(new Set(wide.flatMap(({ actions }) => actions.map((action) => action.split(':')[0])))).toEqual(
      new Set(['ec2', 'elasticloadbalancing']),
    );
    expect(wide).toHaveLength(FUNCTION_NAMES.length + 3);
  });

  it('has no right that is written with a wildcard', () => {
    const actions = Object.values(roles(aDeployment(EVERYTHING)))
      .flatMap(statementsOf)
      .flatMap((statement) => statement.actions);
    expect(actions.length).toBeGreaterThan(40);
    expect(actions.filter((action) => action.includes('*'))).toEqual([]);
  });
});
