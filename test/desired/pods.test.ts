// Who the pods of a headless Service are.
import { describe, expect, it } from 'vitest';
import { type Pods, readPods } from '../../lib/desired/pods.ts';
import type { EndpointSlice } from '../../lib/model/objects.ts';
import { podEndpoint, sliceEndpoint, targetSlice } from '../support/model-builders.ts';

const PG = { name: 'pg', protocol: 'TCP', port: 5432 } as const;
const NEWER = { name: 'pg', protocol: 'TCP', port: 5433 } as const;
const NOT_READY = { ready: false };

/** The same slices, and the endpoints in each, the other way round. */
const reversed = (slices: readonly EndpointSlice[]): readonly EndpointSlice[] =>
  slices.map((slice) => ({ ...slice, endpoints: slice.endpoints.toReversed() })).toReversed();

interface Row {
  readonly name: string;
  readonly slices: readonly EndpointSlice[];
  readonly expected: Pods;
}

describe('readPods', () => {
  it.each<Row>([
    { name: 'no slice', slices: [], expected: { named: [], unnamed: 0 } },
    { name: 'a slice without endpoints', slices: [targetSlice([])], expected: { named: [], unnamed: 0 } },
    {
      name: 'hostnames of several slices, sorted',
      slices: [
        targetSlice([podEndpoint('db-2', '10.1.0.3'), podEndpoint('db-0', '10.1.0.1')]),
        targetSlice([podEndpoint('db-1', '10.1.0.2', NOT_READY)], { meta: { name: 'db-fghij' } }),
      ],
      expected: {
        named: [
          { hostname: 'db-0', isReady: true, ports: [PG] },
          { hostname: 'db-1', isReady: false, ports: [PG] },
          { hostname: 'db-2', isReady: true, ports: [PG] },
        ],
        unnamed: 0,
      },
    },
    {
      name: 'A10: a pod with an address of each family is one pod',
      slices: [
        targetSlice([podEndpoint('db-0', '10.1.0.1'), podEndpoint('db-1', '10.1.0.2')]),
        targetSlice([podEndpoint('db-0', '2001:db8::1'), podEndpoint('db-1', '2001:db8::2')], {
          addressType: 'IPv6',
          meta: { name: 'db-v6' },
        }),
      ],
      expected: {
        named: [
          { hostname: 'db-0', isReady: true, ports: [PG] },
          { hostname: 'db-1', isReady: true, ports: [PG] },
        ],
        unnamed: 0,
      },
    },
    {
      name: 'of slices that disagree the one counts in which the pod is ready, its ports too',
      slices: [
        targetSlice([podEndpoint('db-0', '10.1.0.1', NOT_READY)], { meta: { name: 'db-a' } }),
        targetSlice([podEndpoint('db-0', '10.1.0.9')], { meta: { name: 'db-b' }, ports: [NEWER] }),
      ],
      expected: { named: [{ hostname: 'db-0', isReady: true, ports: [NEWER] }], unnamed: 0 },
    },
    {
      name: 'both ready: the first family, whatever the names',
      slices: [
        targetSlice([podEndpoint('db-0', '2001:db8::1')], {
          addressType: 'IPv6',
          meta: { name: 'db-a' },
          ports: [NEWER],
        }),
        targetSlice([podEndpoint('db-0', '10.1.0.1')], { meta: { name: 'db-b' } }),
      ],
      expected: { named: [{ hostname: 'db-0', isReady: true, ports: [PG] }], unnamed: 0 },
    },
    {
      name: 'neither ready, one family: the first name',
      slices: [
        targetSlice([podEndpoint('db-0', '10.1.0.1', NOT_READY)], {
          meta: { name: 'db-b' },
          ports: [NEWER],
        }),
        targetSlice([podEndpoint('db-0', '10.1.0.1', NOT_READY)], { meta: { name: 'db-a' } }),
      ],
      expected: { named: [{ hostname: 'db-0', isReady: false, ports: [PG] }], unnamed: 0 },
    },
    {
      name: 'D7: pods without a hostname are counted beside those with one',
      slices: [
        targetSlice([
          podEndpoint('db-0', '10.1.0.1'),
          sliceEndpoint('10.1.0.2'),
          sliceEndpoint('10.1.0.3', NOT_READY),
        ]),
      ],
      expected: { named: [{ hostname: 'db-0', isReady: true, ports: [PG] }], unnamed: 2 },
    },
    {
      name: 'D7: each family lists all of them, so they are not added up',
      slices: [
        targetSlice([sliceEndpoint('10.1.0.1'), sliceEndpoint('10.1.0.2')]),
        targetSlice([sliceEndpoint('2001:db8::1'), sliceEndpoint('2001:db8::2')], {
          addressType: 'IPv6',
          meta: { name: 'db-v6' },
        }),
      ],
      expected: { named: [], unnamed: 2 },
    },
    {
      name: 'D7: of families that disagree the longer list counts',
      slices: [
        targetSlice([sliceEndpoint('10.1.0.1')]),
        targetSlice([sliceEndpoint('2001:db8::1'), sliceEndpoint('2001:db8::2')], {
          addressType: 'IPv6',
          meta: { name: 'db-v6' },
        }),
      ],
      expected: { named: [], unnamed: 2 },
    },
    {
      name: 'D7: one that moves from slice to slice is one',
      slices: [
        targetSlice([sliceEndpoint('10.1.0.1'), sliceEndpoint('10.1.0.2')]),
        targetSlice([sliceEndpoint('10.1.0.2'), sliceEndpoint('10.1.0.3')], { meta: { name: 'db-fghij' } }),
      ],
      expected: { named: [], unnamed: 3 },
    },
  ])('$name', ({ slices, expected }) => {
    expect(readPods(slices)).toEqual(expected);
    expect(readPods(reversed(slices))).toEqual(expected);
  });
});
