// Deployments for the tests of what is made of them.
import { type Deployment, deploymentOf, type Place } from '../../scripts/serverless/deployment.ts';

/** The parameters that have no meaning when they are absent, as serverless.yml has them. */
export const REQUIRED = {
  schedule: 'rate(1 minute)',
  memory: 512,
  timeout: 120,
  concurrency: 10,
  logLevel: 'INFO',
  logDays: 30,
  journalDays: 30,
} as const;

export const aPlace = (parts: Partial<Place> = {}): Place => ({
  service: 'eks-service-mirror',
  stage: 'test',
  region: 'eu-west-1',
  ...parts,
});

export const aDeployment = (given: Readonly<Record<string, unknown>> = {}): Deployment =>
  deploymentOf({ ...REQUIRED, ...given }, aPlace());

/** Every parameter that grants something or places something. */
export const EVERYTHING = {
  dnsServers: '10.0.0.2,10.0.0.3',
  subnetIds: 'subnet-0a1b2c3d4e5f60718,subnet-0a1b2c3d4e5f60719',
  securityGroupIds: 'sg-0a1b2c3d4e5f60718',
  clusterArns: 'arn:aws:eks:eu-west-1:111122223333:cluster/west',
  roleArns: 'arn:aws:iam::444455556666:role/mirror-target',
  secretArns: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:links/east-AbCdEf',
  secretKeyArns: 'arn:aws:kms:eu-west-1:111122223333:key/0a1b2c3d-0a1b-2c3d-4e5f-0a1b2c3d4e5f',
  loadBalancers: 'true',
  alarmTopicArn: 'arn:aws:sns:eu-west-1:111122223333:on-call',
} as const;
