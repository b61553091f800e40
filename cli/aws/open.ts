// Opens a deployment by the usual configuration of AWS. Loads AWS's clients, so only commands that need one import it.
import { LambdaClient } from '@aws-sdk/client-lambda';
import { InputError } from '../../lib/errors.ts';
import type { Clock } from '../../lib/ports.ts';
import { functionName, tableName, type HttpAnswer, type Stack, type StackPlace } from '../stack.ts';
import { readHttpAnswer, statusEvent } from './http-event.ts';
import { invoke, start, type Invoker } from './invoke.ts';
import { stackLinks } from './links.ts';
import { askStatusUrl } from './status-url.ts';

/**
 * A function may run for 15 minutes and answers nothing before its end, so the client waits longer; ms. Once only: a second attempt
 * would be a second run.
 */
const LIMITS = {
  maxAttempts: 1,
  requestHandler: { connectionTimeout: 3_000, requestTimeout: 16 * 60_000, throwOnRequestTimeout: true },
} as const;

/** @throws InputError when there is no region */
export async function openStack({ stage, ...place }: StackPlace, clock: Clock): Promise<Stack> {
  const client = new LambdaClient({ ...LIMITS, ...place });
  const region = await regionOf(client);
  const invoker: Invoker = { client, stage, region };
  const links = stackLinks({ stage, region, table: tableName(stage), clock });
  return {
    stage,
    region,
    links: links.links,
    gatewayAddresses: (link) => links.gatewayAddresses(link),
    invoke: (name, payload, signal) => invoke(invoker, functionName(stage, name), payload, signal),
    start: (name, payload) => start(invoker, functionName(stage, name), payload),
    async status({ url, link, signal }): Promise<HttpAnswer> {
      if (url !== undefined)
        return askStatusUrl(invoker, { url, signal, ...(link !== undefined && { link }) });
      const name = functionName(stage, 'status');
      return readHttpAnswer(name, await invoke(invoker, name, statusEvent(link), signal));
    },
    close() {
      client.destroy();
      links.close();
    },
  };
}

async function regionOf(client: LambdaClient): Promise<string> {
  try {
    return await client.config.region();
  } catch {
    throw new InputError(['--region: expected one, here, in AWS_REGION or in the profile, got nothing']);
  }
}
