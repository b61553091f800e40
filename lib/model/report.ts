// What one reconcile of one link found, planned and did: the only thing that leaves the core.
import type { DesiredMirror, Mode } from './desired.ts';
import type { GatewayDeclaration, GatewayState, GatewayView } from './gateway.ts';
import type { ObjectKey } from './keys.ts';
import type { Outcome, Plan, RequestCounts } from './plan.ts';

export const MIRROR_STATES = ['in sync', 'to create', 'to update', 'waiting', 'refused'] as const;
export type MirrorState = (typeof MIRROR_STATES)[number];

/** One exported Service and its mirror as they stand when the plan is made. */
export interface MirrorStatus {
  readonly service: ObjectKey; // the exported Service
  readonly mirror: ObjectKey;
  readonly mode: Mode;
  /** waiting: nothing is refused, but nothing tells yet what the mirror should be. */
  readonly state: MirrorState;
  /** What its endpoints should list; undefined when nothing can be said of them. */
  readonly endpoints: DesiredMirror['endpoints'] | undefined;
}

export interface GatewayReport {
  readonly view: GatewayView | 'none' | 'unobserved';
  readonly declaration?: GatewayDeclaration;
  /** What the run knows of it; absent where nothing is remembered of a gateway, or cannot be read. */
  readonly state?: GatewayState;
}

export interface Report extends Plan {
  readonly link: string;
  /** Absent when too little was seen to decide anything. */
  readonly gateway?: GatewayReport;
  readonly mirrors: readonly MirrorStatus[];
  /** For each Service that was asked for by name: lines that say why it is, or is not, mirrored as it is. */
  readonly explanations: readonly { readonly service: ObjectKey; readonly lines: readonly string[] }[];
  /** Absent when nothing was to be written (a plan). */
  readonly outcomes?: readonly Outcome[];
  readonly requests: { readonly source: RequestCounts; readonly target: RequestCounts };
}
