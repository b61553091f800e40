// All that a deployment remembers, in this process only: for tests.
import type { JournalEntry } from '../model/journal.ts';
import type { Clock, Journal } from '../ports.ts';
import { memoryLinks, type MemoryLinks } from './memory-links.ts';
import { memoryNames } from './memory-names.ts';
import { memoryStore, type GatewayStates } from './memory.ts';
import { JOURNAL_DAYS, type Stores } from './stores.ts';

export interface MemoryStoresOptions {
  readonly clock: Clock; // of leases and of what expires
  readonly journalDays?: number;
  /** The links that are stored at first; shared, so that a test can look at what is stored and break it. */
  readonly rows?: MemoryLinks;
}

export function memoryStores({
  clock,
  journalDays = JOURNAL_DAYS,
  rows = new Map(),
}: MemoryStoresOptions): Stores {
  const states: GatewayStates = new Map();
  return {
    links: memoryLinks({ clock, rows, forgetGateway: (link) => states.delete(link) }),
    gateways: memoryStore(states),
    names: memoryNames(),
    journal: memoryJournal(clock, journalDays),
  };
}

const MS_PER_DAY = 86_400_000;

/** Lines as they came; what is older than `days` is not told any more. */
function memoryJournal(clock: Clock, days: number): Journal {
  const lines: JournalEntry[] = [];
  return {
    async append(entries) {
      lines.push(...structuredClone(entries));
    },
    async recent(link, limit) {
      const kept = lines.filter((line) => line.link === link && line.at + days * MS_PER_DAY > clock.now());
      return structuredClone(
        kept
          .toReversed()
          .toSorted((a, b) => b.at - a.at)
          .slice(0, limit),
      );
    },
  };
}
