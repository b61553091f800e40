// What the contracts of stored links have in common: the memory they run on, and what they store.
import { parseLink } from '../../lib/config.ts';
import type { Link } from '../../lib/model/link.ts';
import type { RunSummary } from '../../lib/model/summary.ts';
import type { Stores } from '../../lib/store/stores.ts';

export interface LinkWorld {
  /** Another opening of the same memory, as another function has it. */
  readonly reopen: () => Stores;
  /** Moves the time that leases go by. */
  readonly advance: (seconds: number) => void;
  /** Stores an item as somebody else may have written it. */
  readonly plant: (name: string, item: Readonly<Record<string, unknown>>) => Promise<void>;
}

export const aLink = (name: string, fields: object = {}): Link =>
  parseLink({ name, ...fields }, { unknown: 'refuse' });

export const aSummary = (fields: Partial<RunSummary> = {}): RunSummary => ({
  at: 1_700_000_000_000,
  runId: 'run-1',
  mirrors: { 'in sync': 3, 'to create': 1, 'to update': 0, waiting: 0, refused: 1 },
  failed: 1,
  refusals: [
    { namespace: 'shop', name: 'web', reason: 'NotOwned', message: 'Service shop/web-west: not ours' },
  ],
  moreRefusals: 0,
  unobserved: [{ what: 'target EndpointSlices', message: 'unreachable' }],
  notes: ['a note'],
  ...fields,
});

/** A link with every kind of value: nested lists and fields, an empty text, a fraction, a key with dots and slashes. */
export const RICH = aLink('west', {
  source: { eks: 'arn:aws:eks:eu-west-1:111122223333:cluster/source' },
  target: {
    eks: 'arn:aws:eks:eu-central-1:111122223333:cluster/target',
    roleArn: 'arn:aws:iam::111122223333:role/reader',
  },
  gateway: { addresses: ['192.0.2.1', 'gw.example.com'], identity: '', port: 4143 },
  selector: {
    matchLabels: { 'example.com/tier.of': 'a', empty: '' },
    matchExpressions: [{ key: 'x', operator: 'Exists' }],
  },
  deleteBrake: { percent: 12.5, atLeast: 0 },
  allowedCIDRs: ['192.0.2.0/24', '2001:db8::/32'],
  paused: true,
});

/** The memory with these links in it. */
export async function stored(
  open: () => Promise<LinkWorld>,
  links: readonly Link[],
): Promise<LinkWorld & Stores> {
  const world = await open();
  for (const link of links) await world.reopen().links.put(link, 0);
  return { ...world, ...world.reopen() };
}
