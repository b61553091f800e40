// Links in this process only: for tests.
import { compareText } from '../model/keys.ts';
import { StateError } from '../errors.ts';
import type { Clock, LinkStore } from '../ports.ts';
import { linkItem, readLink } from './link-item.ts';
import { boundedSummary } from './run-summary.ts';

/** What is stored of one link: an item in the form of link-item.ts, whoever wrote it, and its lease. */
export interface MemoryLink {
  readonly item: Readonly<Record<string, unknown>>;
  readonly fence: number;
  readonly lease?: { readonly holder: string; readonly until: number }; // ms since the epoch
}

export type MemoryLinks = Map<string, MemoryLink>;

export interface MemoryLinksOptions {
  readonly clock: Clock;
  readonly rows: MemoryLinks;
  /** Told of every link that was removed or newly made. */
  readonly forgetGateway: (link: string) => void;
}

export function memoryLinks({ clock, rows, forgetGateway }: MemoryLinksOptions): LinkStore {
  /** False when the link is not stored. */
  const setFields = (name: string, fields: object): boolean => {
    const row = rows.get(name);
    if (row !== undefined) rows.set(name, { ...row, item: { ...row.item, ...asJson(fields) } });
    return row !== undefined;
  };
  return {
    async list() {
      const sorted = [...rows].toSorted(([a], [b]) => compareText(a, b));
      const read = sorted.map(([name, { item }]) => readLink(name, structuredClone(item)));
      return {
        links: read.flatMap(({ record }) => record ?? []),
        broken: read.flatMap(({ broken }) => broken ?? []),
      };
    },

    async get(name) {
      const row = rows.get(name);
      if (row === undefined) return undefined;
      const { record, broken } = readLink(name, structuredClone(row.item));
      if (broken !== undefined) throw new StateError(`link ${name}: ${broken.why}`);
      return record;
    },

    async put(link, expected) {
      const { version = 0, ending = false } = rows.get(link.name)?.item ?? {};
      if (version !== expected || ending === true) return false;
      if (expected > 0) return setFields(link.name, linkItem(link, expected + 1));
      rows.set(link.name, { item: asJson(linkItem(link, 1)), fence: 0 });
      forgetGateway(link.name);
      return true;
    },

    async end(name) {
      return setFields(name, { ending: true });
    },

    async remove(name) {
      if (rows.get(name)?.item['ending'] !== true) return;
      rows.delete(name);
      forgetGateway(name);
    },

    async saveRun(name, summary) {
      setFields(name, { lastRun: boundedSummary(summary) });
    },

    async claim(name, holder, seconds) {
      const row = rows.get(name);
      if (row === undefined) return undefined;
      const isHeld = row.lease !== undefined && row.lease.until >= clock.now();
      if (isHeld && row.lease?.holder !== holder) return undefined;
      const fence = row.fence + 1;
      rows.set(name, { ...row, fence, lease: { holder, until: clock.now() + seconds * 1000 } });
      return { fence, release: async () => release(rows, name, fence) };
    },
  };
}

function release(rows: MemoryLinks, name: string, fence: number): void {
  const row = rows.get(name);
  if (row?.fence === fence) rows.set(name, { item: row.item, fence });
}

/** As a store on the other side of a wire would give it back. */
const asJson = (value: object): Readonly<Record<string, unknown>> => JSON.parse(JSON.stringify(value));
