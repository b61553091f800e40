// What the functions make of their environment: whether AWS is asked for load balancers, and where.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readEnvironment, runEnvironment } from '../../functions/environment.ts';
import { runWorld } from '../../functions/run-world.ts';
import type { RunWorld } from '../../lib/runs/world.ts';
import { aLoadBalancer, HOST, interfaces, type QueryEndpoint, startQueryEndpoint } from '../elb/endpoint.ts';
import { stubAwsEnvironment } from '../support/aws-stub.ts';

const QUEUE = 'http://127.0.0.1:9/queue';

let aws: QueryEndpoint;
beforeEach(async () => {
  aws = await startQueryEndpoint();
  stubAwsEnvironment('AWS_ENDPOINT_URL_EC2', aws.url);
  vi.stubEnv('AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2', aws.url);
  vi.stubEnv('STATE_TABLE', 'state');
  vi.stubEnv('WORK_QUEUE_URL', QUEUE);
  vi.stubEnv('TIMER_QUEUE_URL', QUEUE);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await aws.close();
});

const world = (): RunWorld => runWorld(readEnvironment(runEnvironment));

describe('LOAD_BALANCERS', () => {
  it('on: AWS is asked, by the credentials of the function', async () => {
    aws.set('DescribeLoadBalancers', aLoadBalancer({ subnets: ['subnet-a'] }));
    aws.set('DescribeNetworkInterfaces', interfaces([{ subnet: 'subnet-a', ip: '10.0.1.10' }]));
    vi.stubEnv('LOAD_BALANCERS', 'on');
    expect(await world().loadBalancers?.addresses(HOST, {})).toEqual({
      kind: 'complete',
      addresses: ['10.0.1.10'],
      zones: { '10.0.1.10': 'zone-of-subnet-a' },
    });
    expect(aws.asked.map(({ scope }) => scope)).toEqual([
      'test/eu-central-1/elasticloadbalancing/aws4_request',
      'test/eu-central-1/ec2/aws4_request',
    ]);
  });

  it('absent: it is not', () => {
    expect(world().loadBalancers).toBeUndefined();
  });

  it('anything else is a mistake', () => {
    vi.stubEnv('LOAD_BALANCERS', 'off');
    expect(world).toThrow('environment LOAD_BALANCERS: expected on, or nothing, got "off"');
  });
});
