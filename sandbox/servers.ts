// The servers that the functions talk to: two clusters, names, and the stand-ins of AWS.
import type { Clock } from '../lib/ports.ts';
import { KEY } from './account.ts';
import type { SandboxCluster, StartCluster } from './clusters.ts';
import { startDnsServer, type DnsServer } from './dns/server.ts';
import { startDynamoDb, type DynamoDb } from './dynamodb.ts';
import { startEks, type SandboxEks } from './eks.ts';
import type { Ports } from './ports.ts';
import { startSqs, type Sqs } from './sqs.ts';

export interface Servers {
  readonly east: SandboxCluster; // the source cluster
  readonly west: SandboxCluster; // the target cluster
  readonly eks: SandboxEks;
  readonly dns: DnsServer;
  readonly dynamo: DynamoDb;
  readonly sqs: Sqs;
}

export interface ServerOptions {
  readonly ports: Ports;
  readonly startCluster: StartCluster;
  readonly clock: Clock;
}

/** @param parts gets what is to be ended @throws PortTaken */
export async function startServers(
  { ports, startCluster, clock }: ServerOptions,
  parts: AsyncDisposableStack,
): Promise<Servers> {
  const kept = async <T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    const part = await starting;
    parts.defer(() => part.close());
    return part;
  };
  const eks = await kept(
    ports.open('EKS and STS stand-in', (port) => startEks({ port, clusters: [], keys: [KEY], clock })),
  );
  const cluster = (name: 'east' | 'west', serviceRange: string): Promise<SandboxCluster> =>
    kept(
      ports.open(`API server of ${name}`, (port) => startCluster({ name, serviceRange, port, eks, clock })),
    );
  return {
    eks,
    east: await cluster('east', '10.96.0.0/16'),
    west: await cluster('west', '10.97.0.0/16'),
    dns: await kept(ports.open('DNS server', (port) => startDnsServer({ port }))),
    dynamo: await kept(ports.open('DynamoDB stand-in', (port) => startDynamoDb({ port }))),
    sqs: await kept(ports.open('SQS stand-in', (port) => startSqs({ port }))),
  };
}
