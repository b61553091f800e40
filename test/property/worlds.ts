// Random pairs of clusters: what a target exports and what somebody left in the source. Every shape is one the code must tell apart.
import * as fc from 'fast-check';
import type { LinkDocument } from '../../lib/model/link.ts';
import { aGateway } from '../support/builders.ts';
import { type Leftover, leftoversOf } from './leftovers.ts';
import { mostly, type Placed } from './pools.ts';
import { exports } from './targets.ts';

export interface World {
  readonly link: Partial<LinkDocument>;
  readonly target: readonly Placed[];
  /** What the target exported before, and the link has mirrored; absent: the link is new. */
  readonly before?: readonly Placed[];
  readonly source: readonly Leftover[];
  readonly hasBothFamilies: boolean; // the source cluster
}

/** Of the target's namespaces only these exist in the source cluster. */
export const SOURCE_NAMESPACES = ['shop', 'other', 'linkerd-multicluster'] as const;

const GATEWAY_ADDRESSES = ['198.51.100.10', '198.51.100.11', '203.0.113.7', '2001:db8::1'];

const gateway = fc
  .record({
    addresses: fc.subarray(GATEWAY_ADDRESSES),
    identity: mostly('gw.id', ''),
  })
  .map(({ addresses, identity }) => aGateway({ ingress: addresses.map((ip) => ({ ip })), identity }));

const link: fc.Arbitrary<Partial<LinkDocument>> = fc
  .record({
    endpoints: fc.constantFrom<'endpoints' | 'endpointslices'>('endpoints', 'endpointslices'),
    headless: mostly(true, false),
    endpointMirrorGrace: fc.constantFrom(0, 300),
    ipFamilies: mostly<'single' | 'dual'>('single', 'dual'),
    namespaces: mostly({}, { deny: ['other'] }),
    createNamespaces: fc.boolean(),
    excludedLabels: mostly<readonly string[]>([], ['tier']),
    deleteBrake: mostly({}, { percent: 0, atLeast: 0 }),
    isWithoutGateway: mostly(false, false, true),
  })
  .map(({ isWithoutGateway, excludedLabels, ...rest }) => ({
    ...rest,
    excludedLabels: [...excludedLabels],
    ...(isWithoutGateway ? { gateway: 'none' as const } : {}),
  }));

const worldWith = (
  source: fc.Arbitrary<readonly Leftover[]>,
  { isNew }: { readonly isNew: boolean },
): fc.Arbitrary<World> =>
  fc
    .record({
      link,
      exports,
      gateway: fc.option(gateway, { nil: undefined, freq: 8 }),
      source,
      hasBothFamilies: mostly(false, true),
    })
    .map(({ exports: { before, now }, gateway: found, ...given }) => {
      const gateways = found === undefined ? [] : [{ resource: 'services' as const, object: found }];
      return {
        ...given,
        target: [...now, ...gateways],
        ...(isNew ? {} : { before: [...before, ...gateways] }),
      };
    });

/** The target of a new link, or of one whose target has moved on since its first run. */
export const world = fc.oneof(
  worldWith(leftoversOf({ min: 0, max: 5 }), { isNew: true }),
  worldWith(leftoversOf({ min: 0, max: 1 }), { isNew: false }),
);

/** A source cluster full of leftovers: too slow to put on a server again and again, right for pure functions. */
export const crowdedWorld = worldWith(leftoversOf({ min: 6, max: 16 }), { isNew: true });
