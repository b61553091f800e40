// What is asked for by hand: a forced run of stored links, a look at what it would do, or the end of a link.
import * as z from 'zod';
import { StateError } from '../errors.ts';
import type { ObjectKey } from '../model/keys.ts';
import type { LinkRecord } from '../ports.ts';
import type { Data } from './report-data.ts';
import { planData, syncData } from './report-data.ts';
import { unlink } from './unlink.ts';
import { reconcileStored, remember } from './work.ts';
import type { RunWorld } from './world.ts';

const serviceName = z
  .string()
  .regex(/^[a-z0-9][-a-z0-9]*\/[a-z0-9][-a-z0-9]*$/, 'expected NAMESPACE/NAME')
  .transform((text): ObjectKey => {
    const [namespace = '', name = ''] = text.split('/');
    return { namespace, name };
  });

export const resyncRequest = z.strictObject({
  link: z.string().min(1).exactOptional().describe('only this link; absent: all'),
  dryRun: z.boolean().default(false).describe('say what would be done, write nothing'),
  namespaces: z.array(z.string().min(1)).default([]).describe('only mirrors in these'),
  services: z.array(serviceName).default([]).describe('only these exported Services, NAMESPACE/NAME'),
  forceDeletes: z.boolean().default(false).describe('past the delete brake'),
  unlink: z.boolean().default(false).describe('remove the mirrors of the link, then forget it'),
});
export type ResyncRequest = z.output<typeof resyncRequest>;

export interface ResyncResult {
  readonly links: readonly Data[];
  /** Links that could not be looked at, and why. */
  readonly errors: readonly { readonly link: string; readonly message: string }[];
}

const errorResult = (link: string, message: string): ResyncResult => ({
  links: [],
  errors: [{ link, message }],
});

const chosen = async (
  { links }: RunWorld,
  { link }: ResyncRequest,
): Promise<{ records: readonly LinkRecord[]; errors: ResyncResult['errors'] }> => {
  if (link === undefined) {
    const stored = await links.list();
    return {
      records: stored.links,
      errors: stored.broken.map(({ name, why }) => ({ link: name, message: why })),
    };
  }
  try {
    const record = await links.get(link);
    return record === undefined
      ? { records: [], errors: [{ link, message: `link ${link} is not stored` }] }
      : { records: [record], errors: [] };
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return { records: [], errors: [{ link, message: error.message }] };
  }
};

const resyncOne = async (
  world: RunWorld,
  record: LinkRecord,
  request: ResyncRequest,
  deadline: number,
): Promise<Data> => {
  const { dryRun, namespaces, services, forceDeletes } = request;
  const run = await reconcileStored(world, record, {
    dryRun,
    namespaces,
    services,
    forceDeletes,
    deadline,
    fresh: true,
  });
  if (dryRun) return planData(run.report, { showObjects: false });
  await remember(world, record, run, { whole: namespaces.length === 0 && services.length === 0 });
  return syncData(run.report, { showObjects: false });
};

const unlinkOne = async (
  world: RunWorld,
  name: string | undefined,
  deadline: number,
): Promise<ResyncResult> => {
  if (name === undefined) return errorResult('', 'link: expected the name of the link to end, got none');
  if (!(await world.links.end(name))) return errorResult(name, `link ${name} is not stored`);
  const record = await world.links.get(name);
  if (record === undefined) return errorResult(name, `link ${name} is not stored`);
  const { outcomes, ...rest } = await unlink(world, record.link, { deadline });
  const deleted = outcomes.filter(({ result }) => result === 'applied').length;
  return { links: [{ ...rest, deleted, failed: outcomes.length - deleted }], errors: [] };
};

/**
 * Runs links now, past every cache: names are asked whatever is left of their TTL, and how clusters are reached is looked up anew.
 *
 * @param deadline ms since the epoch
 */
export const resync = async (
  world: RunWorld,
  request: ResyncRequest,
  deadline: number,
): Promise<ResyncResult> => {
  if (request.unlink) return unlinkOne(world, request.link, deadline);
  const { records, errors } = await chosen(world, request);
  const links: Data[] = [];
  for (const record of records) links.push(await resyncOne(world, record, request, deadline));
  return { links, errors };
};
