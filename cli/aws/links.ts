// The stored links of a deployment, in its DynamoDB table.
import type { GatewayState } from '../../lib/model/gateway.ts';
import type { Clock } from '../../lib/ports.ts';
import { dynamoClient } from '../../lib/store/dynamo/client.ts';
import { dynamoStores } from '../../lib/store/dynamo/stores.ts';
import type { Stack } from '../stack.ts';
import { stackFailure } from './failures.ts';

export interface LinksPlace {
  readonly stage: string;
  readonly region: string;
  readonly table: string;
  readonly clock: Clock;
}

export interface StackLinks {
  readonly links: Stack['links'];
  readonly gatewayAddresses: Stack['gatewayAddresses'];
  close(): void;
}

/** Those that are not on their way out. */
const addressesIn = (state: GatewayState | undefined): readonly string[] => [
  ...new Set([
    ...Object.entries(state?.literals ?? {}).flatMap(([ip, { departedAt }]) =>
      departedAt === undefined ? [ip] : [],
    ),
    ...(state?.records ?? []).flatMap(({ addresses, departedAt }) =>
      Object.entries(addresses).flatMap(([ip, entry]) =>
        departedAt === undefined && entry.state === 'ready' ? [ip] : [],
      ),
    ),
  ]),
];

export function stackLinks({ stage, region, table, clock }: LinksPlace): StackLinks {
  const client = dynamoClient({ region });
  const { links, gateways } = dynamoStores({ client, table, clock });
  let failure: unknown;
  // The stores' errors carry no cause, lest they show more than they should; what AWS said is seen here instead.
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        failure = error;
        throw error;
      }
    },
    { step: 'initialize', priority: 'high' },
  );
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    failure = undefined;
    try {
      return await work();
    } catch (error) {
      if (failure === undefined) throw error;
      const request = `DynamoDB table ${table}`;
      throw stackFailure(failure, { stage, region, resource: `table ${table}`, request });
    }
  };
  return {
    links: {
      list: () => ask(() => links.list()),
      get: (name) => ask(() => links.get(name)),
      put: (link, expected) => ask(() => links.put(link, expected)),
      end: (name) => ask(() => links.end(name)),
      remove: (name) => ask(() => links.remove(name)),
    },
    gatewayAddresses: (link) => ask(async () => addressesIn((await gateways.load(link))?.value)),
    close: () => client.destroy(),
  };
}
