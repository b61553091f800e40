// Who may have a name that several want. Whoever stands there keeps it, whatever else is exported later; where nobody stands, a
// Service's own mirror comes before the endpoint mirror of a pod, and a root before the roots after it in the alphabet.
import { type Decision, isHeadlessMirror } from '../model/desired.ts';
import { compareKeys, type ObjectKey, keyText } from '../model/keys.ts';
import { HEADLESS_MIRROR } from '../model/labels.ts';
import type { Refusal } from '../model/plan.ts';
import type { StandingIndex } from './standing.ts';

export interface Claim {
  readonly service: ObjectKey; // the exported Service
  readonly hostname?: string; // of the pod whose endpoint mirror wants the name; absent: the Service's own mirror does
  readonly root?: ObjectKey; // of that endpoint mirror
}

/** The claim that keeps another one from its name; undefined: it may have it. */
export type FindWinner = (name: ObjectKey, claim: Claim) => Claim | undefined;

const isSame = (a: Claim, b: Claim): boolean =>
  keyText(a.service) === keyText(b.service) && a.hostname === b.hostname;

const compareClaims = (a: Claim, b: Claim): number =>
  Number(a.hostname !== undefined) - Number(b.hostname !== undefined) || compareKeys(a.service, b.service);

const claimsOf = ({ key, mirror, desired, protects }: Decision): readonly (readonly [string, Claim])[] => {
  if (!protects) return [];
  const own = [[keyText(mirror), { service: key }]] as const;
  if (desired === undefined || !isHeadlessMirror(desired)) return own;
  const pods = desired.endpoints.pods.map(
    (pod) => [keyText(pod.mirror), { service: key, hostname: pod.hostname, root: mirror }] as const,
  );
  return [...own, ...pods];
};

const hasPods = ({ desired }: Decision): boolean => desired !== undefined && isHeadlessMirror(desired);

const claimText = ({ service, hostname }: Claim): string =>
  hostname === undefined
    ? `the mirror of Service ${keyText(service)}`
    : `the endpoint mirror of pod ${hostname} of Service ${keyText(service)}`;

/** @param decisions of every Service of the target cluster, whatever part of the link the run is about */
export const findWinners = (decisions: readonly Decision[], standing: StandingIndex): FindWinner => {
  // Two mirrors of Services never want one name: only pods bring others into it.
  if (!decisions.some(hasPods)) return () => undefined;
  const wanted = Map.groupBy(decisions.flatMap(claimsOf), ([name]) => name);
  return (name, claim) => {
    const claims = (wanted.get(keyText(name)) ?? []).map(([, one]) => one);
    if (claims.length < 2) return undefined;
    const { service } = standing.at(name);
    const isHolder = (one: Claim): boolean =>
      service !== undefined && service.meta.labels[HEADLESS_MIRROR] === one.root?.name;
    const winner = claims.find(isHolder) ?? claims.toSorted(compareClaims)[0];
    return winner === undefined || isSame(winner, claim) ? undefined : winner;
  };
};

/** The refusal of a claim that another one keeps from its name; it names both. */
export const nameConflict = (name: ObjectKey, claim: Claim, winner: FindWinner): Refusal | undefined => {
  const found = winner(name, claim);
  return found === undefined
    ? undefined
    : {
        ...claim.service,
        ...(claim.hostname === undefined ? {} : { hostname: claim.hostname }),
        reason: 'NameConflict',
        message: `${keyText(name)} is wanted by ${claimText(claim)} and by ${claimText(found)}, which keeps it`,
      };
};
