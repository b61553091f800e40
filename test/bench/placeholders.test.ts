// What the bare client of the bench puts in the place of ClusterIPs that a plan could not know.
import { describe, expect, it } from 'vitest';
import { waitsForClusterIPs, withClusterIPs } from '../../bench/placeholders.ts';
import type { Change } from '../../lib/model/plan.ts';
import { aCreate, anUpdate } from '../apply/changes.ts';

const ofPod = (name: string, family: 'IPv4' | 'IPv6') => ({
  clusterIPOf: { namespace: 'shop', name },
  family,
});

const ROOT: Change = {
  ...aCreate({ kind: 'Endpoints', name: 'db-west' }),
  body: {
    subsets: [
      {
        addresses: [
          { hostname: 'db-0', ip: ofPod('db-0-west', 'IPv4') },
          { hostname: 'db-1', ip: '10.96.0.7' },
        ],
      },
    ],
  },
};

const SLICE: Change = {
  ...anUpdate({ kind: 'EndpointSlice', name: 'db-west-v6-0' }),
  patch: { endpoints: [{ hostname: 'db-0', addresses: [ofPod('db-0-west', 'IPv6')] }] },
};

const ANSWERS = new Map([['shop/db-0-west', '{"spec":{"clusterIPs":["10.96.0.5","fd00::5"]}}']]);

describe('placeholders of ClusterIPs', () => {
  it.each([
    ['Endpoints that name a pod yet to come', ROOT, true],
    ['an update of a slice that does', SLICE, true],
    ['a change that names none', aCreate(), false],
  ])('%s', (_situation, change, waits) => {
    expect(waitsForClusterIPs(change)).toBe(waits);
  });

  it('Endpoints get the ClusterIP of their family, and keep those that were known', () => {
    expect(withClusterIPs(ROOT, ANSWERS)).toMatchObject({
      body: {
        subsets: [
          {
            addresses: [
              { hostname: 'db-0', ip: '10.96.0.5' },
              { hostname: 'db-1', ip: '10.96.0.7' },
            ],
          },
        ],
      },
    });
  });

  it('a slice of IPv6 gets the other one', () => {
    expect(withClusterIPs(SLICE, ANSWERS)).toMatchObject({
      patch: { endpoints: [{ hostname: 'db-0', addresses: ['fd00::5'] }] },
    });
  });

  it('a Service that was not created is an error', () => {
    expect(() => withClusterIPs(ROOT, new Map())).toThrow('no Service shop/db-0-west was created');
  });
});
