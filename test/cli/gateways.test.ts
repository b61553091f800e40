// `gateways`, of a deployment and of two clusters: what is printed, as text and as data, and what the exit code says.
import { beforeEach, describe, expect, it } from 'vitest';
import type { GatewayRecord, GatewayState, PublishedAddress } from '../../lib/model/gateway.ts';
import type { AddressLiveness } from '../../lib/model/liveness.ts';
import type { Report } from '../../lib/model/report.ts';
import type { RunSummary } from '../../lib/model/summary.ts';
import { status } from '../../lib/runs/status.ts';
import { testClock } from '../support/clock.ts';
import { aReport, cli, linkFlags, NOW, type Ran } from './cli.ts';
import { aLink, useDeployment } from './deployment.ts';

const SECONDS = NOW / 1000;
const HOST = 'gw.elb.amazonaws.com';
const seen = { misses: 0, returns: [], streak: 1 };
const ready = { ...seen, state: 'ready' } as const;

/** HOST as it resolved half a minute ago, with a TTL of 60 s. */
const aRecord = (given: Partial<GatewayRecord> = {}): GatewayRecord => ({
  hostname: HOST,
  family: 'IPv4',
  state: 'FRESH',
  addresses: { '10.0.0.1': ready, '10.0.0.2': ready, '10.0.0.3': { ...seen, state: 'draining' } },
  lastGoodAt: SECONDS - 30,
  expiresAt: SECONDS + 30,
  failCount: 0,
  negCount: 0,
  returnEvents: [],
  nextCheckAt: SECONDS + 31,
  ...given,
});

const aState = (given: Partial<GatewayState> = {}): GatewayState => ({
  schema: 1,
  records: [aRecord()],
  literals: {},
  ...given,
});

const alive: AddressLiveness = { state: 'alive', failures: 0, since: SECONDS - 600, lastProbeAt: SECONDS };
const dead: AddressLiveness = {
  state: 'dead',
  failures: 3,
  since: SECONDS - 90,
  lastProbeAt: SECONDS,
  lastWhy: 'connection refused',
};
const PUBLISHED = {
  changedAt: SECONDS - 90,
  since: { '10.0.0.1': SECONDS - 3600, '10.0.0.2': SECONDS - 90 },
};
const SUMMARY: RunSummary = {
  at: NOW,
  runId: 'run-1',
  mirrors: { 'in sync': 11, 'to create': 2, 'to update': 1, waiting: 0, refused: 3 },
  failed: 0,
  refusals: [],
  moreRefusals: 0,
  unobserved: [],
  notes: [],
};
const STALE = {
  state: 'STALE',
  failCount: 3,
  failSince: SECONDS - 200,
  lastError: 'SERVFAIL',
  expiresAt: SECONDS - 140,
} as const;

describe('of a deployment', () => {
  const deployment = useDeployment();

  beforeEach(() => {
    deployment.lambda.functions.set('eks-service-mirror-dev-status', async (payload) => {
      const only = Object(payload).queryStringParameters?.link;
      const data = await status({ ...deployment.stores, clock: testClock(NOW) }, only);
      return { statusCode: 200, body: JSON.stringify(data) };
    });
  });

  /** Stores a link with what is known of its gateway. */
  const store = async (
    document: Parameters<typeof aLink>[0],
    state?: GatewayState,
    run: Partial<RunSummary> = {},
  ): Promise<void> => {
    const { links, gateways } = deployment.stores;
    const link = aLink(document);
    await links.put(link, 0);
    await links.saveRun(link.name, { ...SUMMARY, ...run });
    if (state !== undefined) await gateways.save(link.name, state, 0);
  };

  it('as text: each address of each link, with reasons', async () => {
    await store({ name: 'east' });
    await store({ name: 'far', gateway: 'none' });
    await store(
      { name: 'north', gateway: { addresses: ['10.0.0.9'] } },
      aState({ records: [], literals: { '10.0.0.9': {} }, liveness: { '10.0.0.9': dead } }),
    );
    await store(
      { name: 'south' },
      aState({
        records: [aRecord({ ...STALE, addresses: { '10.0.0.5': ready } })],
        literals: { '10.0.0.6': {} },
      }),
      {
        refusals: [
          { namespace: 'shop', name: 'api', reason: 'NotOwned', message: 'not ours' },
          {
            namespace: 'linkerd-multicluster',
            name: 'linkerd-gateway',
            reason: 'GatewayUnresolved',
            message: `hostname ${HOST} (IPv4): SERVFAIL since then; its last addresses stay`,
          },
        ],
      },
    );
    await store({}, aState({ liveness: { '10.0.0.1': alive, '10.0.0.2': dead }, published: PUBLISHED }));
    await deployment.storeRaw('wrong', { name: 'wrong', paused: 'perhaps' });
    expect(await deployment.run('gateways')).toMatchObject({
      code: 1,
      stderr: '',
      stdout: `CLUSTER  ALIVE        NUM_SVC  ADDRESS            STATE     LIVENESS                   TTL LEFT  SOURCE                LAST CHANGE
east     unknown 0/0  12       not looked at yet
far      -            12       no gateway
north    dead 0/1     12       10.0.0.9           down      dead (connection refused)  -         pin                   -
south    unknown 0/2  12       10.0.0.5           ready     unknown                    0 s       gw.elb.amazonaws.com  -
                               10.0.0.6           ready     unknown                    -         status                -
west     alive 1/2    12       10.0.0.1           ready     alive                      30 s      gw.elb.amazonaws.com  2025-12-31T23:00:00.000Z
                               10.0.0.2           down      dead (connection refused)  30 s      gw.elb.amazonaws.com  2025-12-31T23:58:30.000Z
                               10.0.0.3           draining  unknown                    30 s      gw.elb.amazonaws.com  -

south: GatewayUnresolved: hostname gw.elb.amazonaws.com (IPv4): SERVFAIL since then; its last addresses stay

BROKEN wrong: paused: expected true or false, got "perhaps"
`,
    });
  });

  it('as JSON, of one link', async () => {
    await store({ name: 'north' }, aState());
    await store({}, aState({ liveness: { '10.0.0.1': alive, '10.0.0.2': dead }, published: PUBLISHED }));
    const { code, stdout } = await deployment.run('gateways --link west -o json');
    expect(code).toBe(0);
    const place = { family: 'IPv4', hostname: HOST, ttl: 30, source: HOST };
    expect(JSON.parse(stdout)).toStrictEqual({
      gateways: [
        {
          link: 'west',
          alive: 'alive',
          aliveAddresses: 1,
          resolved: true,
          mirrors: 12,
          lastChange: '2025-12-31T23:58:30.000Z',
          addresses: [
            {
              ip: '10.0.0.1',
              state: 'ready',
              ...place,
              liveness: { state: 'alive', since: '2025-12-31T23:50:00.000Z' },
              since: '2025-12-31T23:00:00.000Z',
            },
            {
              ip: '10.0.0.2',
              state: 'down',
              ...place,
              liveness: { state: 'dead', since: '2025-12-31T23:58:30.000Z', why: 'connection refused' },
              since: '2025-12-31T23:58:30.000Z',
            },
            { ip: '10.0.0.3', state: 'draining', ...place, liveness: { state: 'unknown' } },
          ],
          reasons: [],
        },
      ],
      broken: [],
    });
  });

  it('as YAML', async () => {
    await store({ gateway: 'none' });
    expect(await deployment.run('gateways -o yaml')).toMatchObject({
      code: 0,
      stdout: `gateways:
  - link: west
    absent: none
    alive: unknown
    aliveAddresses: 0
    resolved: false
    mirrors: 12
    addresses: []
    reasons: []
broken: []
`,
    });
  });

  it('takes what is left of a TTL from the name, which alone is told of the same answer again', async () => {
    await store({}, aState({ records: [aRecord({ lastGoodAt: 0, expiresAt: 60 })] }));
    const record = aRecord({ expiresAt: SECONDS + 17 });
    await deployment.stores.names.save(
      { schema: 1, record, nextCheckAt: SECONDS + 18, links: ['west'], quiet: true },
      0,
    );
    expect((await deployment.run('gateways')).stdout).toMatch(/10\.0\.0\.1 .* 17 s /);
    await deployment.stores.names.remove(HOST, 'IPv4', 1);
  });

  it('without links', async () => {
    expect(await deployment.run('gateways')).toMatchObject({
      code: 0,
      stdout: 'no links in eks-service-mirror-dev in eu-west-1\n',
    });
  });

  it.each<[string, GatewayState | undefined, number]>([
    ['one address is dead, another is not known', aState({ liveness: { '10.0.0.1': dead } }), 0],
    [
      'all that are not on their way out are dead',
      aState({ liveness: { '10.0.0.1': dead, '10.0.0.2': dead } }),
      1,
    ],
    ['the resolver fails and addresses stay', aState({ records: [aRecord(STALE)] }), 0],
    ['a name never resolved', aState({ records: [aRecord({ state: 'PENDING', addresses: {} })] }), 1],
    [
      'silence took every address down',
      aState({
        records: [aRecord({ state: 'FAILED', addresses: { '10.0.0.1': { ...seen, state: 'down' } } })],
        liveness: { '10.0.0.1': alive },
      }),
      1,
    ],
    ['nobody has looked yet', undefined, 1],
  ])('when %s the exit code is that of %#', async (_, state, code) => {
    await store({}, state);
    expect(await deployment.run('gateways')).toMatchObject({ code, stderr: '' });
  });

  it('is asked where `status` is asked, with the same mistakes', async () => {
    expect(await deployment.run('gateways --link West --state x --namespace shop')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `error: --namespace: unknown flag
error: --state: only beside --source-kubeconfig and --target-kubeconfig, not for a deployed link
error: --link: expected a DNS label (lower-case letters, digits and -, at most 63), got "West"
nothing was touched; see eks-service-mirror gateways --help
`,
    });
    expect(deployment.lambda.invocations).toStrictEqual([]);
  });
});

describe('of two clusters', () => {
  const addresses: readonly PublishedAddress[] = [
    { ip: '10.0.0.1', family: 'IPv4', state: 'ready' },
    { ip: '10.0.0.2', family: 'IPv4', state: 'ready' },
  ];
  const viewOf = (shown: readonly PublishedAddress[]) => ({
    addresses: shown,
    resolved: shown,
    port: 4143,
    probePort: 4191,
    identity: 'gw.id',
  });
  const mirror = (name: string, state: Report['mirrors'][number]['state']): Report['mirrors'][number] => ({
    service: { namespace: 'shop', name },
    mirror: { namespace: 'shop', name: `${name}-west` },
    mode: 'gateway',
    state,
    endpoints: undefined,
  });

  const gateways = async (report: Partial<Report>, ...words: readonly string[]): Promise<Ran> =>
    cli(['gateways', ...words, ...(await linkFlags())], { report: aReport(report) });

  it('as text', async () => {
    const report = {
      gateway: { view: viewOf(addresses), state: aState({ liveness: { '10.0.0.2': alive } }) },
      mirrors: [mirror('api', 'in sync'), mirror('web', 'to create'), mirror('db', 'to update')],
      refusals: [{ namespace: 'shop', name: 'x', reason: 'NotOwned', message: 'not ours' }],
    } as const;
    expect(await gateways(report)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `CLUSTER  ALIVE      NUM_SVC  ADDRESS   STATE  LIVENESS  TTL LEFT  SOURCE                LAST CHANGE
west     alive 1/2  2        10.0.0.1  ready  unknown   30 s      gw.elb.amazonaws.com  -
                             10.0.0.2  ready  alive     30 s      gw.elb.amazonaws.com  -
`,
    });
  });

  it('as JSON, where nothing resolves', async () => {
    const report = {
      gateway: { view: viewOf([]) },
      refusals: [
        { namespace: 'a', name: 'gw', reason: 'GatewayUnresolved', message: 'hostname gw: NXDOMAIN' },
      ],
    } as const;
    const { code, stdout } = await gateways(report, '-o', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toStrictEqual({
      gateways: [
        {
          link: 'west',
          alive: 'unknown',
          aliveAddresses: 0,
          resolved: false,
          mirrors: 0,
          addresses: [],
          reasons: [{ reason: 'GatewayUnresolved', message: 'hostname gw: NXDOMAIN' }],
        },
      ],
      broken: [],
    });
  });

  it('where the target cannot be reached', async () => {
    const unobserved = [{ what: 'target cluster', message: 'target: GET Namespace kube-system: refused' }];
    expect(await gateways({ unobserved })).toMatchObject({
      code: 1,
      stdout: `CLUSTER  ALIVE        NUM_SVC  ADDRESS       STATE  LIVENESS  TTL LEFT  SOURCE  LAST CHANGE
west     unknown 0/0  0        not observed

west: Unobserved: target cluster: target: GET Namespace kube-system: refused
`,
    });
  });
});
