// Looks at the gateway: what its Service declares, what its names resolve to, and what is remembered of both.
import { StateError } from '../errors.ts';
import { readGateway } from '../gateway/declaration.ts';
import { withCommonZones } from '../gateway/zones.ts';
import { filterAddresses } from '../gateway/filter.ts';
import { identityDecision } from '../gateway/identity.ts';
import { type ProbeSettings, readProbe } from '../gateway/probe.ts';
import { stamped } from '../gateway/published.ts';
import { drawJitter, SETTINGS } from '../gateway/settings.ts';
import { dueNames, lookUpsOf, nameKey, stepGateway } from '../gateway/state.ts';
import {
  EMPTY_GATEWAY_STATE,
  type GatewayDeclaration,
  type GatewayState,
  type GatewayView,
} from '../model/gateway.ts';
import { compareText, keyText } from '../model/keys.ts';
import {
  CLUSTER_NAME,
  MIRRORED_SERVICE,
  MIRRORING_CONTROLLER,
  REMOTE_GATEWAY_IDENTITY,
  SLICE_MANAGER,
} from '../model/labels.ts';
import type { Link } from '../model/link.ts';
import type { Endpoints, EndpointSlice, Family } from '../model/objects.ts';
import type { Refusal, Unobserved } from '../model/plan.ts';
import type { SourceSnapshot, TargetSnapshot } from '../model/snapshot.ts';
import type { Answer, Clock, GatewayStore, Resolver, Stored } from '../ports.ts';
import { lookAtLiveness, type Probing } from './liveness.ts';

/** What was remembered of the link before this run, or why that is not known. */
export type Remembered =
  | { readonly readable: true; readonly stored: Stored<GatewayState> | undefined }
  | { readonly readable: false; readonly why: Unobserved };

export interface GatewayLook {
  readonly view: GatewayView | 'none' | 'unobserved';
  readonly refusals: readonly Refusal[];
  readonly unobserved: readonly Unobserved[];
  readonly notes?: readonly string[];
  readonly declaration?: GatewayDeclaration;
  /** What to remember after this run; absent: nothing new. */
  readonly state?: GatewayState;
}

export interface GatewayWorld {
  readonly resolver: Resolver;
  readonly clock: Clock;
  readonly random: () => number; // from 0 up to 1
  /** Ask every name now, whatever is left of its TTL. */
  readonly fresh: boolean;
  /** Absent: nobody probes here. */
  readonly probing?: Probing | undefined;
}

/** Reads a link's state. What cannot be read is never taken for "nothing is known". */
export const recall = async (store: GatewayStore, link: string): Promise<Remembered> => {
  try {
    return { readable: true, stored: await store.load(link) };
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return { readable: false, why: { what: 'remembered state of the gateway', message: error.message } };
  }
};

const SLICE_WRITERS: readonly string[] = [SLICE_MANAGER, MIRRORING_CONTROLLER];

type Holder = Endpoints | EndpointSlice;

/** Endpoints of the link's mirrors, our slices, and the mirroring controller's copies: not what somebody merely labelled alike. */
const isOwned = (link: string, holder: Holder): boolean => {
  const { labels } = holder.meta;
  const isMirror = labels[MIRRORED_SERVICE] === 'true' && labels[CLUSTER_NAME] === link;
  return isMirror && (!('managedBy' in holder) || SLICE_WRITERS.includes(holder.managedBy));
};

const ownedHolders = (link: string, { endpoints, slices }: SourceSnapshot): readonly Holder[] =>
  [...endpoints.values(), ...slices.values()].filter((holder) => isOwned(link, holder));

/** Entries with a hostname are those of a headless mirror's root: ClusterIPs, no gateway addresses. */
const readyAddresses = (holder: Holder): readonly string[] =>
  'subsets' in holder
    ? holder.subsets
        .flatMap(({ addresses }) => addresses)
        .filter(({ hostname }) => hostname === undefined)
        .map(({ ip }) => ip)
    : holder.endpoints
        .filter(({ ready, hostname }) => ready && hostname === undefined)
        .flatMap(({ addresses }) => addresses);

/** Addresses that owned endpoints of the link hold now: the seed of a gateway of which nothing is remembered. */
const heldAddresses = (link: string, source: SourceSnapshot): readonly string[] => [
  ...new Set(ownedHolders(link, source).flatMap(readyAddresses)),
];

/** The gateway identity that most owned endpoints carry. */
const heldIdentity = (link: string, source: SourceSnapshot): string | undefined => {
  const counts = new Map<string, number>();
  for (const { meta } of ownedHolders(link, source)) {
    const identity = meta.annotations[REMOTE_GATEWAY_IDENTITY];
    if (identity !== undefined) counts.set(identity, (counts.get(identity) ?? 0) + 1);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0];
};

const clusterIPs = (source: SourceSnapshot): ReadonlySet<string> =>
  new Set([...source.services.values()].flatMap((service) => service.clusterIPs));

/** Asks for every name that is due, all at once; each answer has the resolver's own time limit. */
const askDue = async (
  world: GatewayWorld,
  due: readonly { readonly hostname: string; readonly family: Family }[],
): Promise<ReadonlyMap<string, Answer>> =>
  new Map(
    await Promise.all(
      due.map(
        async ({ hostname, family }) =>
          [nameKey(hostname, family), await world.resolver.resolve(hostname, family)] as const,
      ),
    ),
  );

/** What others need to know to probe this gateway; nothing where it is not probed. */
const probeOf = ({ off, port, path, timeout, anyAnswer }: ProbeSettings): Pick<GatewayState, 'probe'> =>
  off || port === undefined ? {} : { probe: { port, path, timeout, anyAnswer } };

/** The families that mirrors of this link have: both only where the link asks for them and the cluster has them. */
const wantedFamilies = ({ ipFamilies }: Link, { family, secondFamily }: SourceSnapshot): readonly Family[] =>
  ipFamilies === 'dual' && secondFamily !== undefined ? [family, secondFamily] : [family];

/**
 * The gateway as mirrors should show it now. A name is asked only when its TTL has ended.
 *
 * @param remembered the link's state before this run
 */
export const lookAtGateway = async (
  link: Link,
  world: GatewayWorld,
  seen: { readonly target: TargetSnapshot; readonly source: SourceSnapshot },
  remembered: Remembered,
): Promise<GatewayLook> => {
  if (link.gateway === 'none') return { view: 'none', refusals: [], unobserved: [] };
  if (!remembered.readable) return { view: 'unobserved', refusals: [], unobserved: [remembered.why] };
  const { target, source } = seen;
  const declaration = readGateway(link, target.services.get(keyText(link.gateway)));
  const state = remembered.stored?.value ?? EMPTY_GATEWAY_STATE;
  const families = wantedFamilies(link, source);
  const now = Math.floor(world.clock.now() / 1000);
  const due = world.fresh
    ? lookUpsOf(declaration, families)
    : dueNames({ state, declaration, families, now, firstLookDelay: link.firstLookDelay });
  const answers = await askDue(world, due);
  const rules = {
    allowedCIDRs: link.allowedCIDRs,
    serviceRanges: source.serviceRanges.cidrs,
    serviceAddresses: clusterIPs(source),
    apiServers: source.apiServers,
  };
  const step = stepGateway({
    state,
    declaration,
    answers,
    families,
    rules,
    seeds: remembered.stored === undefined ? heldAddresses(link.name, source) : [],
    now: Math.floor(world.clock.now() / 1000),
    settings: SETTINGS,
    firstLookDelay: link.firstLookDelay,
    jitter: drawJitter(world.random()),
  });
  const settings = readProbe(link, target.services.get(keyText(link.gateway)));
  const live = await lookAtLiveness({
    link: link.name,
    addresses: step.addresses,
    remembered: state.liveness,
    settings,
    mayDial: (ip) => filterAddresses([ip], rules).accepted.length > 0,
    resolverAnswered: [...answers.values()].some(({ kind }) => kind !== 'unknown'),
    clock: world.clock,
    probing: world.probing,
  });
  const identity = identityDecision(
    link,
    declaration.identity,
    state.identity ?? heldIdentity(link.name, source),
  );
  return {
    view: {
      addresses: withCommonZones(link, live.addresses),
      resolved: withCommonZones(link, step.addresses),
      probePort: declaration.probePort,
      port: declaration.port === 0 ? undefined : declaration.port,
      identity: identity.identity,
    },
    refusals: [
      ...declaration.refusals,
      ...step.refusals,
      ...(identity.refusal === undefined ? [] : [identity.refusal]),
    ],
    unobserved: [],
    notes: live.notes,
    declaration,
    state: stamped(
      remembered.stored?.value,
      {
        ...step.state,
        targetUid: target.uid,
        identity: identity.identity,
        ...(Object.keys(live.liveness).length === 0 ? {} : { liveness: live.liveness }),
        ...probeOf(settings),
        guarded: {
          allowedCIDRs: link.allowedCIDRs,
          serviceRanges: source.serviceRanges.cidrs,
          apiServers: [...source.apiServers].sort(compareText),
        },
      },
      Math.floor(world.clock.now() / 1000),
    ),
  };
};
