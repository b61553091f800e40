// The query APIs of ELB and EC2 on loopback: what they say is written down by a test, what they are asked is kept.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Asked {
  readonly action: string;
  readonly parameters: Readonly<Record<string, string>>; // without action and version
  readonly version: string;
  readonly scope: string; // of the signature: `KEY/DATE/REGION/SERVICE/aws4_request` without the date
  readonly token: string | undefined; // of the session
}

export interface QueryAnswer {
  readonly status?: number; // default 200
  readonly body: string;
}

export interface QueryEndpoint {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Next answers of an action; the last one stays. Without one a request waits for ever. */
  set(action: string, ...answers: readonly QueryAnswer[]): void;
  /** May be called again. */
  close(): Promise<void>;
}

export async function startQueryEndpoint(): Promise<QueryEndpoint> {
  const asked: Asked[] = [];
  const answers = new Map<string, QueryAnswer[]>();
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const form = Object.fromEntries(new URLSearchParams(await text(incoming)));
    const { Action: action = '', Version: version = '', ...parameters } = form;
    const { authorization = '', 'x-amz-security-token': token } = incoming.headers;
    const [, key, scope] = /Credential=([^/]+)\/\d{8}\/([^,]+),/.exec(authorization) ?? [];
    asked.push({ action, version, parameters, scope: `${key}/${scope}`, token: token?.toString() });
    const rows = answers.get(action) ?? [];
    const answer = rows.length > 1 ? rows.shift() : rows[0];
    if (answer === undefined) return;
    outgoing.writeHead(answer.status ?? 200, { 'content-type': 'text/xml' }).end(answer.body);
  };
  const server = createServer((incoming, outgoing) => {
    void respond(incoming, outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  let closing: Promise<void> | undefined;
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    set: (action, ...rows) => {
      answers.set(action, [...rows]);
    },
    close: () => (closing ??= stop(server)),
  };
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

export const REGION = 'eu-central-1';
export const ID = '0123456789abcdef';
export const HOST = `k8s-gateway-${ID}.elb.${REGION}.amazonaws.com`;

interface LoadBalancerParts {
  readonly host?: string;
  readonly type?: string;
  readonly state?: string;
  readonly scheme?: string;
  readonly ipAddressType?: string;
  readonly subnets?: readonly string[];
}

/** An active internal network load balancer in two zones, unless a test says otherwise. */
export const aLoadBalancer = (parts: LoadBalancerParts = {}): QueryAnswer => {
  const { host = HOST, type = 'network', state = 'active', scheme = 'internal' } = parts;
  const { ipAddressType = 'ipv4', subnets = ['subnet-a', 'subnet-b'] } = parts;
  const zones = subnets.map(
    (subnet) =>
      `<member><LoadBalancerAddresses/><SubnetId>${subnet}</SubnetId><ZoneName>zone-of-${subnet}</ZoneName></member>`,
  );
  return {
    body: `<?xml version="1.0"?>
<DescribeLoadBalancersResponse xmlns="http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/">
  <DescribeLoadBalancersResult>
    <LoadBalancers>
      <member>
        <LoadBalancerArn>arn:aws:elasticloadbalancing:${REGION}:111111111111:loadbalancer/net/k8s-gateway/${ID}</LoadBalancerArn>
        <Scheme>${scheme}</Scheme>
        <LoadBalancerName>k8s-gateway</LoadBalancerName>
        <DNSName>${host}</DNSName>
        <Type>${type}</Type>
        <State><Code>${state}</Code></State>
        <IpAddressType>${ipAddressType}</IpAddressType>
        <AvailabilityZones>${zones.join('')}</AvailabilityZones>
      </member>
    </LoadBalancers>
  </DescribeLoadBalancersResult>
  <ResponseMetadata><RequestId>1</RequestId></ResponseMetadata>
</DescribeLoadBalancersResponse>`,
  };
};

interface InterfaceParts {
  readonly subnet: string;
  readonly ip: string; // its own
  readonly more?: readonly string[]; // further private addresses
  readonly publicIp?: string;
  readonly ipv6?: string;
}

const anInterface = ({ subnet, ip, more = [], publicIp, ipv6 }: InterfaceParts): string => {
  const association =
    publicIp === undefined ? '' : `<association><publicIp>${publicIp}</publicIp></association>`;
  const all = [ip, ...more].map(
    (one) => `<item><privateIpAddress>${one}</privateIpAddress>${one === ip ? association : ''}</item>`,
  );
  return `<item>
    <privateIpAddressesSet>${all.join('')}</privateIpAddressesSet>
    <subnetId>${subnet}</subnetId>
    <privateIpAddress>${ip}</privateIpAddress>
    ${association}
    <ipv6AddressesSet>${ipv6 === undefined ? '' : `<item><ipv6Address>${ipv6}</ipv6Address></item>`}</ipv6AddressesSet>
  </item>`;
};

/** One page of interfaces. */
export const interfaces = (parts: readonly InterfaceParts[], nextToken?: string): QueryAnswer => ({
  body: `<DescribeNetworkInterfacesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">
  <requestId>1</requestId>
  <networkInterfaceSet>${parts.map(anInterface).join('')}</networkInterfaceSet>
  ${nextToken === undefined ? '' : `<nextToken>${nextToken}</nextToken>`}
</DescribeNetworkInterfacesResponse>`,
});

/** An error of ELB. */
export const elbError = (code: string, message: string, status: number): QueryAnswer => ({
  status,
  body: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>1</RequestId></ErrorResponse>`,
});

/** An error of EC2. */
export const ec2Error = (code: string, message: string, status: number): QueryAnswer => ({
  status,
  body: `<?xml version="1.0"?><Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors><RequestID>1</RequestID></Response>`,
});
