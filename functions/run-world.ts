// What the functions that work on links have at hand; made once per environment and kept between invocations.
import { randomUUID } from 'node:crypto';
import { accessCache, awsClients, loadBalancerWitness, openClusters } from '../lib/access.ts';
import { systemClock } from '../lib/clock.ts';
import { dnsResolver } from '../lib/dns/resolver.ts';
import type { ReconcileMessage, RefreshMessage } from '../lib/model/messages.ts';
import { httpProber } from '../lib/probe/http.ts';
import { sqsClient } from '../lib/queue/client.ts';
import { sqsQueue } from '../lib/queue/sqs.ts';
import type { RunWorld } from '../lib/runs/world.ts';
import { dynamoClient } from '../lib/store/dynamo/client.ts';
import { dynamoStores } from '../lib/store/dynamo/stores.ts';
import { resolversOf, type RunEnvironment } from './environment.ts';

/** @throws InputError for DNS servers that are none */
export const runWorld = (environment: RunEnvironment): RunWorld => {
  const { STATE_TABLE, WORK_QUEUE_URL, TIMER_QUEUE_URL, DNS_SERVERS, JOURNAL_DAYS, AWS_REGION } = environment;
  const [clock, client] = [systemClock, sqsClient()];
  const [clients, cache] = [awsClients({ region: AWS_REGION }), accessCache()];
  const stores = dynamoStores({
    client: dynamoClient(),
    table: STATE_TABLE,
    resolvers: resolversOf(environment),
    clock,
    journalDays: JOURNAL_DAYS,
  });
  return {
    ...stores,
    work: sqsQueue<ReconcileMessage>({ client, queueUrl: WORK_QUEUE_URL, clock }),
    timers: sqsQueue<RefreshMessage>({ client, queueUrl: TIMER_QUEUE_URL, clock }),
    resolver: dnsResolver({ servers: DNS_SERVERS.length > 0 ? DNS_SERVERS : undefined, clock }),
    ...(environment.LOAD_BALANCERS === 'on' && {
      loadBalancers: loadBalancerWitness({
        clients,
        clock,
        region: AWS_REGION,
        endpoints: {
          elasticloadbalancing: environment.AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2,
          ec2: environment.AWS_ENDPOINT_URL_EC2,
        },
      }),
    }),
    prober: httpProber({ clock }),
    clock,
    random: Math.random,
    runId: () => `lambda-${randomUUID()}`,
    open: (link, { fresh }) => openClusters({ link, clients, clock, cache, fresh }),
  };
};
