// A sandbox with something in it: a stack whose clusters have Services and a gateway, a stored link, and files to look inside with.
import { appendFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseLink } from '../lib/config.ts';
import type { Clock } from '../lib/ports.ts';
import { dynamoClient } from '../lib/store/dynamo/client.ts';
import { dynamoStores } from '../lib/store/dynamo/stores.ts';
import { clusterArn } from './account.ts';
import { apiClient, type ApiClient } from './api-client.ts';
import type { StartCluster } from './clusters.ts';
import { writeInside, type Inside } from './inside.ts';
import type { Package } from './package.ts';
import type { Ports } from './ports.ts';
import { startStack, type Stack } from './stack.ts';
import { standInAccess } from './stand-in.ts';
import { arrangeExports, arrangeNamespaces } from './story/arrange.ts';
import { LINK } from './story/objects.ts';
import { startTriggers } from './triggers.ts';

export interface SessionOptions {
  readonly packaged: Package;
  readonly folder: string;
  readonly ports: Ports;
  readonly startCluster: StartCluster;
  readonly clock: Clock;
}

export interface Session {
  readonly stack: Stack;
  readonly east: ApiClient;
  readonly west: ApiClient;
  readonly inside: Inside;
  readonly logs: string; // folder
  /** From now on the schedule and the queues have the functions run. @param every seconds between two ticks */
  readonly begin: (every: number) => void;
  readonly close: () => Promise<void>;
}

/** Opens all of it, or nothing. @throws PortTaken */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { folder, clock } = options;
  await using parts = new AsyncDisposableStack();
  const logs = join(folder, 'logs');
  await rm(logs, { recursive: true, force: true });
  await mkdir(logs, { recursive: true });
  const log = (name: string, text: string): void => appendFileSync(join(logs, `${name}.log`), text);
  const stack = await startStack({ ...options, log });
  parts.defer(() => stack.close());
  const [east, west] = [apiClient(stack.east), apiClient(stack.west)];
  parts.defer(() => [east, west].forEach((client) => client.close()));
  await Promise.all([arrangeNamespaces(east), arrangeNamespaces(west)]);
  await arrangeExports(west);
  await storeLink(stack, clock);
  const inside = await writeInside(folder, [stack.east, stack.west], stack.endpoints);
  parts.defer(() => inside.remove());
  const ending = parts.move();
  return {
    stack,
    east,
    west,
    inside,
    logs,
    begin: (every) => {
      const triggers = startTriggers(stack, { clock, every, log });
      // Together: a function that runs is not waited for.
      ending.defer(async () => void (await Promise.all([triggers.close(), stack.lambda.close()])));
    },
    close: () => ending.disposeAsync(),
  };
}

/** As `eks-service-mirror link` stores it. */
async function storeLink({ dynamo, template }: Stack, clock: Clock): Promise<void> {
  const client = dynamoClient(standInAccess(dynamo.endpoint));
  try {
    const [table = ''] = template.tables;
    const { links } = dynamoStores({ client, table, clock });
    const link = parseLink(
      {
        name: LINK,
        source: { eks: clusterArn('east') },
        target: { eks: clusterArn('west') },
        firstLookDelay: 0,
        probe: { off: true }, // the gateway's addresses are made up: nobody may dial them
      },
      { unknown: 'refuse' },
    );
    await links.put(link, 0);
  } finally {
    client.destroy();
  }
}
