// Who may have a name that several want.
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../lib/model/desired.ts';
import type { Service } from '../../lib/model/objects.ts';
import { type Claim, findWinners, nameConflict } from '../../lib/plan/claims.ts';
import { standingOf } from '../../lib/plan/standing.ts';
import {
  decision,
  desiredHeadless,
  desiredPod,
  mirrorService,
  OURS,
  podService,
  sourceOf,
} from '../support/model-builders.ts';

/** The decision to mirror `shop/<name>` pod by pod. */
const headless = (name: string, ...hostnames: string[]): Decision =>
  decision(name, { desired: desiredHeadless(hostnames.map((hostname) => desiredPod(hostname))) });

/** The decision that `shop/<name>` is exported but cannot be mirrored. */
const declined = (name: string): Decision => {
  const { desired: _, ...rest } = decision(name);
  return rest;
};

const NAME = { namespace: 'shop', name: 'db-0-west' };
const own = (name: string): Claim => ({ service: { namespace: 'shop', name } });
const pod = (name: string, hostname: string): Claim => ({
  service: { namespace: 'shop', name },
  hostname,
  root: { namespace: 'shop', name: `${name}-west` },
});

const OF_ORDERS = podService('db-0', '10.96.0.10', {
  meta: { labels: { ...OURS, 'mirror.linkerd.io/headless-mirror-svc-name': 'orders-west' } },
});
const OF_DB = podService('db-0', '10.96.0.10');
const OWN = mirrorService({ meta: { name: 'db-0-west' } });

interface Row {
  readonly name: string;
  readonly decisions: readonly Decision[];
  readonly services?: readonly Service[];
  readonly keeps: Claim;
  readonly loses: Claim;
}

const SERVICE_AND_POD = [decision('db-0'), headless('db', 'db-0')];
const TWO_ROOTS = [headless('orders', 'db-0'), headless('db', 'db-0')];

describe('findWinners', () => {
  it.each<Row>([
    {
      name: "nobody stands there: a Service's own mirror comes before a pod",
      decisions: SERVICE_AND_POD,
      keeps: own('db-0'),
      loses: pod('db', 'db-0'),
    },
    {
      name: 'the endpoint mirror stands there: the pod keeps it',
      decisions: SERVICE_AND_POD,
      services: [OF_DB],
      keeps: pod('db', 'db-0'),
      loses: own('db-0'),
    },
    {
      name: "the Service's own mirror stands there",
      decisions: SERVICE_AND_POD,
      services: [OWN],
      keeps: own('db-0'),
      loses: pod('db', 'db-0'),
    },
    {
      name: 'nobody stands there: of two roots the first in the alphabet',
      decisions: TWO_ROOTS,
      keeps: pod('db', 'db-0'),
      loses: pod('orders', 'db-0'),
    },
    {
      name: 'the pod of the second root stands there',
      decisions: TWO_ROOTS,
      services: [OF_ORDERS],
      keeps: pod('orders', 'db-0'),
      loses: pod('db', 'db-0'),
    },
    {
      name: 'a pod of a root that wants it no more stands there: the order decides',
      decisions: SERVICE_AND_POD,
      services: [OF_ORDERS],
      keeps: own('db-0'),
      loses: pod('db', 'db-0'),
    },
    {
      name: 'what is declined but exported wants its name all the same',
      decisions: [declined('db-0'), headless('db', 'db-0')],
      keeps: own('db-0'),
      loses: pod('db', 'db-0'),
    },
    {
      name: 'a root is a Service too',
      decisions: [headless('db-0', 'db-0-0'), headless('db', 'db-0')],
      keeps: own('db-0'),
      loses: pod('db', 'db-0'),
    },
  ])('$name', ({ decisions, services = [], keeps, loses }) => {
    const standing = standingOf(sourceOf({ services }), 'west');
    for (const given of [decisions, decisions.toReversed()]) {
      const winner = findWinners(given, standing);
      expect(winner(NAME, keeps)).toBeUndefined();
      expect(winner(NAME, loses)).toEqual(keeps);
    }
  });

  it.each<[string, readonly Decision[], Claim]>([
    ['a name that one wants', [headless('db', 'db-0')], pod('db', 'db-0')],
    [
      'the same Service, exported no more',
      [decision('db-0', { protects: false }), headless('db', 'db-0')],
      pod('db', 'db-0'),
    ],
    [
      'D6: the same name in another namespace',
      [decision('db-0', { mirror: { namespace: 'other', name: 'db-0-west' } }), headless('db', 'db-0')],
      pod('db', 'db-0'),
    ],
    ['no pod anywhere', [decision('db-0'), decision('db')], own('db-0')],
  ])('%s: no conflict', (_name, decisions, claim) => {
    expect(findWinners(decisions, standingOf(sourceOf(), 'west'))(NAME, claim)).toBeUndefined();
  });
});

describe('nameConflict', () => {
  const winner = findWinners(SERVICE_AND_POD, standingOf(sourceOf(), 'west'));
  const standing = findWinners(SERVICE_AND_POD, standingOf(sourceOf({ services: [OF_DB] }), 'west'));

  it('E1: names both, and is about the Service that does not get the name', () => {
    expect(nameConflict(NAME, pod('db', 'db-0'), winner)).toEqual({
      namespace: 'shop',
      name: 'db',
      hostname: 'db-0',
      reason: 'NameConflict',
      message:
        'shop/db-0-west is wanted by the endpoint mirror of pod db-0 of Service shop/db and by the mirror of Service shop/db-0, which keeps it',
    });
    expect(nameConflict(NAME, own('db-0'), standing)).toEqual({
      namespace: 'shop',
      name: 'db-0',
      reason: 'NameConflict',
      message:
        'shop/db-0-west is wanted by the mirror of Service shop/db-0 and by the endpoint mirror of pod db-0 of Service shop/db, which keeps it',
    });
  });

  it('says nothing to the one that keeps it', () => {
    expect(nameConflict(NAME, own('db-0'), winner)).toBeUndefined();
    expect(nameConflict(NAME, pod('db', 'db-0'), standing)).toBeUndefined();
  });
});
