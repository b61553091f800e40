// The stages of a headless mirror: its parts side by side, and what one that fails means for the others.
import { describe, expect, it } from 'vitest';
import type { Change, ClusterIPOf } from '../../lib/model/plan.ts';
import { apply, EARLIER, shown } from './applying.ts';
import { aCreate, aDelete, anUpdate } from './changes.ts';

const DB = { mirror: 'db-west' } as const;
const pods = (count: number): readonly string[] =>
  Array.from({ length: count }, (_unused, index) => `db-${index}-west`);

const of = (name: string, given: Partial<ClusterIPOf> = {}): ClusterIPOf => ({
  clusterIPOf: { namespace: 'shop', name },
  family: 'IPv4',
  ...given,
});

/** A pod's two objects, made once the root's Service is there. */
const podChanges = (name: string, mirror = 'db-west'): readonly Change[] => [
  aCreate({ name, mirror, part: name, stage: 1, needsEarlier: true }),
  aCreate({ kind: 'Endpoints', name, mirror, part: name, stage: 1, needsEarlier: true }),
];

/** What the root lists, by pod. */
const rootList = (ips: readonly ClusterIPOf[]): Change => {
  const change = aCreate({ kind: 'Endpoints', name: 'db-west', stage: 2, needsEarlier: true });
  const addresses = ips.map((ip) => ({ ip, hostname: ip.clusterIPOf.name.replace('-west', '') }));
  return { ...change, body: { ...change.body, subsets: [{ addresses, ports: [] }] } };
};

const cold = (names: readonly string[]): readonly Change[] => [
  aCreate({ name: 'db-west' }),
  ...names.flatMap((name) => podChanges(name)),
  rootList(names.map((name) => of(name))),
];

const IPS = { 'db-0-west': ['10.96.0.10'], 'db-1-west': ['10.96.0.11'] };
const listed = (sent: object | undefined): unknown => Object(sent)['subsets'];
const INVALID = { kind: 'invalid' } as const;

describe('stages of a mirror', () => {
  it('D1: each waits for all of the former; the changes of one part run one after the other', async () => {
    const { source, applied } = await apply(cold(pods(2)), { clusterIPs: IPS });
    expect(source.asked).toEqual([
      'POST Service shop/db-west',
      'POST Service shop/db-0-west',
      'POST Service shop/db-1-west',
      'POST Endpoints shop/db-0-west',
      'POST Endpoints shop/db-1-west',
      'POST Endpoints shop/db-west',
    ]);
    expect(applied.every(({ result }) => result === 'applied')).toBe(true);
  });

  it('their number counts, whatever the order of the changes', async () => {
    const { source } = await apply(cold(pods(1)).toReversed(), { clusterIPs: IPS });
    expect(source.asked).toEqual([
      'POST Service shop/db-west',
      'POST Endpoints shop/db-0-west',
      'POST Service shop/db-0-west',
      'POST Endpoints shop/db-west',
    ]);
  });

  it('one part that is slow holds up the next stage', async () => {
    const busy = Array.from({ length: 3 }, () => ({ kind: 'busy' }) as const);
    const { source } = await apply(cold(pods(2)), {
      clusterIPs: IPS,
      script: { 'POST Endpoints shop/db-0-west': busy },
    });
    expect(source.asked.at(-1)).toBe('POST Endpoints shop/db-west');
    expect(source.asked.at(-2)).toBe('POST Endpoints shop/db-0-west');
    expect(source.asked).toHaveLength(9);
  });

  it('parts run side by side, eight at once and never more', async () => {
    const { source, applied } = await apply(cold(pods(20)));
    expect(applied).toHaveLength(42);
    expect(source.mostAtOnce()).toBe(8);
  });

  it('eight at once in all, however many mirrors have parts', async () => {
    const other = pods(10).map((name) => `x-${name}`);
    const { source, applied } = await apply([
      ...cold(pods(10)),
      aCreate({ name: 'x-west' }),
      ...other.flatMap((name) => podChanges(name, 'x-west')),
    ]);
    expect(applied).toHaveLength(43);
    expect(source.mostAtOnce()).toBe(8);
  });

  it('a mirror that was begun is ended before new ones begin', async () => {
    const names = Array.from({ length: 20 }, (_unused, index) => `m${index}-west`);
    const { source } = await apply(
      names.flatMap((name) => [
        aCreate({ name }),
        aCreate({ kind: 'Endpoints', name, stage: 2, needsEarlier: true }),
      ]),
    );
    const at = (request: string): number => source.asked.indexOf(request);
    expect(at('POST Endpoints shop/m0-west')).toBeGreaterThan(at('POST Service shop/m0-west'));
    expect(at('POST Endpoints shop/m0-west')).toBeLessThan(at('POST Service shop/m19-west'));
    expect(at('POST Endpoints shop/m7-west')).toBeLessThan(at('POST Service shop/m19-west'));
  });
});

describe('a change of a headless mirror that is not applied', () => {
  it("the root's Service: no pod is made and nothing is listed, but what stands is kept right", async () => {
    const { applied } = await apply(
      [
        ...cold(pods(1)),
        anUpdate({ ...DB, name: 'db-1-west', part: 'db-1-west', stage: 1 }),
        aDelete({ ...DB, name: 'db-2-west', part: 'db-2-west', stage: 3, needsEarlier: true }),
      ],
      { script: { 'POST Service shop/db-west': [INVALID] } },
    );
    expect(shown(applied).toSorted()).toEqual([
      'applied Service db-1-west',
      'failed Service db-west: it was invalid',
      `skipped Endpoints db-0-west: ${EARLIER}`,
      `skipped Endpoints db-west: ${EARLIER}`,
      `skipped Service db-0-west: ${EARLIER}`,
      `skipped Service db-2-west: ${EARLIER}`,
    ]);
  });

  it('one pod: the others are made, and the root lists them without it', async () => {
    const { applied, source } = await apply(cold(pods(2)), {
      clusterIPs: IPS,
      script: { 'POST Service shop/db-0-west': [INVALID] },
    });
    expect(shown(applied).toSorted()).toEqual([
      'applied Endpoints db-1-west',
      'applied Endpoints db-west',
      'applied Service db-1-west',
      'applied Service db-west',
      'failed Service db-0-west: it was invalid',
      `skipped Endpoints db-0-west: ${EARLIER}`,
    ]);
    expect(listed(source.sent.at(-1))).toEqual([
      { addresses: [{ ip: '10.96.0.11', hostname: 'db-1' }], ports: [] },
    ]);
  });

  it.each(['invalid', 'conflict', 'exists'] as const)(
    "a pod's list (%s): its Service is there, but the root does not list it",
    async (kind) => {
      const { source } = await apply(cold(pods(2)), {
        clusterIPs: IPS,
        script: { 'POST Endpoints shop/db-1-west': [{ kind }] },
      });
      expect(listed(source.sent.at(-1))).toEqual([
        { addresses: [{ ip: '10.96.0.10', hostname: 'db-0' }], ports: [] },
      ]);
    },
  );

  it('all pods: the root lists nobody', async () => {
    const { source } = await apply(cold(pods(2)), {
      script: { 'POST Service shop/db-0-west': [INVALID], 'POST Service shop/db-1-west': [INVALID] },
    });
    expect(source.asked.at(-1)).toBe('POST Endpoints shop/db-west');
    expect(listed(source.sent.at(-1))).toEqual([]);
  });

  it('what the root lists: nothing that it may still point to is removed', async () => {
    const { applied } = await apply(
      [
        anUpdate({ kind: 'Endpoints', name: 'db-west', stage: 2 }),
        aDelete({ ...DB, name: 'db-2-west', part: 'db-2-west', stage: 3, needsEarlier: true }),
      ],
      { script: { 'PATCH Endpoints shop/db-west': [INVALID] } },
    );
    expect(shown(applied)).toEqual([
      'failed Endpoints db-west: it was invalid',
      `skipped Service db-2-west: ${EARLIER}`,
    ]);
  });

  it('a part that fails does not keep another part from being removed', async () => {
    const { applied } = await apply(
      [
        ...podChanges('db-0-west'),
        aDelete({ ...DB, name: 'db-2-west', part: 'db-2-west', stage: 3, needsEarlier: true }),
      ],
      { script: { 'POST Service shop/db-0-west': [INVALID] } },
    );
    expect(shown(applied).at(-1)).toBe('applied Service db-2-west');
  });
});

describe('what a headless mirror fills in', () => {
  it('A10: the address of the family that an entry is of', async () => {
    const { source } = await apply(
      [...podChanges('db-0-west'), rootList([of('db-0-west', { family: 'IPv6' }), of('db-0-west')])],
      { clusterIPs: { 'db-0-west': ['10.96.0.10', 'fd00:10::a'] } },
    );
    expect(listed(source.sent.at(-1))).toMatchObject([
      { addresses: [{ ip: 'fd00:10::a' }, { ip: '10.96.0.10' }] },
    ]);
  });

  it('A10: nothing where the Service did not get that family', async () => {
    const { source } = await apply(
      [...podChanges('db-0-west'), rootList([of('db-0-west', { family: 'IPv6' }), of('db-0-west')])],
      { clusterIPs: IPS },
    );
    expect(listed(source.sent.at(-1))).toMatchObject([{ addresses: [{ ip: '10.96.0.10' }] }]);
  });

  it('an address that is known already, unless a change of its pod was not applied', async () => {
    const known = of('db-0-west', { ip: '10.96.0.99' });
    const filling = anUpdate({ ...DB, kind: 'Endpoints', name: 'db-0-west', part: 'db-0-west', stage: 1 });
    const well = await apply([filling, rootList([known])]);
    expect(listed(well.source.sent.at(-1))).toMatchObject([{ addresses: [{ ip: '10.96.0.99' }] }]);
    const badly = await apply([filling, rootList([known])], { script: { PATCH: [INVALID] } });
    expect(listed(badly.source.sent.at(-1))).toEqual([]);
  });

  it('an address that an update gives', async () => {
    const policy = anUpdate({ ...DB, name: 'db-0-west', part: 'db-0-west', stage: 1 });
    const { source } = await apply([policy, rootList([of('db-0-west')])], { clusterIPs: IPS });
    expect(listed(source.sent.at(-1))).toMatchObject([{ addresses: [{ ip: '10.96.0.10' }] }]);
  });

  it('C4: each slice belongs to the Service of its own part', async () => {
    const slice = (name: string, service: string) =>
      ({
        kind: 'EndpointSlice',
        ...DB,
        name,
        ownedBy: { name: service, uid: undefined },
        needsEarlier: true,
      }) as const;
    const part = (name: string) => ({ part: name, stage: 1 }) as const;
    const { source } = await apply([
      aCreate({ name: 'db-west' }),
      aCreate({ ...DB, name: 'db-0-west', ...part('db-0-west') }),
      aCreate({ ...slice('s-0', 'db-0-west'), ...part('db-0-west') }),
      aCreate({ ...DB, name: 'db-1-west', ...part('db-1-west') }),
      aCreate({ ...slice('s-1', 'db-1-west'), ...part('db-1-west') }),
      aCreate({ ...slice('s-root', 'db-west'), stage: 2 }),
    ]);
    const owners = source.sent.flatMap((sent, index): readonly (readonly [string, unknown])[] => {
      const { ownerReferences } = Object(sent)['metadata'] as { readonly ownerReferences?: unknown };
      return ownerReferences === undefined ? [] : [[source.asked[index] ?? '', ownerReferences]];
    });
    expect(Object.fromEntries(owners)).toMatchObject({
      'POST EndpointSlice shop/s-0': [{ name: 'db-0-west', uid: 'uid-of-db-0-west' }],
      'POST EndpointSlice shop/s-1': [{ name: 'db-1-west', uid: 'uid-of-db-1-west' }],
      'POST EndpointSlice shop/s-root': [{ name: 'db-west', uid: 'uid-of-db-west' }],
    });
  });

  describe('a root that is made again', () => {
    const again: readonly Change[] = [
      ...pods(2).flatMap((name) => podChanges(name)),
      { ...aDelete({ name: 'db-west', stage: 2, needsEarlier: true }), needsOnePart: true },
      { ...aCreate({ name: 'db-west', stage: 2, needsEarlier: true }), needsOnePart: true },
    ];

    it('D14: stays as it is when no endpoint mirror could be made', async () => {
      const { source, applied } = await apply(again, {
        script: { 'POST Service shop/db-0-west': [INVALID], 'POST Endpoints shop/db-1-west': [INVALID] },
      });
      expect(source.asked.filter((request) => request.endsWith('/db-west'))).toEqual([]);
      expect(shown(applied).slice(-2)).toEqual([
        `skipped Service db-west: ${EARLIER}`,
        `skipped Service db-west: ${EARLIER}`,
      ]);
    });

    it('D14: does not wait for all of them', async () => {
      const { source } = await apply(again, { script: { 'POST Service shop/db-0-west': [INVALID] } });
      expect(source.asked.slice(-2)).toEqual(['DELETE Service shop/db-west', 'POST Service shop/db-west']);
    });

    it('D14: needs none where there is no pod to be made', async () => {
      const { source } = await apply(again.slice(-2));
      expect(source.asked).toEqual(['DELETE Service shop/db-west', 'POST Service shop/db-west']);
    });
  });
});
