// What the report says of mirrors before anything is written, and why one Service is mirrored as it is.
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../lib/model/desired.ts';
import type { Change, Plan, Refusal } from '../../lib/model/plan.ts';
import type { MirrorStatus } from '../../lib/model/report.ts';
import { explain, mirrorStatuses } from '../../lib/report.ts';
import { aCreate, aDelete, anUpdate } from '../apply/changes.ts';
import {
  decision,
  desiredEndpoints,
  desiredHeadless,
  desiredMirror,
  desiredPod,
  published,
} from '../support/model-builders.ts';

const DB = { namespace: 'shop', name: 'db' };
const BECAUSE = 'it is headless and has no endpoint yet';

const planOf = (given: Partial<Plan> = {}): Plan => ({
  changes: [],
  refusals: [],
  unobserved: [],
  notes: [],
  ...given,
});

/** The decision that `shop/db` is exported, but has nothing to be written. */
const waiting = (refusals: readonly Refusal[] = []): Decision => {
  const { desired: _, ...rest } = decision('db', { refusals, because: BECAUSE });
  return rest;
};

/** The decision that it is exported and cannot be mirrored. */
const declined = (): Decision => {
  const { because: _, ...rest } = waiting([UNNAMED]);
  return rest;
};

const refusal = (reason: Refusal['reason'], name = 'db'): Refusal => ({
  namespace: 'shop',
  name,
  reason,
  message: 'why',
});

const UNNAMED = refusal('InvalidService');
const PODS = decision('db', { desired: desiredHeadless([desiredPod('db-0')]), refusals: [UNNAMED] });
const TWO = decision('db', { desired: desiredHeadless([desiredPod('db-0'), desiredPod('db-1')]) });
const POD = { mirror: 'db-west', part: 'db-0-west' } as const;

interface Row {
  readonly name: string;
  readonly decided: Decision;
  readonly plan?: Partial<Plan>;
  readonly state: string;
  readonly lists?: MirrorStatus['endpoints'] | undefined; // absent: all that is desired
}

describe('the state of a mirror', () => {
  it.each<Row>([
    { name: 'D13: nothing tells yet what it should be', decided: waiting(), state: 'waiting' },
    {
      name: 'it is declined',
      decided: declined(),
      plan: { refusals: [UNNAMED] },
      state: 'refused',
    },
    {
      name: 'it waits, and is declined as something else',
      decided: waiting([refusal('Unsupported')]),
      plan: { refusals: [refusal('Unsupported')] },
      state: 'waiting',
    },
    {
      name: 'a refusal of another Service',
      decided: waiting(),
      plan: { refusals: [refusal('Unsupported', 'web')] },
      state: 'waiting',
    },
    { name: 'nothing is to be done', decided: decision('db'), state: 'in sync' },
    {
      name: 'its name is taken',
      decided: decision('db'),
      plan: { refusals: [refusal('NotOwned')] },
      state: 'refused',
      lists: undefined, // what stands there is another's
    },
    {
      name: 'E1: the name of one pod is taken',
      decided: TWO,
      plan: { refusals: [{ ...refusal('NameConflict'), hostname: 'db-1' }] },
      state: 'in sync',
      lists: PODS.desired?.endpoints,
    },
    {
      name: 'D7: the decision itself declined some of its pods',
      decided: PODS,
      plan: { refusals: [UNNAMED] },
      state: 'in sync',
    },
    {
      name: 'the Service is to be made',
      decided: PODS,
      plan: { changes: [aCreate({ name: 'db-west' })], refusals: [UNNAMED] },
      state: 'to create',
    },
    {
      name: 'B4: what a pod lists is to be changed',
      decided: PODS,
      plan: { changes: [anUpdate({ kind: 'Endpoints', name: 'db-0-west', ...POD })] },
      state: 'to update',
    },
    {
      name: 'D1: a pod is gone',
      decided: PODS,
      plan: { changes: [aDelete({ name: 'db-1-west', ...POD })] },
      state: 'to update',
    },
    {
      name: 'changes of another mirror',
      decided: PODS,
      plan: { changes: [aCreate({ name: 'web-west' })] },
      state: 'in sync',
    },
  ])('$name: $state', ({ decided, plan, state, ...row }) => {
    expect(mirrorStatuses([decided], planOf(plan))).toEqual([
      {
        service: DB,
        mirror: { namespace: 'shop', name: 'db-west' },
        mode: 'gateway',
        state,
        endpoints: 'lists' in row ? row.lists : decided.desired?.endpoints,
      },
    ]);
  });

  it('tells nothing of what is not exported, and sorts the rest', () => {
    const { mode: _, ...plain } = decision('plain');
    const rows = mirrorStatuses([decision('web'), plain, decision('api')], planOf());
    expect(rows.map(({ service }) => service.name)).toEqual(['api', 'web']);
  });
});

describe('explain, of a headless Service', () => {
  const head = 'exported in gateway mode, its mirror is shop/db-west';
  const explained = (decided: Decision, given: Partial<Plan> = {}) => explain(DB, [decided], planOf(given));
  const listing = (...pods: Parameters<typeof desiredHeadless>[0]): Decision =>
    decision('db', { desired: desiredHeadless(pods) });
  const unready = (hostname: string) => desiredPod(hostname, { isListed: false });

  it.each<[string, Decision, string]>([
    [
      'D1: its pods',
      listing(desiredPod('db-0'), desiredPod('db-1')),
      'its mirror is headless and lists db-0 by db-0-west, db-1 by db-1-west',
    ],
    [
      'D15: some not ready',
      listing(desiredPod('db-0'), unready('db-1'), unready('db-2')),
      'its mirror is headless and lists db-0 by db-0-west; not ready and not listed: db-1, db-2',
    ],
    [
      'D15: none ready',
      listing(unready('db-0')),
      'its mirror is headless and lists no pod; not ready and not listed: db-0',
    ],
    ['D13: none left', listing(), 'its mirror is headless and lists no pod'],
    [
      'D7: with an address, as its pods have no name',
      decision('db', { desired: desiredMirror() }),
      'its mirror lists the gateway: 203.0.113.1; ports http → 4143',
    ],
    [
      'B1: with an address that is down',
      decision('db', {
        desired: desiredMirror({
          endpoints: desiredEndpoints({ addresses: [published('203.0.113.1', 'down')] }),
        }),
      }),
      'its mirror lists the gateway: 203.0.113.1 (down); ports http → 4143',
    ],
    [
      'E8: not enough was read',
      decision('db', { desired: { ...desiredHeadless([]), endpoints: 'unobserved' } }),
      'its endpoints stay as they are: not enough could be read to decide them',
    ],
  ])('%s', (_name, decided, line) => {
    expect(explained(decided)).toEqual([head, line, 'in sync: nothing to change']);
  });

  it('D13: one that waits says for what', () => {
    expect(explained(waiting())).toEqual([`${head} and is not written`, BECAUSE]);
  });

  it('E1: a pod whose name is taken is told as refused, and not as listed', () => {
    const refusals = [{ ...refusal('NameConflict'), hostname: 'db-1' }];
    expect(explained(listing(desiredPod('db-0'), desiredPod('db-1')), { refusals })).toEqual([
      head,
      'NameConflict: why',
      'its mirror is headless and lists db-0 by db-0-west',
    ]);
  });

  it("E3: a mirror whose name is another's lists nothing that could be told", () => {
    expect(explained(decision('db'), { refusals: [refusal('NotOwned')] })).toEqual([head, 'NotOwned: why']);
  });

  it('D1: the changes of its pods are among its own', () => {
    const changes: readonly Change[] = [
      { ...aCreate({ name: 'db-0-west', ...POD, stage: 1 }), reasons: ['exported'] },
      { ...anUpdate({ kind: 'Endpoints', name: 'db-west', stage: 2 }), reasons: ['addresses: a → b'] },
      { ...aDelete({ name: 'db-1-west', ...POD, stage: 3 }), reasons: ['its pod is gone'] },
      aCreate({ name: 'web-west' }),
    ];
    expect(explained(listing(desiredPod('db-0')), { changes, refusals: [UNNAMED] })).toEqual([
      head,
      'InvalidService: why',
      'its mirror is headless and lists db-0 by db-0-west',
      '+ Service shop/db-0-west: exported',
      '~ Endpoints shop/db-west: addresses: a → b',
      '- Service shop/db-1-west: its pod is gone',
    ]);
  });
});
