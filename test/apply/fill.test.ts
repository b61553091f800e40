// Addresses that were not known when the plan was made.
import { describe, expect, it } from 'vitest';
import { type FindAddress, filled } from '../../lib/apply/fill.ts';
import type { Manifest } from '../../lib/model/objects.ts';

const of = (name: string, family: 'IPv4' | 'IPv6' = 'IPv4') => ({
  clusterIPOf: { namespace: 'shop', name },
  family,
});
const PORTS = [{ name: 'pg', protocol: 'TCP', port: 5432 }];

/** Knows `10.96.0.10` and `fd00:10::a` of a-west, and nothing of anybody else. */
const find: FindAddress = ({ clusterIPOf, family }) => {
  if (clusterIPOf.name !== 'a-west') return undefined;
  return family === 'IPv4' ? '10.96.0.10' : 'fd00:10::a';
};

describe('filled', () => {
  it.each<[string, Manifest, Manifest]>([
    [
      'a body without open places stays as it is',
      { kind: 'Service', metadata: { labels: {} }, spec: { ports: PORTS, clusterIP: null } },
      { kind: 'Service', metadata: { labels: {} }, spec: { ports: PORTS, clusterIP: null } },
    ],
    [
      'an address in Endpoints',
      { subsets: [{ addresses: [{ ip: of('a-west'), hostname: 'a' }], ports: PORTS }] },
      { subsets: [{ addresses: [{ ip: '10.96.0.10', hostname: 'a' }], ports: PORTS }] },
    ],
    [
      'an address of each family',
      {
        subsets: [
          { addresses: [{ ip: of('a-west') }], ports: PORTS },
          { addresses: [{ ip: of('a-west', 'IPv6') }], ports: PORTS },
        ],
      },
      {
        subsets: [
          { addresses: [{ ip: '10.96.0.10' }], ports: PORTS },
          { addresses: [{ ip: 'fd00:10::a' }], ports: PORTS },
        ],
      },
    ],
    [
      'a line without an address is left out, its neighbours stay',
      {
        subsets: [
          {
            addresses: [
              { ip: '10.96.0.9', hostname: 'z' },
              { ip: of('b-west'), hostname: 'b' },
              { ip: of('a-west'), hostname: 'a' },
            ],
            ports: PORTS,
          },
        ],
      },
      {
        subsets: [
          {
            addresses: [
              { ip: '10.96.0.9', hostname: 'z' },
              { ip: '10.96.0.10', hostname: 'a' },
            ],
            ports: PORTS,
          },
        ],
      },
    ],
    [
      'a subset whose addresses all fall away goes, its neighbours stay',
      {
        subsets: [
          { addresses: [{ ip: of('b-west'), hostname: 'b' }, { ip: of('c-west') }], ports: PORTS },
          { addresses: [{ ip: of('a-west') }], ports: [] },
        ],
      },
      { subsets: [{ addresses: [{ ip: '10.96.0.10' }], ports: [] }] },
    ],
    [
      'the last subset too',
      { subsets: [{ addresses: [{ ip: of('b-west') }], ports: PORTS }] },
      { subsets: [] },
    ],
    [
      'an endpoint in a slice',
      {
        endpoints: [{ addresses: [of('a-west')], hostname: 'a', conditions: { ready: true } }],
        ports: PORTS,
      },
      {
        endpoints: [{ addresses: ['10.96.0.10'], hostname: 'a', conditions: { ready: true } }],
        ports: PORTS,
      },
    ],
    [
      'an endpoint without an address goes, the slice stays',
      { addressType: 'IPv4', endpoints: [{ addresses: [of('b-west')], hostname: 'b' }], ports: PORTS },
      { addressType: 'IPv4', endpoints: [], ports: PORTS },
    ],
    [
      'lists that were empty before stay',
      { subsets: [], endpoints: [{ addresses: [] }] },
      { subsets: [], endpoints: [{ addresses: [] }] },
    ],
  ])('%s', (_name, body, expected) => {
    const copy = structuredClone(body);
    expect(filled(body, find)).toEqual(expected);
    expect(body).toEqual(copy);
  });
});
