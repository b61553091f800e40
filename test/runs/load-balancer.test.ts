// Names of load balancers that a link wants AWS to be asked for as well, in a deployment that may ask and in one that may not.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LinkDocument } from '../../lib/model/link.ts';
import type { LoadBalancerView, LoadBalancerWitness } from '../../lib/ports.ts';
import { refresh } from '../../lib/runs/refresh.ts';
import { resync, resyncRequest } from '../../lib/runs/resync.ts';
import { workOn } from '../../lib/runs/work.ts';
import type { RunWorld } from '../../lib/runs/world.ts';
import { aService, aSlice, GATEWAY_HOST } from '../support/builders.ts';
import { endpointsOf, slicesOf } from '../support/lab.ts';
import { openRunLab, type RunLab } from '../support/run-lab.ts';

const ROLE = 'arn:aws:iam::444455556666:role/mirror';
const [A, B, C] = ['203.0.113.10', '203.0.113.20', '203.0.113.30'] as const;
const ZONES = { [A]: 'eu-central-1a', [B]: 'eu-central-1b' } as const; // of the third one none is known
const ASKING: Partial<LinkDocument> = { gateway: { loadBalancer: {} } };

interface TestWitness extends LoadBalancerWitness {
  view: LoadBalancerView | undefined;
  readonly asked: unknown[];
}

const testWitness = (): TestWitness => {
  const asked: unknown[] = [];
  const witness: TestWitness = {
    view: { kind: 'complete', addresses: [A, B, C], zones: ZONES },
    asked,
    addresses: (hostname, access) => {
      asked.push([hostname, access]);
      return Promise.resolve(witness.view);
    },
  };
  return witness;
};

let lab: RunLab;
let aws: TestWitness;
let world: RunWorld;
beforeEach(async () => {
  lab = await openRunLab();
  aws = testWitness();
  world = { ...lab.world, loadBalancers: aws };
  lab.dns.set(GATEWAY_HOST, [A]);
  await lab.target.create('Service', aService());
  await lab.target.create('EndpointSlice', aSlice());
});
afterEach(() => lab.close());

const reconcile = (link = 'west') => workOn(world, { link, hop: 0 }, lab.clock.now() + 60_000);
const reconcileAgain = async () => {
  const again = await reconcile();
  if (again.kind !== 'reconciled') throw new Error(`expected a reconcile, got ${again.kind}`);
  return again;
};
const goOff = () => {
  lab.clock.advance(62);
  return refresh(world, { hostname: GATEWAY_HOST, family: 'IPv4', due: 0, hop: 0 }, lab.clock.now() + 60_000);
};
const ready = async (name = 'web-west') =>
  (await endpointsOf(lab.source, { namespace: 'shop', name }))?.ready;

describe('a link that wants AWS to be asked', () => {
  it('has all addresses of its load balancer, whichever zone DNS names', async () => {
    await lab.store(ASKING);
    await reconcile();
    expect(await ready()).toEqual([A, B, C]);
    lab.dns.set(GATEWAY_HOST, [B]);
    for (let look = 0; look < 4; look += 1) {
      expect(await goOff()).toEqual({ kind: 'asked', answer: 'addresses', changed: {}, age: 0 });
    }
    expect(await ready()).toEqual([A, B, C]);
  });

  it.each([
    ['of one account and region', '111122223333', ['eu-central-1a', 'eu-central-1b', undefined]],
    ['of two accounts, in which one name means two zones', '444455556666', [undefined, undefined, undefined]],
  ])('lists zones with their hints where both clusters are %s', async (_name, account, expected) => {
    const cluster = (owner: string, name: string) => ({
      eks: `arn:aws:eks:eu-central-1:${owner}:cluster/${name}`,
    });
    const clusters = { source: cluster('111122223333', 'east'), target: cluster(account, 'west') };
    await lab.store({ ...ASKING, ...clusters, endpoints: 'endpointslices' });
    await reconcile();
    const zonesIn = async () => {
      const [slice] = await slicesOf(lab.source);
      const rows: readonly { zone?: string; hints?: { forZones: readonly { name: string }[] } }[] =
        slice?.['endpoints'] ?? [];
      expect(rows.map(({ hints }) => hints?.forZones.map(({ name }) => name).join())).toEqual(
        rows.map(({ zone }) => zone),
      );
      return rows.map(({ zone }) => zone);
    };
    expect(await zonesIn()).toEqual(expected);
    const { report } = await reconcileAgain();
    expect(report.changes).toEqual([]);
    aws.view = { kind: 'complete', addresses: [A, B], zones: ZONES };
    expect(await goOff()).toMatchObject({ changed: { west: 'followed' } });
    expect((await zonesIn()).slice(0, 2)).toEqual(expected.slice(0, 2));
  });

  it('loses an address that neither knows any more', async () => {
    await lab.store(ASKING);
    await reconcile();
    aws.view = { kind: 'complete', addresses: [A, B], zones: ZONES };
    expect(await goOff()).toMatchObject({ changed: { west: 'followed' } });
    expect(await ready()).toEqual([A, B]);
  });

  it('keeps its addresses while AWS does not answer, and is told why', async () => {
    await lab.store(ASKING);
    await reconcile();
    aws.view = { kind: 'unknown', why: 'no answer from AWS within 4 s' };
    expect(await goOff()).toEqual({
      kind: 'asked',
      answer: 'addresses',
      changed: {},
      untold: 'no answer from AWS within 4 s',
      age: 0,
    });
    expect(await ready()).toEqual([A, B, C]);
  });

  it('A2: does not let DNS be asked while AWS still makes its load balancer', async () => {
    aws.view = { kind: 'pending' };
    await lab.store(ASKING);
    await reconcile();
    expect(lab.dns.asked).toEqual([]);
    expect(await ready()).toEqual([]);
    aws.view = { kind: 'complete', addresses: [A, B, C], zones: ZONES };
    expect(await goOff()).toMatchObject({ answer: 'addresses' });
    await reconcile();
    expect(await ready()).toEqual([A, B, C]);
  });

  it('takes the answer of DNS as it is where the name is not one that AWS can be asked for', async () => {
    aws.view = undefined;
    await lab.store(ASKING);
    await reconcile();
    expect(await ready()).toEqual([A]);
  });

  it('shows the same by a dry run', async () => {
    await lab.store(ASKING);
    const request = resyncRequest.parse({ link: 'west', dryRun: true });
    await resync(world, request, lab.clock.now() + 60_000);
    expect(aws.asked).toEqual([[GATEWAY_HOST, {}]]);
    expect(await world.names.list()).toEqual([]);
  });

  it('lets its role be used for a name that it shares, and shares the answer', async () => {
    await lab.store({ name: 'north' });
    await lab.store({ gateway: { loadBalancer: { roleArn: ROLE, externalId: 'x' } } });
    await reconcile('north');
    await reconcile();
    expect(aws.asked).toEqual([]); // north did not want it, and the name is known
    await goOff();
    expect(aws.asked).toEqual([[GATEWAY_HOST, { roleArn: ROLE, externalId: 'x' }]]);
    expect([await ready(), await ready('web-north')]).toEqual([
      [A, B, C],
      [A, B, C],
    ]);
  });
});

describe('AWS is not asked', () => {
  it('for links that do not want it', async () => {
    await lab.store({});
    await reconcile();
    await goOff();
    expect(aws.asked).toEqual([]);
    expect(await ready()).toEqual([A]);
  });

  it('where the deployment may not, and then no link is read for it', async () => {
    world = lab.world;
    await lab.store(ASKING);
    await reconcile();
    expect(await ready()).toEqual([A]);
    const read: string[] = [];
    const { links } = world;
    world = {
      ...world,
      links: { ...links, get: (name) => (read.push(name), links.get(name)) },
    };
    await goOff();
    expect(read).toEqual([]);
  });
});
