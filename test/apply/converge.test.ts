// Following up what met something else than was seen.
import { describe, expect, it } from 'vitest';
import { converge } from '../../lib/apply/converge.ts';
import type { PlanAgain, Replanner } from '../../lib/apply/replanner.ts';
import { keyText, type ObjectKey } from '../../lib/model/keys.ts';
import type { Change, Outcome, Plan, Refusal } from '../../lib/model/plan.ts';
import type { SourceSnapshot } from '../../lib/model/snapshot.ts';
import { testClock } from '../support/clock.ts';
import { sourceOf } from '../support/model-builders.ts';
import { aCreate, aDelete, anUpdate } from './changes.ts';
import { type Script, scriptedCluster } from './scripted-cluster.ts';

type Again = Partial<Pick<Plan, 'changes' | 'refusals'>>;

interface Given {
  readonly changes: readonly Change[];
  readonly refusals?: readonly Refusal[];
  readonly script: Script;
  /** What each further plan of a mirror says, by `namespace/name`, one after the other. */
  readonly again?: Readonly<Record<string, readonly Again[]>>;
  readonly canRead?: boolean; // the objects of a mirror
  readonly canDecide?: boolean; // the target cluster
}

const run = async ({
  changes,
  refusals = [],
  script,
  again = {},
  canRead = true,
  canDecide = true,
}: Given) => {
  const clock = testClock(0);
  const source = scriptedCluster(clock, script);
  const read: string[][] = [];
  const snapshots: SourceSnapshot[] = [];
  const left = new Map(Object.entries(again).map(([mirror, plans]) => [mirror, [...plans]]));
  const why = { what: 'source cluster', message: 'timeout' };
  let decided = 0;
  const planAgain: PlanAgain = (snapshot, mirror) => {
    snapshots.push(snapshot);
    return { changes: [], refusals: [], ...left.get(keyText(mirror))?.shift() };
  };
  const replanner: Replanner = {
    readAgain: (_snapshot, names: readonly ObjectKey[]) => {
      read.push(names.map(keyText));
      if (!canRead) return Promise.resolve({ observed: false, why, reason: 'Unobserved' });
      return Promise.resolve({ observed: true, value: { ...sourceOf(), uid: `read ${read.length}` } });
    },
    decideAgain: () => {
      decided += 1;
      return Promise.resolve(canDecide ? planAgain : undefined);
    },
  };
  const plan: Plan = { changes, refusals, unobserved: [], notes: [] };
  const context = { source, clock, hindrance: () => Promise.resolve(undefined) };
  const done = await converge(context, plan, sourceOf(), replanner);
  const seen = snapshots.map(({ uid }) => uid);
  return { ...done, read, asked: source.asked, decided, seen, slept: clock.slept };
};

const shown = ({ outcomes }: { readonly outcomes: readonly Outcome[] }): readonly string[] =>
  outcomes
    .map(
      ({ change, result, message }) =>
        `${result} ${change.action} ${change.kind} ${change.name}${message === undefined ? '' : `: ${message}`}`,
    )
    .toSorted();

const CONFLICT = { kind: 'conflict' } as const;
const NOT_OWNED: Refusal = {
  namespace: 'shop',
  name: 'web',
  reason: 'NotOwned',
  message: 'somebody took it',
};
const FEDERATED: Refusal = { namespace: 'shop', name: 'web', reason: 'Unsupported', message: 'federated' };

describe('converge', () => {
  it('reads nothing again when nothing conflicts', async () => {
    const done = await run({ changes: [aCreate()], script: {} });
    expect(shown(done)).toEqual(['applied create Service web-west']);
    expect(done.read).toEqual([]);
    expect(done.decided).toBe(0);
    expect(done.refusals).toEqual([]);
  });

  it('C5: a conflict is planned again from what stands there now, and that change has the outcome', async () => {
    const newer = anUpdate({ kind: 'Endpoints' });
    const done = await run({
      changes: [anUpdate({ kind: 'Endpoints' })],
      script: { PATCH: [CONFLICT] },
      again: { 'shop/web-west': [{ changes: [newer] }] },
    });
    expect(shown(done)).toEqual(['applied update Endpoints web-west']);
    expect(done.outcomes[0]?.change).toBe(newer);
    expect(done.asked).toHaveLength(2);
    expect(done.seen).toEqual(['read 1']);
  });

  it('E10: a conflict that leaves nothing to do was our own write, or somebody who did the same', async () => {
    const done = await run({ changes: [aCreate()], script: { POST: [{ kind: 'exists' }] } });
    expect(shown(done)).toEqual(['applied create Service web-west: nothing was left to do']);
    expect(done.refusals).toEqual([]);
  });

  it('E3: a foreign object that took the name meanwhile is a refusal, and the change did not happen', async () => {
    const done = await run({
      changes: [aCreate()],
      script: { POST: [{ kind: 'exists' }] },
      again: { 'shop/web-west': [{ refusals: [NOT_OWNED] }] },
    });
    expect(shown(done)).toEqual(['skipped create Service web-west: somebody took it']);
    expect(done.refusals).toEqual([NOT_OWNED]);
    expect(done.asked).toHaveLength(1);
  });

  it('a refusal that was there from the start is no obstacle, and is not reported twice', async () => {
    const done = await run({
      changes: [aCreate()],
      refusals: [FEDERATED],
      script: { POST: [{ kind: 'exists' }] },
      again: { 'shop/web-west': [{ refusals: [FEDERATED] }] },
    });
    expect(shown(done)).toEqual(['applied create Service web-west: nothing was left to do']);
    expect(done.refusals).toEqual([]);
  });

  it('what was applied before the conflict stays applied; what was skipped is settled with it', async () => {
    const endpoints = aCreate({ kind: 'Endpoints', needsEarlier: true });
    const done = await run({
      changes: [
        anUpdate(),
        anUpdate({ kind: 'EndpointSlice', name: 'slice', mirror: 'web-west' }),
        endpoints,
      ],
      script: { 'PATCH EndpointSlice': [CONFLICT] },
      again: { 'shop/web-west': [{ changes: [endpoints] }] },
    });
    expect(shown(done)).toEqual(['applied create Endpoints web-west', 'applied update Service web-west']);
  });

  it('neighbours of a conflict keep their outcomes and are not read again', async () => {
    const done = await run({
      changes: [aCreate(), aCreate({ name: 'api-west' }), aCreate({ name: 'bad-west' })],
      script: {
        'POST Service shop/web-west': [{ kind: 'exists' }],
        'POST Service shop/bad-west': [{ kind: 'invalid' }],
      },
    });
    expect(shown(done)).toEqual([
      'applied create Service api-west',
      'applied create Service web-west: nothing was left to do',
      'failed create Service bad-west: it was invalid',
    ]);
    expect(done.read).toEqual([['shop/web-west']]);
  });

  it('every Service and Endpoints that the changes of the mirror name is read again, once each', async () => {
    const done = await run({
      changes: [
        anUpdate({ name: 'db-0-west', mirror: 'db-west' }),
        anUpdate({ kind: 'Endpoints', name: 'db-0-west', mirror: 'db-west' }),
        anUpdate({ kind: 'EndpointSlice', name: 'slice', mirror: 'db-west' }),
      ],
      script: { 'PATCH Service': [CONFLICT] },
    });
    expect(done.read).toEqual([['shop/db-west', 'shop/db-0-west']]);
  });

  it('a slice of a headless mirror is read again by the part that it belongs to', async () => {
    const slice = { kind: 'EndpointSlice', mirror: 'db-west' } as const;
    const done = await run({
      changes: [
        anUpdate({ ...slice, name: 'a-slice', part: 'db-0-west' }),
        anUpdate({ ...slice, name: 'another', part: 'db-1-west' }),
        anUpdate({ ...slice, name: 'of-the-root' }),
      ],
      script: { 'PATCH EndpointSlice shop/a-slice': [CONFLICT] },
    });
    expect(done.read).toEqual([['shop/db-west', 'shop/db-0-west', 'shop/db-1-west']]);
  });

  it('somebody who writes as fast as we do is left for the next run after three more rounds', async () => {
    const done = await run({
      changes: [anUpdate()],
      script: { PATCH: [CONFLICT, CONFLICT, CONFLICT, CONFLICT, CONFLICT] },
      again: { 'shop/web-west': Array.from({ length: 5 }, () => ({ changes: [anUpdate()] })) },
    });
    expect(shown(done)).toEqual(['failed update Service web-west: it was conflict']);
    expect(done.asked).toHaveLength(4);
    expect(done.seen).toEqual(['read 1', 'read 2', 'read 3']);
  });

  it('what cannot be read again stays a conflict, and it is told why', async () => {
    const done = await run({ changes: [anUpdate()], script: { PATCH: [CONFLICT] }, canRead: false });
    expect(shown(done)).toEqual(['failed update Service web-west: it was conflict; not read again: timeout']);
    expect(done.seen).toEqual([]);
  });

  it('K3: while the target cannot be seen again nothing is planned on what was seen before', async () => {
    const done = await run({ changes: [anUpdate()], script: { PATCH: [CONFLICT] }, canDecide: false });
    expect(shown(done)).toEqual(['failed update Service web-west: it was conflict']);
    expect(done.read).toEqual([]);
  });

  it('the target is looked at once for all mirrors that conflicted', async () => {
    const done = await run({
      changes: [aCreate(), aCreate({ name: 'api-west' })],
      script: { POST: [{ kind: 'exists' }, { kind: 'exists' }] },
    });
    expect(done.decided).toBe(1);
    expect(done.read.map((names) => names.join(' ')).toSorted()).toEqual(['shop/api-west', 'shop/web-west']);
  });

  it('E10: a delete that is not wanted any more did not happen', async () => {
    const done = await run({ changes: [aDelete()], script: { DELETE: [CONFLICT] } });
    expect(shown(done)).toEqual(['skipped delete Service web-west: it is wanted again']);
    expect(done.asked).toHaveLength(1);
  });

  it.each([
    ['invalid', 'InvalidService'],
    ['notFound', 'MissingNamespace'],
    ['denied', 'Error'],
  ] as const)('what the server will not do (%s) is a refusal that names the object', async (kind, reason) => {
    const done = await run({ changes: [aCreate()], script: { POST: [{ kind }] } });
    expect(done.refusals).toEqual([
      { namespace: 'shop', name: 'web-west', reason, message: `Service shop/web-west: it was ${kind}` },
    ]);
  });

  it('a server that did not answer has refused nothing', async () => {
    const silence = Array.from({ length: 20 }, () => ({ kind: 'busy' }) as const);
    const done = await run({ changes: [aCreate()], script: { POST: silence } });
    expect(shown(done)).toEqual(['failed create Service web-west: it was busy']);
    expect(done.refusals).toEqual([]);
  });
});

describe('a Service that is deleted and made again', () => {
  const MADE_AGAIN: readonly Change[] = [
    aDelete({ kind: 'Endpoints' }),
    aDelete(),
    aCreate(),
    aCreate({ kind: 'Endpoints' }),
  ];

  it('D14: is looked at once more a second later, and Endpoints that were deleted under our hands are put back', async () => {
    const again = aCreate({ kind: 'Endpoints' });
    const done = await run({
      changes: MADE_AGAIN,
      script: {},
      again: { 'shop/web-west': [{ changes: [again] }] },
    });
    expect(done.slept).toEqual([1000]);
    expect(done.read).toEqual([['shop/web-west']]);
    expect(done.asked.slice(4)).toEqual(['POST Endpoints shop/web-west']);
    expect(done.outcomes).toHaveLength(5);
    expect(done.outcomes.at(-1)).toEqual({ change: again, result: 'applied' });
  });

  it('D14: has its four outcomes when all of it is still there', async () => {
    const done = await run({ changes: MADE_AGAIN, script: {} });
    expect(shown(done)).toEqual([
      'applied create Endpoints web-west',
      'applied create Service web-west',
      'applied delete Endpoints web-west',
      'applied delete Service web-west',
    ]);
    expect(done.decided).toBe(1);
  });

  it.each<[string, readonly Change[], Script]>([
    ['is only made', [aCreate(), aCreate({ kind: 'Endpoints' })], {}],
    ['is only deleted', [aDelete({ kind: 'Endpoints' }), aDelete()], {}],
    [
      'lists nobody itself: its slices have an owner',
      [aDelete(), aCreate(), aCreate({ kind: 'EndpointSlice' })],
      {},
    ],
    ['could not be deleted', MADE_AGAIN, { 'DELETE Service': [{ kind: 'denied' }] }],
    ['is another one', [aDelete({ name: 'old-west' }), aCreate({ kind: 'Endpoints' })], {}],
  ])('is not looked at again when it %s', async (_name, changes, script) => {
    const done = await run({ changes, script });
    expect([done.slept, done.read]).toEqual([[], []]);
  });

  it('is left to the next run when too little can be seen', async () => {
    const [blind, unread] = [
      await run({ changes: MADE_AGAIN, script: {}, canDecide: false }),
      await run({ changes: MADE_AGAIN, script: {}, canRead: false }),
    ];
    expect([blind.outcomes.length, unread.outcomes.length]).toEqual([4, 4]);
  });
});
