// `status` of a deployment: how the function is asked, what is printed of its answer, and what the exit code says.
import { beforeEach, describe, expect, it } from 'vitest';
import type { RunSummary } from '../../lib/model/summary.ts';
import { status } from '../../lib/runs/status.ts';
import { testClock } from '../support/clock.ts';
import { StackError } from '../../cli/stack.ts';
import { NOW, type Circumstances } from './cli.ts';
import { aLink, EAST, useDeployment, WEST } from './deployment.ts';
import { FunctionError } from './lambda.ts';
import { checkSignature } from './signature.ts';

const deployment = useDeployment();
const NAME = 'eks-service-mirror-dev-status';

const SUMMARY: RunSummary = {
  at: NOW,
  runId: 'run-1',
  mirrors: { 'in sync': 2, 'to create': 0, 'to update': 0, waiting: 0, refused: 0 },
  failed: 0,
  refusals: [],
  moreRefusals: 0,
  unobserved: [],
  notes: [],
};
const AT = '2026-01-01T00:00:00.000Z';

/** The event that a function URL makes of a GET, as far as the function looks at it. */
interface Event {
  readonly queryStringParameters?: { readonly link?: string };
}
const isEvent = (payload: unknown): payload is Event => typeof payload === 'object' && payload !== null;

/** As functions/status.ts answers, of what is stored. */
async function answer(payload: unknown): Promise<object> {
  if (!isEvent(payload)) throw new Error('expected an event');
  const only = payload.queryStringParameters?.link;
  const data = await status({ ...deployment.stores, clock: testClock(NOW) }, only);
  const isMissing = only !== undefined && data.links.length + data.broken.length === 0;
  return {
    statusCode: isMissing ? 404 : 200,
    body: JSON.stringify(isMissing ? { message: `link ${only} is not stored` } : data),
  };
}

const answers = (statusCode: number, body: string): void => {
  deployment.lambda.functions.set(NAME, () => ({ statusCode, body }));
};

beforeEach(() => {
  deployment.lambda.functions.set(NAME, answer);
});

describe('by name', () => {
  it('is asked as by its URL', async () => {
    await deployment.run('status');
    await deployment.stores.links.put(aLink(), 0);
    await deployment.run('status --link west');
    expect(deployment.lambda.invocations).toMatchObject([
      { name: NAME, type: 'RequestResponse', payload: { version: '2.0', rawQueryString: '' } },
      {
        name: NAME,
        type: 'RequestResponse',
        payload: {
          rawPath: '/',
          rawQueryString: 'link=west',
          queryStringParameters: { link: 'west' },
          requestContext: { http: { method: 'GET', path: '/' } },
        },
      },
    ]);
    expect(deployment.lambda.urlRequests).toStrictEqual([]);
  });
});

describe('by URL', () => {
  it.each([
    ['a flag', () => `status --link west --url ${deployment.lambda.statusUrl}`, {}],
    ['the environment', () => 'status --link west', { EKS_SERVICE_MIRROR_STATUS_URL: true }],
  ])('of %s, with a signature', async (_, words, env) => {
    await deployment.stores.links.put(aLink(), 0);
    const variables = Object.keys(env).map((name) => [name, deployment.lambda.statusUrl]);
    expect(await deployment.run(words(), { env: Object.fromEntries(variables) })).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(deployment.lambda.invocations).toStrictEqual([]);
    const [request] = deployment.lambda.urlRequests;
    if (request === undefined) throw new Error('the URL was not asked');
    expect(request.url).toBe('/status?link=west');
    expect(request.headers['x-amz-security-token']).toBe('test-session-token');
    const scope = checkSignature(request, 'test-secret-key');
    expect(scope).toMatchObject({ keyId: 'AKIDTEST', region: 'eu-west-1', service: 'lambda' });
    expect(scope.signedHeaders).toContain('host');
    expect(scope.signedHeaders).toContain('x-amz-security-token');
  });

  it('of the environment is not asked for a deployment that a flag names', async () => {
    const env = { EKS_SERVICE_MIRROR_STATUS_URL: deployment.lambda.statusUrl };
    await deployment.run('status --stage dev', { env });
    expect(deployment.lambda.urlRequests).toStrictEqual([]);
    expect(deployment.lambda.invocations).toHaveLength(1);
  });

  it('says which region the signature is for', async () => {
    const places: unknown[] = [];
    const openStack: Circumstances['openStack'] = (place) => {
      places.push(place);
      return Promise.reject(new StackError('enough'));
    };
    await deployment.run('status --url https://abc.lambda-url.ap-south-1.on.aws/', { openStack });
    await deployment.run('status --url https://status.example.com/', { openStack });
    expect(places).toStrictEqual([{ stage: 'dev', region: 'ap-south-1' }, { stage: 'dev' }]);
  });

  it('that nobody answers at', async () => {
    expect(await deployment.run('status --url http://127.0.0.1:2/')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'error: status function at 127.0.0.1:2: no answer (connection refused)\n',
    });
  });
});

describe('text', () => {
  it('of a link with a gateway, a last run and a journal', async () => {
    const { links, gateways, journal } = deployment.stores;
    await links.put(aLink({ name: 'far' }), 0);
    const seen = { misses: 0, returns: [], streak: 1 };
    await gateways.save(
      'far',
      {
        schema: 1,
        identity: 'gw.id',
        literals: { '10.0.0.9': {} },
        records: [
          {
            hostname: 'gw.elb.amazonaws.com',
            family: 'IPv4',
            state: 'STALE',
            addresses: {
              '10.0.0.1': { ...seen, state: 'ready' },
              '10.0.0.2': { ...seen, state: 'draining' },
            },
            failCount: 1,
            negCount: 0,
            returnEvents: [],
            failSince: NOW / 1000 - 100,
            lastError: 'SERVFAIL',
            nextCheckAt: NOW / 1000 + 41,
          },
        ],
      },
      0,
    );
    await links.saveRun('far', {
      ...SUMMARY,
      mirrors: { ...SUMMARY.mirrors, refused: 1 },
      refusals: [{ namespace: 'shop', name: 'api', reason: 'NotOwned', message: 'not ours' }],
      moreRefusals: 3,
      notes: ['a note'],
    });
    const entry = { link: 'far', at: NOW, runId: 'run-1' };
    await journal.append([
      { ...entry, what: 'update Endpoints shop/web-west', reasons: [], result: 'failed', message: '500' },
      {
        ...entry,
        at: NOW + 1000,
        what: 'create Service shop/web-west',
        reasons: ['exported'],
        result: 'applied',
      },
    ]);
    expect(await deployment.run('status')).toMatchObject({
      code: 1,
      stderr: '',
      stdout: `link far
source cluster: ${EAST}
target cluster: ${WEST}

gateway: identity gw.id
addresses of its status: 10.0.0.9
HOSTNAME              FAMILY  STATE  NEXT LOOK  ADDRESSES
gw.elb.amazonaws.com  IPv4    STALE  41 s       10.0.0.1, 10.0.0.2 (draining)
gw.elb.amazonaws.com (IPv4): STALE since 2025-12-31T23:58:20.000Z: SERVFAIL

mirrors since ${AT}: 2 in sync, 1 refused
refused shop/api: NotOwned: not ours
note: a note
and 3 more refusals

journal, newest first:
  2026-01-01T00:00:01.000Z  create Service shop/web-west  (exported)
  2026-01-01T00:00:00.000Z  update Endpoints shop/web-west  failed: 500
`,
    });
  });

  it('J1: of three links, of which one cannot be used and one sees nothing', async () => {
    const { links } = deployment.stores;
    await links.put(aLink({ paused: true }), 0);
    await links.put(aLink({ name: 'south' }), 0);
    await links.saveRun('south', {
      ...SUMMARY,
      mirrors: { ...SUMMARY.mirrors, 'in sync': 0 },
      unobserved: [{ what: 'target cluster', message: 'target: GET Namespace kube-system: ECONNREFUSED' }],
    });
    await deployment.storeRaw('north', { name: 'north', paused: 'perhaps' });
    expect(await deployment.run('status')).toMatchObject({
      code: 1,
      stderr: '',
      stdout: `link south
source cluster: ${EAST}
target cluster: ${WEST}

gateway: not looked at yet

mirrors since ${AT}: 1 not observed
NOT OBSERVED: target cluster: target: GET Namespace kube-system: ECONNREFUSED

link west (paused)
source cluster: ${EAST}
target cluster: ${WEST}

gateway: not looked at yet

runs: none yet

BROKEN north: paused: expected true or false, got "perhaps"
`,
    });
  });

  it('holds few lines of the journal for each of several links, and all for one', async () => {
    const { links, journal } = deployment.stores;
    await links.put(aLink({ name: 'busy' }), 0);
    const entries = Array.from({ length: 7 }, (_, index) => ({
      link: 'busy',
      at: NOW + index,
      runId: 'run-1',
      what: `create Service shop/web-${index}`,
      reasons: [],
      result: 'applied' as const,
    }));
    await journal.append(entries);
    const all = (await deployment.run('status')).stdout;
    expect(all.match(/create Service/g)).toHaveLength(5);
    expect(all).toMatch(/web-6\n(.*\n){4} {2}and 2 more with --link busy\n$/);
    const one = (await deployment.run('status --link busy')).stdout;
    expect(one.match(/create Service/g)).toHaveLength(7);
    expect(one).toMatch(/web-0\n$/);
  });

  it('of a deployment without links', async () => {
    expect(await deployment.run('status')).toMatchObject({
      code: 0,
      stdout: 'no links in eks-service-mirror-dev in eu-west-1\n',
    });
  });
});

describe('data', () => {
  it('is what the function says, for one link or for all', async () => {
    await deployment.stores.links.put(aLink(), 0);
    await deployment.stores.links.put(aLink({ name: 'north' }), 0);
    const world = { ...deployment.stores, clock: testClock(NOW) };
    const all = await deployment.run('status -o json');
    expect(all.stdout).toBe(`${JSON.stringify(await status(world, undefined), undefined, 2)}\n`);
    const one = await deployment.run('status --link west -o json');
    expect(one.stdout).toBe(`${JSON.stringify(await status(world, 'west'), undefined, 2)}\n`);
    expect((await deployment.run('status -o yaml')).stdout).toMatch(/^links:\n {2}- link: north\n/);
  });
});

describe('exit codes', () => {
  it.each<[string, Partial<RunSummary>, number]>([
    ['all in sync', {}, 0],
    ['something not observed', { unobserved: [{ what: 'target cluster', message: 'm' }] }, 1],
    ['a change that was not applied', { failed: 1 }, 1],
    ['a refusal', { refusals: [{ namespace: 'a', name: 'b', reason: 'NotOwned', message: 'm' }] }, 1],
  ])('%s', async (_, summary, code) => {
    await deployment.stores.links.put(aLink(), 0);
    await deployment.stores.links.saveRun('west', { ...SUMMARY, ...summary });
    expect(await deployment.run('status')).toMatchObject({ code, stderr: '' });
  });

  it('1 for a link that is not stored', async () => {
    expect(await deployment.run('status --link west')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'error: link west is not stored in eks-service-mirror-dev\n',
    });
  });
});

describe('answers that are none', () => {
  it.each<[string, () => void, string]>([
    [
      'of another version',
      () => answers(200, '{"links":[{"link":"west","state":1}],"broken":"none"}'),
      `${NAME} answers in a form that this version does not know: links[0].state: expected text, got 1; links[0].gateway: expected another value, got nothing; links[0].lastRun: expected another value, got nothing; and 2 more`,
    ],
    [
      'no JSON',
      () => answers(200, '<html>'),
      `${NAME} answers in a form that this version does not know: expected fields, got nothing`,
    ],
    ['an HTTP error', () => answers(500, '{}'), `${NAME}: answered HTTP 500`],
    ['a 404 that is not about the link', () => answers(404, '{}'), `${NAME}: answered HTTP 404`],
    ['a refusal', () => answers(403, '{}'), `${NAME}: these credentials may not ask it (HTTP 403)`],
    [
      'no HTTP answer',
      () => deployment.lambda.functions.set(NAME, () => 'hello'),
      `function ${NAME}: expected statusCode and body as its answer`,
    ],
    [
      'a failure',
      () =>
        deployment.lambda.functions.set(NAME, () => {
          throw new FunctionError('StateError', 'table x: cannot list links: AccessDeniedException');
        }),
      `function ${NAME} failed: StateError: table x: cannot list links: AccessDeniedException`,
    ],
  ])('%s', async (_, arrange, message) => {
    arrange();
    expect(await deployment.run('status --link west')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `error: ${message}\n`,
    });
  });
});

describe('wrong input', () => {
  it.each<[string, string, Record<string, string>, readonly string[]]>([
    [
      'a URL in the clear',
      'status --url http://abc.lambda-url.eu-west-1.on.aws/',
      {},
      [
        'error: --url: expected an https URL (http to this computer only), got "http://abc.lambda-url.eu-west-1.on.aws/"',
      ],
    ],
    [
      'a URL of the environment that is none',
      'status',
      { EKS_SERVICE_MIRROR_STATUS_URL: 'status' },
      [
        'error: EKS_SERVICE_MIRROR_STATUS_URL: expected an https URL (http to this computer only), got "status"',
      ],
    ],
    [
      'a stage of the environment that is none, and more',
      'status --link West --state x -o xml',
      { EKS_SERVICE_MIRROR_STAGE: 'a/b', AWS_DEFAULT_REGION: 'here' },
      [
        'error: --state: only beside --source-kubeconfig and --target-kubeconfig, not for a deployed link',
        'error: --link: expected a DNS label (lower-case letters, digits and -, at most 63), got "West"',
        'error: EKS_SERVICE_MIRROR_STAGE: expected a stage (at most 20 letters, digits and -), got "a/b"',
        'error: AWS_DEFAULT_REGION: expected a region like eu-west-1, got "here"',
        'error: --output: expected one of text, json, yaml, got "xml"',
      ],
    ],
  ])('%s', async (_, words, env, lines) => {
    const { code, stdout, stderr } = await deployment.run(words, { env });
    expect({ code, stdout }).toStrictEqual({ code: 2, stdout: '' });
    expect(stderr.trimEnd().split('\n').slice(0, -1)).toStrictEqual(lines);
    expect(deployment.lambda.invocations).toStrictEqual([]);
  });
});
