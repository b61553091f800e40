// When the zones of gateway addresses mean something in the source cluster.
import { expect, it } from 'vitest';
import { withCommonZones } from '../../lib/gateway/zones.ts';
import type { LinkDocument } from '../../lib/model/link.ts';
import { linkOf } from '../support/lab.ts';

const eks = (region: string, account: string, name: string) => ({
  eks: `arn:aws:eks:${region}:${account}:cluster/${name}`,
});
const [ONE, OTHER] = ['111122223333', '444455556666'];
const EAST = eks('eu-central-1', ONE, 'east');
const WEST = eks('eu-central-1', ONE, 'west');
const askingBy = (account: string): Partial<LinkDocument> => ({
  gateway: { loadBalancer: { roleArn: `arn:aws:iam::${account}:role/mirror` } },
});

it.each<[string, Partial<LinkDocument>, boolean]>([
  ['two clusters of one account and region', { source: EAST, target: WEST }, true],
  ['asked by a role of that account', { source: EAST, target: WEST, ...askingBy(ONE) }, true],
  ['asked by a role of another account', { source: EAST, target: WEST, ...askingBy(OTHER) }, false],
  ['another account', { source: EAST, target: eks('eu-central-1', OTHER, 'west') }, false],
  ['another region', { source: EAST, target: eks('eu-west-1', ONE, 'west') }, false],
  ['a source whose account is not known', { source: { kubeconfig: 'f' }, target: WEST }, false],
  ['neither is known', {}, false],
])('%s', (_name, link, keeps) => {
  const address = { ip: '203.0.113.10', family: 'IPv4', state: 'ready' } as const;
  expect(withCommonZones(linkOf(link), [{ ...address, zone: 'eu-central-1a' }, address])).toEqual([
    keeps ? { ...address, zone: 'eu-central-1a' } : address,
    address,
  ]);
});
