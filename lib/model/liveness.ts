// What is remembered of probing a gateway's addresses. Times are seconds since the epoch.

/** unknown: neither found alive nor failed often enough; it changes nothing of what is published. */
export const LIVENESS_STATES = ['unknown', 'alive', 'dead'] as const;
export type LivenessState = (typeof LIVENESS_STATES)[number];

export interface AddressLiveness {
  readonly state: LivenessState;
  readonly failures: number; // in a row, counted up to the threshold
  readonly since: number; // when this state began
  readonly lastProbeAt: number; // of the last probe that counted
  readonly lastWhy?: string; // of the last failure; absent when it was found alive since
}

/** By address, in canonical text. An address without an entry is unknown. */
export type Liveness = Readonly<Record<string, AddressLiveness>>;

export const NO_LIVENESS: Liveness = {};
