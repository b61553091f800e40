// A deployed link by the command line, from its first day to its last: stored on dynalite; what the functions run is real, over two
// embedded API servers.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resync, resyncRequest } from '../../lib/runs/resync.ts';
import { status } from '../../lib/runs/status.ts';
import type { RunWorld } from '../../lib/runs/world.ts';
import { aService, aSlice, GATEWAY_HOST } from '../support/builders.ts';
import { openRunLab, type RunLab } from '../support/run-lab.ts';
import { folderWith } from './cli.ts';
import { EAST, useDeployment, WEST } from './deployment.ts';

const deployment = useDeployment({ isKept: true });
let lab: RunLab;

beforeAll(async () => {
  lab = await openRunLab();
  lab.dns.set(GATEWAY_HOST, ['203.0.113.10', '203.0.113.11']);
  await lab.target.create('Service', aService());
  await lab.target.create('EndpointSlice', aSlice());
  lab.clock.advance(120); // past the first look of a new load balancer
  const { links, gateways, journal } = deployment.stores;
  const world: RunWorld = { ...lab.world, links, gateways, journal };
  const { functions } = deployment.lambda;
  functions.set('eks-service-mirror-dev-resync', (payload) =>
    resync(world, resyncRequest.parse(payload), lab.clock.now() + 60_000),
  );
  functions.set('eks-service-mirror-dev-status', async () => {
    const body = JSON.stringify(await status(world, undefined));
    return { statusCode: 200, body };
  });
});
afterAll(() => lab.close());

/** One command; moments are told as TIME. */
async function run(words: string): Promise<string> {
  const { code, stdout, stderr } = await deployment.run(words);
  const text = stdout.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME');
  return `${text}${stderr}exit ${code}`;
}

const DOCUMENT = `
name: west
source: { eks: "${EAST}" }
target: { eks: "${WEST}" }
gatewayMirror: none
allowedHostnames: [example.test]
allowedCIDRs: [203.0.113.0/24]
`;

// Each step finds what the former ones left.
it('is stored', async () => {
  const file = join(await folderWith({ 'west-link.yaml': DOCUMENT }), 'west-link.yaml');
  expect(await run(`link --link-file ${file}`)).toBe(`+ link west in eks-service-mirror-dev in eu-west-1
  source.eks: ${EAST}
  target.eks: ${WEST}
  gatewayMirror: none
  allowedCIDRs: 203.0.113.0/24
  allowedHostnames: example.test
  everything else as by default

stored; the next tick, within a minute, mirrors what the target exports
now: eks-service-mirror resync --link west --wait
exit 0`);
});

it('is listed', async () => {
  expect(await run('links')).toBe(`LINK  STATE   SOURCE          TARGET          MIRRORS     REFUSALS  SINCE
west  active  eu-west-1/east  eu-west-1/west  no run yet  -         -
exit 0`);
});

it('is planned', async () => {
  expect(await run('plan --link west --exit-code')).toBe(`+ Service shop/web-west  (exported)
+ Endpoints shop/web-west  (203.0.113.10, 203.0.113.11 on http:4143/TCP)

2 to create, 0 to update, 0 to delete
exit 3`);
});

it('is resynced', async () => {
  expect(await run('resync --link west --wait')).toBe(`+ Service shop/web-west  (exported)
+ Endpoints shop/web-west  (203.0.113.10, 203.0.113.11 on http:4143/TCP)

2 created, 0 updated, 0 deleted
exit 0`);
});

it('has a status', async () => {
  expect(await run('status')).toBe(`link west
source cluster: ${EAST}
target cluster: ${WEST}

gateway: identity gw.id
HOSTNAME         FAMILY  STATE  NEXT LOOK  ADDRESSES
lb.example.test  IPv4    FRESH  61 s       203.0.113.10, 203.0.113.11

mirrors since TIME: 1 in sync

journal, newest first:
  TIME  create Endpoints shop/web-west  (203.0.113.10, 203.0.113.11 on http:4143/TCP)
  TIME  create Service shop/web-west  (exported)
  TIME  gateway addresses  (nothing remembered → 203.0.113.10, 203.0.113.11; lb.example.test: 203.0.113.10 203.0.113.11, TTL 60)
exit 0`);
});

it('has a gateway', async () => {
  const text = (await run('gateways')).replaceAll(/\d+ s(?= )/g, 'TTL');
  expect(text)
    .toBe(`CLUSTER  ALIVE        NUM_SVC  ADDRESS       STATE  LIVENESS  TTL LEFT  SOURCE           LAST CHANGE
west     unknown 0/2  1        203.0.113.10  ready  unknown   TTL      lb.example.test  TIME
                               203.0.113.11  ready  unknown   TTL      lb.example.test  TIME
exit 0`);
});

it('has nothing to do again', async () => {
  expect(await run('sync --link west')).toBe('nothing to do\nexit 0');
});

it('is paused, and then nothing is written', async () => {
  expect(await run('link --link west --paused')).toBe(`~ link west in eks-service-mirror-dev in eu-west-1
  paused: false → true

stored; it is paused: its mirrors stay as they are until --no-paused
exit 0`);
  await lab.target.create('Service', aService({ name: 'api' }));
  expect(await run('sync --link west')).toMatch(/exit 1$/);
  expect(await lab.source.read('Service', 'shop', 'api-west')).toBeUndefined();
});

it('J1: with a target that refuses connections has that reason in its status, and keeps its mirrors', async () => {
  await run('link --link west --no-paused');
  lab.unreachable.add('west');
  expect(await run('resync --link west --wait')).toMatch(
    /^NOT OBSERVED: target cluster: .*\n\nnothing to do in what could be observed; 1 not observed\nexit 1$/,
  );
  expect(await run('status')).toMatch(/\nmirrors since TIME: 1 not observed\nNOT OBSERVED: target cluster: /);
  expect(await run('links')).toMatch(/\nwest {2}active .* 1 not observed +0 +TIME\nexit 0$/);
  expect(await lab.source.read('Service', 'shop', 'web-west')).toBeDefined();
});

it('ends, with its mirrors', async () => {
  expect(await run('unlink west --yes')).toBe('2 objects deleted; link west is forgotten\nexit 0');
  expect(await run('links')).toBe('no links in eks-service-mirror-dev in eu-west-1\nexit 0');
  expect(await lab.source.list('Service', 'shop')).toStrictEqual([]);
});
