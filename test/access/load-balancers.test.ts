// By which credentials AWS is asked for a load balancer.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadBalancerWitness } from '../../lib/access.ts';
import { systemClock } from '../../lib/clock.ts';
import { type SandboxEks, startEks } from '../../sandbox/eks.ts';
import { aLoadBalancer, HOST, interfaces, type QueryEndpoint, startQueryEndpoint } from '../elb/endpoint.ts';
import { clientsAt, LAMBDA_KEY, OTHER_ACCOUNT } from './aws.ts';

const ROLE = `arn:aws:iam::${OTHER_ACCOUNT}:role/mirror`;

let sts: SandboxEks;
let aws: QueryEndpoint;
beforeEach(async () => {
  sts = await startEks({
    clock: systemClock,
    clusters: [],
    keys: [LAMBDA_KEY],
    roles: [{ arn: ROLE, externalId: 'planted-external-id' }],
  });
  aws = await startQueryEndpoint();
  aws.set('DescribeLoadBalancers', aLoadBalancer({ subnets: ['subnet-a'] }));
  aws.set('DescribeNetworkInterfaces', interfaces([{ subnet: 'subnet-a', ip: '10.0.1.10' }]));
});
afterEach(async () => {
  await Promise.all([sts.close(), aws.close()]);
});

const open = () =>
  loadBalancerWitness({
    clients: clientsAt(sts.endpoint),
    clock: systemClock,
    region: 'eu-west-1',
    endpoints: { elasticloadbalancing: aws.url, ec2: aws.url },
  });

describe('AWS is asked for a load balancer', () => {
  it('by the credentials of this process', async () => {
    expect(await open().addresses(HOST, {})).toMatchObject({ kind: 'complete', addresses: ['10.0.1.10'] });
    expect(new Set(aws.asked.map(({ token }) => token))).toEqual(new Set([LAMBDA_KEY.sessionToken]));
    expect(sts.requests).toEqual([]);
  });

  it('by those of a role, which is assumed once', async () => {
    const witness = open();
    const access = { roleArn: ROLE, externalId: 'planted-external-id' };
    for (let look = 0; look < 2; look += 1) {
      expect(await witness.addresses(HOST, access)).toMatchObject({
        kind: 'complete',
        addresses: ['10.0.1.10'],
      });
    }
    expect(sts.requests).toEqual([`AssumeRole ${ROLE}`]);
    expect(aws.asked.map(({ scope }) => sts.keyOf(scope.split('/')[0] ?? '')?.principal)).toEqual(
      Array.from({ length: 4 }, () => ROLE),
    );
  });

  it('J2: by nobody when the role is not to be had, and the reason names it', async () => {
    expect(await open().addresses(HOST, { roleArn: ROLE })).toEqual({
      kind: 'unknown',
      why: `AssumeRole ${ROLE}: AWS answered AccessDenied (HTTP 403)`,
    });
    expect(aws.asked).toEqual([]);
  });
});
