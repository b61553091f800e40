// What ELB and EC2 are asked about the load balancer of a name, and what is made of their answers.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { awsLoadBalancers } from '../../lib/elb/load-balancers.ts';
import { parseLoadBalancerName } from '../../lib/elb/name.ts';
import type { Clock, LoadBalancerView } from '../../lib/ports.ts';
import {
  aLoadBalancer,
  ec2Error,
  elbError,
  HOST,
  ID,
  interfaces,
  type QueryEndpoint,
  REGION,
  startQueryEndpoint,
} from './endpoint.ts';

const [A, B] = [
  { subnet: 'subnet-a', ip: '10.0.1.10' },
  { subnet: 'subnet-b', ip: '10.0.2.10' },
];

let aws: QueryEndpoint;
beforeEach(async () => {
  aws = await startQueryEndpoint();
  aws.set('DescribeLoadBalancers', aLoadBalancer());
  aws.set('DescribeNetworkInterfaces', interfaces([A, B]));
});
afterEach(() => aws.close());

const KEYS = { accessKeyId: 'AKID', secretAccessKey: 'planted-secret', sessionToken: 'planted-session' };

const look = (
  host = HOST,
  options: { readonly clock?: Clock; readonly credentials?: () => Promise<typeof KEYS> } = {},
): Promise<LoadBalancerView | undefined> =>
  awsLoadBalancers({
    clock: systemClock,
    credentials: () => Promise.resolve(KEYS),
    endpoints: { elasticloadbalancing: aws.url, ec2: aws.url },
    ...options,
  }).addresses(host, {});

describe('the name of a network load balancer', () => {
  it.each([
    [HOST, { name: 'k8s-gateway', id: ID, region: REGION, dnsSuffix: 'amazonaws.com' }],
    [
      `a-b-${ID}.elb.cn-north-1.amazonaws.com.cn`,
      { name: 'a-b', id: ID, region: 'cn-north-1', dnsSuffix: 'amazonaws.com.cn' },
    ],
  ])('%s says which and where it is', (hostname, expected) => {
    expect(parseLoadBalancerName(hostname)).toEqual({ hostname, ...expected });
  });

  it.each([
    ['one zone of it', `eu-central-1a.${HOST}`],
    ['a classic or application load balancer', 'gateway-1234567890.eu-central-1.elb.amazonaws.com'],
    ['an internal one of these', 'internal-gateway-1234567890.eu-central-1.elb.amazonaws.com'],
    ['one in what is no region', `gateway-${ID}.elb.s3.amazonaws.com`],
    ['any other name', 'gateway.example.com'],
    ['a name that only begins like it', `${HOST}.example.com`],
  ])('is not that of %s, for which AWS is not asked', async (_, hostname) => {
    expect(await look(hostname)).toBeUndefined();
    expect(aws.asked).toEqual([]);
  });
});

describe('an active load balancer', () => {
  it('has the addresses of its interfaces, one in each zone', async () => {
    expect(await look()).toEqual({
      kind: 'complete',
      addresses: ['10.0.1.10', '10.0.2.10'],
      zones: { '10.0.1.10': 'zone-of-subnet-a', '10.0.2.10': 'zone-of-subnet-b' },
    });
  });

  it('is asked for by its name, its interfaces by what ELB writes on them, both signed for their region', async () => {
    await look();
    expect(aws.asked).toEqual([
      {
        action: 'DescribeLoadBalancers',
        version: '2015-12-01',
        parameters: { 'Names.member.1': 'k8s-gateway' },
        scope: `AKID/${REGION}/elasticloadbalancing/aws4_request`,
        token: 'planted-session',
      },
      {
        action: 'DescribeNetworkInterfaces',
        version: '2016-11-15',
        parameters: { 'Filter.1.Name': 'description', 'Filter.1.Value.1': `ELB net/k8s-gateway/${ID}` },
        scope: `AKID/${REGION}/ec2/aws4_request`,
        token: 'planted-session',
      },
    ]);
  });

  it('that faces the internet has public addresses', async () => {
    aws.set('DescribeLoadBalancers', aLoadBalancer({ scheme: 'internet-facing' }));
    aws.set(
      'DescribeNetworkInterfaces',
      interfaces([
        { ...A, publicIp: '203.0.113.1' },
        { ...B, publicIp: '203.0.113.2' },
      ]),
    );
    expect(await look()).toMatchObject({ kind: 'complete', addresses: ['203.0.113.1', '203.0.113.2'] });
  });

  it('has IPv6 addresses only where it is dual-stack', async () => {
    aws.set('DescribeNetworkInterfaces', interfaces([{ ...A, ipv6: '2001:db8::1' }, B]));
    expect(await look()).toMatchObject({ kind: 'complete', addresses: ['10.0.1.10', '10.0.2.10'] });
    aws.set('DescribeLoadBalancers', aLoadBalancer({ ipAddressType: 'dualstack' }));
    expect(await look()).toEqual({
      kind: 'complete',
      addresses: ['10.0.1.10', '2001:db8::1', '10.0.2.10'],
      zones: {
        '10.0.1.10': 'zone-of-subnet-a',
        '2001:db8::1': 'zone-of-subnet-a',
        '10.0.2.10': 'zone-of-subnet-b',
      },
    });
  });

  it('does not have the further private addresses of an interface: they are not in DNS', async () => {
    aws.set('DescribeNetworkInterfaces', interfaces([{ ...A, more: ['10.0.1.99'] }, B]));
    expect(await look()).toMatchObject({ kind: 'complete', addresses: ['10.0.1.10', '10.0.2.10'] });
  });

  it('has the interfaces of all pages', async () => {
    aws.set('DescribeNetworkInterfaces', interfaces([A], 'a&amp;b='), interfaces([B]));
    expect(await look()).toMatchObject({ kind: 'complete', addresses: ['10.0.1.10', '10.0.2.10'] });
    expect(aws.asked.at(-1)?.parameters).toMatchObject({ NextToken: 'a&b=' });
  });

  it('is unknown when its pages do not end', async () => {
    aws.set('DescribeNetworkInterfaces', interfaces([A], 'again'));
    expect(await look()).toEqual({
      kind: 'unknown',
      why: 'DescribeNetworkInterfaces: more pages than a load balancer has interfaces',
    });
  });

  it.each([
    ['a zone without an interface', 'internal', [A]],
    ['an interface without its public address', 'internet-facing', [{ ...A, publicIp: '203.0.113.1' }, B]],
  ])('is unknown with %s', async (_, scheme, rows) => {
    aws.set('DescribeLoadBalancers', aLoadBalancer({ scheme }));
    aws.set('DescribeNetworkInterfaces', interfaces(rows));
    expect(await look()).toEqual({
      kind: 'unknown',
      why: 'not every zone of the load balancer has an address yet',
    });
  });
});

describe('a load balancer that is not active', () => {
  it('is pending while AWS makes it, and has no interfaces to ask for', async () => {
    aws.set('DescribeLoadBalancers', aLoadBalancer({ state: 'provisioning' }));
    expect(await look()).toEqual({ kind: 'pending' });
    expect(aws.asked.map(({ action }) => action)).toEqual(['DescribeLoadBalancers']);
  });

  it.each(['active_impaired', 'failed'])('is unknown when it is %s', async (state) => {
    aws.set('DescribeLoadBalancers', aLoadBalancer({ state }));
    expect(await look()).toEqual({ kind: 'unknown', why: `the load balancer is ${state}` });
  });
});

describe('nothing is known', () => {
  it.each([
    [
      'of another load balancer with this name',
      { host: `k8s-gateway-ffffffffffffffff.elb.${REGION}.amazonaws.com` },
    ],
    ['of one that is none of the network', { type: 'application' }],
  ])('%s', async (_, parts) => {
    aws.set('DescribeLoadBalancers', aLoadBalancer(parts));
    expect(await look()).toEqual({
      kind: 'unknown',
      why: 'DescribeLoadBalancers: the load balancer k8s-gateway of these credentials is not the one of this name',
    });
  });

  it.each([
    [
      'when there is none',
      elbError('LoadBalancerNotFound', 'planted', 400),
      `DescribeLoadBalancers: there is no load balancer k8s-gateway in ${REGION} for these credentials`,
    ],
    [
      'without the right to ELB',
      elbError(
        'AccessDenied',
        'User: arn:aws:sts::111111111111:assumed-role/r/s is not authorized to perform: elasticloadbalancing:DescribeLoadBalancers because planted',
        403,
      ),
      'DescribeLoadBalancers: arn:aws:sts::111111111111:assumed-role/r/s may not elasticloadbalancing:DescribeLoadBalancers',
    ],
    [
      'when ELB is asked too often',
      elbError('Throttling', 'planted', 400),
      'DescribeLoadBalancers: AWS answered Throttling (HTTP 400)',
    ],
    [
      'when somebody else answers',
      { status: 502, body: '<html><br>planted</html>' },
      'DescribeLoadBalancers: the answer is not from AWS (HTTP 502)',
    ],
    [
      'of an answer that breaks off',
      { body: '<DescribeLoadBalancersResponse><DescribeLoadBalancersResult>' },
      'DescribeLoadBalancers: the answer is not from AWS (HTTP 200)',
    ],
  ])('%s', async (_, answer, why) => {
    aws.set('DescribeLoadBalancers', answer);
    expect(await look()).toEqual({ kind: 'unknown', why });
  });

  it('without the right to EC2', async () => {
    aws.set(
      'DescribeNetworkInterfaces',
      ec2Error(
        'UnauthorizedOperation',
        'You are not authorized. User: arn:aws:sts::111111111111:assumed-role/r/s is not authorized to perform: ec2:DescribeNetworkInterfaces because planted',
        403,
      ),
    );
    expect(await look()).toEqual({
      kind: 'unknown',
      why: 'DescribeNetworkInterfaces: arn:aws:sts::111111111111:assumed-role/r/s may not ec2:DescribeNetworkInterfaces',
    });
  });

  it('without credentials', async () => {
    const none = () =>
      Promise.reject(Object.assign(new Error('planted'), { name: 'CredentialsProviderError' }));
    expect(await look(HOST, { credentials: none })).toEqual({
      kind: 'unknown',
      why: 'AWS credentials: this process has no AWS credentials',
    });
    expect(aws.asked).toEqual([]);
  });

  it('when nobody answers', async () => {
    await aws.close();
    expect(await look()).toEqual({
      kind: 'unknown',
      why: 'DescribeLoadBalancers: no answer from AWS (ECONNREFUSED)',
    });
  });

  it('when the answer takes too long', async () => {
    aws.set('DescribeNetworkInterfaces');
    const slept: number[] = [];
    const reached = async (): Promise<void> => {
      while (aws.asked.length < 2) await systemClock.sleep(5);
    };
    const clock = {
      now: () => systemClock.now(),
      sleep: (ms: number) => {
        slept.push(ms);
        return reached();
      },
    };
    expect(await look(HOST, { clock })).toEqual({
      kind: 'unknown',
      why: 'no answer from AWS within 4 s',
    });
    expect(slept).toEqual([4000]);
  });
});
