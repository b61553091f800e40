// What a deployment remembers, in one place.
import type { GatewayStore, Journal, LinkStore, NameStore } from '../ports.ts';

export interface Stores {
  readonly links: LinkStore;
  readonly gateways: GatewayStore;
  readonly names: NameStore;
  readonly journal: Journal;
}

/** How long a journal line is kept unless told otherwise. */
export const JOURNAL_DAYS = 30;
