// The numbers of the DNS state machine, each with its reason. All times are seconds.

export interface GatewaySettings {
  readonly minRefresh: number;
  readonly maxRefresh: number;
  readonly maxJitter: number;
  readonly negMin: number;
  readonly negMax: number;
  readonly negDefault: number;
  readonly negCount: number;
  readonly negSpan: number;
  readonly backoff: readonly number[];
  readonly maxStale: number;
  readonly failMinAttempts: number;
  readonly failMinSpan: number;
  readonly missRemove: number;
  readonly missSpan: number;
  readonly partialAt: number;
  readonly unionMisses: number;
  readonly unionSpan: number;
  readonly flapWindow: number;
  readonly holdReturns: number;
  readonly holdStreak: number;
  readonly rotateHold: number;
  readonly copySlack: number;
  readonly leaveSpan: number;
  readonly addressCap: number;
}

export const SETTINGS: GatewaySettings = {
  minRefresh: 10, // load balancers say 60, so this only meets what is left of a cached TTL
  maxRefresh: 300, // the VPC resolver caps TTLs here anyway, and a name may be repointed
  maxJitter: 7, // only ever later: a look before the expiry gets the old copy; spreads 1024 packets/s per interface
  negMin: 15, // a floor, or a zero SOA TTL makes a hot loop
  negMax: 300, // fresh names have been seen with 900, longer than anybody wants to wait
  negDefault: 60, // node:dns hides the SOA; this is the negative TTL of load balancer zones
  negCount: 2, // one recursor repeats one cached NXDOMAIN: a second copy has to agree
  negSpan: 120, // two rounds of the usual negative TTL
  backoff: [15, 30, 60, 120], // most failures are short; the cap bounds how late recovery is seen (RFC 9520: at most 300)
  maxStale: 86_400, // low end of RFC 8767's one to three days; strangers get released addresses, so never unbounded
  failMinAttempts: 3, // a paused schedule must not end everything at its first failed look-up …
  failMinSpan: 600, // … nor at three failures in one minute
  missRemove: 2, // keeps an address long enough to notice that it flaps
  missSpan: 120, // the same in time; costs nothing while others are ready
  partialAt: 8, // a classic or application load balancer answers with at most eight of its addresses
  unionMisses: 5, // twelve nodes, eight per answer: a live one is missed this often in 0.4 % of windows
  unionSpan: 300, // five rounds of a 60 s TTL
  flapWindow: 600, // how far apart returns still belong to one story
  holdReturns: 3, // the third return within the window is a flapping zone
  holdStreak: 3, // it is believed again after this many answers running
  rotateHold: 3_600, // zone affinity is a setting, not an incident: remember it for an hour
  copySlack: 2, // TTLs are whole seconds on both sides: expiries this close are one cached copy
  leaveSpan: 600, // how long a name that left the status may serve as a last resort
  addressCap: 64, // per name; far above any load balancer, stops an answer that would bloat every node
};

/** A name first seen on a gateway Service younger than this gets the first-look delay. */
export const YOUNG_SERVICE = 600;

/** Hostnames per gateway that are looked up; more are refused. */
export const NAME_CAP = 8;

/** Seconds to add to the next check, from a random number in [0, 1): the full width; advance() narrows it for short TTLs. */
export const drawJitter = (random: number): number => 1 + random * (SETTINGS.maxJitter - 1);

/** The moment of one check, and by which numbers it is judged. */
export interface Moment {
  readonly now: number; // seconds since the epoch
  readonly jitter: number; // seconds, from drawJitter()
  readonly settings: GatewaySettings;
}
