// Eyes on a source cluster: they note what nobody may do, at the moment in which it is done.
import type { Link } from '../../lib/model/link.ts';
import { leaseName } from '../../lib/model/labels.ts';
import type { Write } from './gates.ts';
import { FOREIGN, type Site } from './sites.ts';

/** Mirrors of what is exported while the runs are at work. */
const READY = ['web-west', 'new-west'];

export interface Rules {
  /** An address that every run knows: mirrors list it at any time. Absent: one of the runs removes them. */
  readonly kept?: string;
  /** All runs are of one deployment: */
  readonly deployment?: {
    readonly learnt: string; // an address that the name of the gateway has now: once it is listed, no run takes it away again
  };
}

export interface Watch {
  /** Told of every write right before it is sent. @param run who sends it: its name in locks */
  onWrite(run: string, write: Write): void;
  /** All that was done so far, and who still holds a lock. */
  offences(): readonly string[];
}

interface Subset {
  readonly addresses?: readonly { readonly ip: string }[];
}

export const readyIn = (endpoints: object): readonly string[] => {
  const subsets: readonly Subset[] = Object(endpoints)['subsets'] ?? [];
  return subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));
};

const versionsOf = ({ store }: Site): readonly string[] =>
  FOREIGN.map(([resource, name]) => {
    const version = store.get(resource, 'shop', name)?.metadata.resourceVersion;
    return `${resource} ${name} ${version ?? 'gone'}`;
  });

const watchReady = ({ core }: Site, { kept, deployment }: Rules, note: (offence: string) => void): void => {
  core.store.subscribe('endpoints', ({ type, entry, previous }) => {
    const { name } = entry.object.metadata;
    if (kept === undefined || !READY.includes(name)) return;
    const ready = type === 'DELETED' ? [] : readyIn(entry.object);
    const before = previous === undefined ? [] : readyIn(previous.object);
    if (!ready.includes(kept)) note(`${name} is ready at ${ready.join(', ') || 'nothing'}`);
    const learnt = deployment?.learnt ?? '';
    if (before.includes(learnt) && !ready.includes(learnt)) note(`${name} went back to ${ready.join(', ')}`);
  });
};

export interface Watched {
  readonly site: Site;
  readonly link: Link;
  /** Who has the deployment's lock; undefined: nobody. */
  readonly lockHolder: () => string | undefined;
}

export const watch = ({ site, link, lockHolder }: Watched, rules: Rules): Watch => {
  const { store } = site;
  const foreign = versionsOf(site);
  const done: string[] = [];
  const canLease = store.get('namespaces', '', link.namespace) !== undefined;
  const holder = (): string => {
    const lease = store.get('leases', link.namespace, leaseName(link.name));
    return String(Object(lease?.['spec'])['holderIdentity'] ?? '');
  };
  watchReady(site, rules, (offence) => done.push(offence));
  return {
    onWrite: (run, { kind, place, isConditional }) => {
      const what = `${run} wrote ${kind} ${place}`;
      if (!isConditional) done.push(`${what} without a precondition`);
      if (rules.deployment !== undefined && lockHolder() !== run) done.push(`${what} without the lock`);
      if (kind !== 'Lease' && canLease && holder() !== run) done.push(`${what} without the Lease`);
    },
    offences: () => [
      ...done,
      ...versionsOf(site)
        .filter((version) => !foreign.includes(version))
        .map((version) => `not ours, but written: ${version}`),
      ...(holder() === '' ? [] : [`${holder()} kept the Lease`]),
      ...(lockHolder() === undefined ? [] : [`${lockHolder()} kept the lock`]),
    ],
  };
};
