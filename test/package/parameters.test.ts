// What a deployment may be told, and what is made of it.
import { describe, expect, it } from 'vitest';
import { InputError } from '../../lib/errors.ts';
import { deploymentOf } from '../../scripts/serverless/deployment.ts';
import { readParameters } from '../../scripts/serverless/parameters.ts';
import { aPlace, EVERYTHING, REQUIRED } from './builders.ts';

const mistakesOf = (run: () => unknown): readonly string[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof InputError) return error.mistakes;
    throw error;
  }
  return [];
};

const wrong = (given: Readonly<Record<string, unknown>>): readonly string[] =>
  mistakesOf(() => readParameters({ ...REQUIRED, ...given }));

const SUBNETS = 'subnet-0a1b2c3d4e5f60718, subnet-0a1b2c3d4e5f60719';

describe('parameters', () => {
  it('are read as what they mean', () => {
    expect(
      readParameters({
        ...REQUIRED,
        memory: '1024',
        subnetIds: SUBNETS,
        securityGroupIds: ['sg-0a1b2c3d4e5f60718'],
        dnsServers: '10.0.0.2,10.0.0.3:5353,2001:db8::53,[2001:db8::53]:53',
        roleArns: 'arn:aws:iam::111122223333:role/mirror/source-*',
      }),
    ).toEqual({
      schedule: 'rate(1 minute)',
      memory: 1024,
      timeout: 120,
      concurrency: 10,
      logLevel: 'INFO',
      logDays: 30,
      journalDays: 30,
      dnsServers: ['10.0.0.2', '10.0.0.3:5353', '2001:db8::53', '[2001:db8::53]:53'],
      subnetIds: ['subnet-0a1b2c3d4e5f60718', 'subnet-0a1b2c3d4e5f60719'],
      securityGroupIds: ['sg-0a1b2c3d4e5f60718'],
      clusterArns: [],
      roleArns: ['arn:aws:iam::111122223333:role/mirror/source-*'],
      secretArns: [],
      secretKeyArns: [],
      loadBalancers: false,
    });
  });

  it.each([
    ['schedule', 'rate(5 minutes)'],
    ['schedule', 'rate(59 minutes)'],
    ['schedule', 'rate(1 hour)'],
    ['memory', 10_240],
    ['logDays', 3653],
    ['clusterArns', 'arn:aws:eks:eu-west-1:111122223333:cluster/west'],
    ['clusterArns', 'arn:aws-us-gov:eks:us-gov-west-1:111122223333:cluster/*'],
    ['secretArns', 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:links/west-AbCdEf'],
    ['secretKeyArns', EVERYTHING.secretKeyArns],
    ['alarmTopicArn', 'arn:aws:sns:eu-west-1:111122223333:on-call'],
    ['loadBalancers', true],
    ['loadBalancers', 'false'],
  ])('%s may be %s', (name, value) => {
    expect(wrong({ [name]: value })).toEqual([]);
  });

  it.each([
    [
      'schedule',
      'rate(1 minutes)',
      'expected rate(1 minute), rate(N minutes) with N from 2 to 59, or rate(1 hour)',
    ],
    [
      'schedule',
      'rate(60 minutes)',
      'expected rate(1 minute), rate(N minutes) with N from 2 to 59, or rate(1 hour)',
    ],
    ['schedule', '', 'expected rate(1 minute), rate(N minutes) with N from 2 to 59, or rate(1 hour)'],
    ['memory', '128', 'expected a whole number from 256 to 10240'],
    ['memory', '512.5', 'expected a whole number from 256 to 10240'],
    ['memory', '0x200', 'expected a whole number from 256 to 10240'],
    ['timeout', '901', 'expected a whole number from 30 to 900'],
    ['concurrency', '1', 'expected a whole number from 2 to 1000'],
    ['logLevel', 'info', 'expected one of DEBUG, INFO, WARN, ERROR'],
    ['journalDays', '0', 'expected a whole number from 1 to 3650'],
    ['alarmTopicArn', 'on-call', 'expected the ARN of an SNS topic'],
    ['loadBalancers', 'yes', 'expected true or false'],
  ])('%s may not be "%s"', (name, value, expected) => {
    expect(wrong({ [name]: value })).toEqual([
      `${name}: ${expected}, got ${value === '' ? 'nothing' : `"${value}"`}`,
    ]);
  });

  it.each([
    ['dnsServers', 'dns.example.com', 'an IP address with or without a port'],
    ['dnsServers', '10.0.0.2:53:53', 'an IP address with or without a port'],
    ['dnsServers', '[10.0.0.2]:53', 'an IP address with or without a port'],
    ['subnetIds', 'vpc-0a1b2c3d4e5f60718', 'the ID of a subnet (subnet-…)'],
    ['securityGroupIds', 'sg-0', 'the ID of a security group (sg-…)'],
    ['clusterArns', '*', 'the ARN of an EKS cluster (* allowed in its name)'],
    ['roleArns', 'arn:aws:iam::*:role/x', 'the ARN of an IAM role (* allowed in its name)'],
    [
      'secretArns',
      'arn:aws:secretsmanager:eu-west-1:1:*',
      'the ARN of a secret in Secrets Manager (* allowed in its name)',
    ],
    ['secretKeyArns', 'alias/x', 'the ARN of a KMS key'],
  ])('%s may not hold "%s"', (name, value, expected) => {
    expect(wrong({ [name]: value })).toEqual([`${name}[0]: expected ${expected}, got "${value}"`]);
  });

  it('say which item of a list is wrong', () => {
    expect(wrong({ dnsServers: '10.0.0.2, 10.0.0.3,, x' })).toEqual([
      'dnsServers[2]: expected an IP address with or without a port, got ""',
      'dnsServers[3]: expected an IP address with or without a port, got "x"',
    ]);
  });

  it('logDays may not be what CloudWatch Logs does not know', () => {
    expect(wrong({ logDays: '10' })).toEqual([
      expect.stringMatching(/^logDays: expected one of 1, 3, 5, 7, 14, .*, got "10"$/),
    ]);
  });

  it('are all told at once when they are wrong or unknown', () => {
    expect(
      wrong({ memmory: 1, memory: 1, timeout: 'x', subnet: 'y' }).map(
        (line) => line.split(', expected', 1)[0],
      ),
    ).toEqual([
      'memory: expected a whole number from 256 to 10240, got "1"',
      'timeout: expected a whole number from 30 to 900, got "x"',
      'memmory: unknown field (did you mean memory?)',
      'subnet: unknown field',
    ]);
  });

  it.each([
    ['subnets without security groups', { subnetIds: SUBNETS }],
    ['security groups without subnets', { securityGroupIds: 'sg-0a1b2c3d4e5f60718' }],
  ])('a VPC is not half a VPC: %s', (_case, given) => {
    expect(wrong(given)).toEqual(['subnetIds and securityGroupIds: expected both or none of them, got one']);
  });
});

describe('a deployment', () => {
  it('has no VPC, no DNS servers and nobody to alarm unless it is told', () => {
    expect(deploymentOf(REQUIRED, aPlace())).toMatchObject({
      names: 'eks-service-mirror-test',
      metrics: 'eks-service-mirror',
      vpc: null,
      dns: null,
      alarmActions: [],
    });
  });

  it.each([
    ['30', 180],
    ['120', 720],
    ['900', 5400],
  ])('with %s s for a message lets it come again after %s s', (timeout, seconds) => {
    expect(deploymentOf({ ...REQUIRED, timeout }, aPlace()).visibility).toBe(seconds);
  });

  it.each([
    ['rate(1 minute)', 60],
    ['rate(7 minutes)', 420],
    ['rate(1 hour)', 3600],
  ])('knows how far its ticks are apart: %s', (schedule, seconds) => {
    expect(deploymentOf({ ...REQUIRED, schedule }, aPlace()).tickEvery).toBe(seconds);
  });

  it.each([
    ['a-stage-of-20-letter', []],
    ['a-stage-of-21-letters', ['stage: expected at most 20 characters, got 21']],
  ])('has a stage that leaves room in the names of roles: %s', (stage, expected) => {
    expect(mistakesOf(() => deploymentOf(REQUIRED, aPlace({ stage })))).toEqual(expected);
  });
});
