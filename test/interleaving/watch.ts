// Eyes on a source cluster: they note what nobody may do, at the moment in which it is done.
import type { Link } from '../../lib/model/link.ts';
import { leaseName } from '../../lib/model/labels.ts';
import { clusterIn } from '../property/cluster-in.ts';
import { deadEntries } from '../property/replay.ts';
import type { Write } from './gates.ts';
import type { Scene } from './scenes.ts';
import { FOREIGN, type Site } from './sites.ts';

export interface Rules {
  /** An address that every run knows: mirrors of the scene list it at any time. Absent: one of the runs removes them. */
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
  readonly addresses?: readonly { readonly ip: string; readonly hostname?: string }[];
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

/** Mirrors that list nobody, or less than before. */
const watchReady = ({ site, scene }: Watched, rules: Rules, note: (offence: string) => void): void => {
  const { kept, deployment } = rules;
  site.core.store.subscribe('endpoints', ({ type, entry, previous }) => {
    const { name } = entry.object.metadata;
    if (kept === undefined || !scene.mirrors.includes(name)) return;
    // Where the shape changes a list goes before its Service does.
    if (type === 'DELETED' && scene.keeps === undefined && name === 'db-west') return;
    const ready = type === 'DELETED' ? [] : readyIn(entry.object);
    const before = previous === undefined ? [] : readyIn(previous.object);
    if (!ready.includes(kept)) note(`${name} is ready at ${ready.join(', ') || 'nothing'}`);
    const learnt = deployment?.learnt ?? '';
    if (before.includes(learnt) && !ready.includes(learnt)) note(`${name} went back to ${ready.join(', ')}`);
  });
};

const hostnamesIn = (endpoints: object): readonly string[] => {
  const subsets: readonly Subset[] = Object(endpoints)['subsets'] ?? [];
  return subsets.flatMap(({ addresses = [] }) => addresses.map(({ hostname = '' }) => hostname));
};

/** Roots that let go of a pod that stays, and entries that lead to no endpoint mirror with a list of its own. */
const watchRoots = ({ site, scene }: Watched, rules: Rules, note: (offence: string) => void): void => {
  const { keeps } = scene;
  let dead = deadEntries(clusterIn(site.store));
  const look = (): void => {
    const before = dead;
    dead = deadEntries(clusterIn(site.store));
    for (const entry of dead) if (!before.has(entry)) note(`an entry leads nowhere: ${entry}`);
    if (keeps === undefined || rules.kept === undefined) return;
    const [root, hostname] = keeps;
    const list = site.store.get('endpoints', 'shop', root);
    if (list === undefined || !hostnamesIn(list).includes(hostname))
      note(`${root} does not list ${hostname}`);
  };
  for (const resource of ['services', 'endpoints']) site.core.store.subscribe(resource, look);
};

export interface Watched {
  readonly site: Site;
  readonly scene: Scene;
  readonly link: Link;
  /** Who has the deployment's lock; undefined: nobody. */
  readonly lockHolder: () => string | undefined;
}

export const watch = (watched: Watched, rules: Rules): Watch => {
  const { site, link, lockHolder } = watched;
  const { store } = site;
  const foreign = versionsOf(site);
  const done: string[] = [];
  const canLease = store.get('namespaces', '', link.namespace) !== undefined;
  const holder = (): string => {
    const lease = store.get('leases', link.namespace, leaseName(link.name));
    return String(Object(lease?.['spec'])['holderIdentity'] ?? '');
  };
  const note = (offence: string): void => void done.push(offence);
  watchReady(watched, rules, note);
  watchRoots(watched, rules, note);
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
