// The stage of the story: a running stack, and what a step may do to it.
import { errorText } from '../../lib/errors.ts';
import type { Clock } from '../../lib/ports.ts';
import type { ApiClient } from '../api-client.ts';
import type { Stack } from '../stack.ts';
import { makeHeadless, scale, unexport } from './arrange.ts';
import { GATEWAY_HOST, LINK } from './objects.ts';
import type { Stage } from './steps.ts';

/** Short, so that a change is soon asked for; the product asks a name every 10 seconds at the most. */
const TTL = 5; // seconds

export const stageOf = (
  { dns, lambda, template }: Pick<Stack, 'dns' | 'lambda' | 'template'>,
  west: ApiClient,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Stage => {
  const invoke = async (ending: string, event: object): Promise<string> => {
    const name = template.functions.find(({ name }) => name.endsWith(`-${ending}`))?.name ?? ending;
    const { isError, payload } = await lambda.invoke(name, JSON.stringify(event));
    if (isError) throw new Error(`function ${name}: ${payload}`);
    return payload;
  };
  const status = async (): Promise<LinkStatus> =>
    linkIn(await invoke('status', { queryStringParameters: { link: LINK } }));
  return {
    answer: (addresses) =>
      dns.set(GATEWAY_HOST, addresses === undefined ? { rcode: 'SERVFAIL' } : { a: addresses, ttl: TTL }),
    scale: (service, pods) => scale(west, service, pods),
    makeHeadless: (service, pods) => makeHeadless(west, service, pods),
    unexport: (service) => unexport(west, service),
    ttlIsOver: () => clock.sleep(TTL * 1000, signal),
    resync: async () => {
      await invoke('resync', { link: LINK });
    },
    nameState: async () => {
      const { gateway } = await status();
      return (typeof gateway === 'object' ? gateway.names?.[0]?.state : undefined) ?? 'unknown';
    },
    complaints: () => status().then(complaintsIn, (error: unknown) => [errorText(error)]),
  };
};

/** The part of what `status` says of one link that the story is about. */
interface LinkStatus {
  readonly gateway?: string | { readonly names?: readonly { readonly state: string }[] };
  readonly lastRun?:
    | string
    | {
        readonly refusals: readonly { readonly reason: string; readonly message: string }[];
        readonly unobserved: readonly { readonly what: string; readonly message: string }[];
      };
}

/** @param payload what the function gives to its URL */
function linkIn(payload: string): LinkStatus {
  const { body }: { readonly body: string } = JSON.parse(payload);
  const { links = [] }: { readonly links?: readonly LinkStatus[] } = JSON.parse(body);
  return links[0] ?? {};
}

function complaintsIn({ lastRun }: LinkStatus): readonly string[] {
  if (lastRun === undefined || typeof lastRun === 'string') return ['no run has ended yet'];
  return [
    ...lastRun.unobserved.map(({ what, message }) => `unobserved: ${what}: ${message}`),
    ...lastRun.refusals.map(({ reason, message }) => `${reason}: ${message}`),
  ];
}
