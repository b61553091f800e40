// Commands from words to exit code: what reaches reconcile, what is printed where, and how every run ends.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../cli/commands/index.ts';
import { StateError } from '../../lib/errors.ts';
import type { Report } from '../../lib/model/report.ts';
import { aReport, CHANGES, cli, folderWith, KUBECONFIG, linkFlags } from './cli.ts';

const REFUSED: Partial<Report> = {
  refusals: [{ namespace: 'shop', name: 'api', reason: 'NotOwned', message: 'm' }],
};
const UNOBSERVED: Partial<Report> = {
  unobserved: [{ what: 'target cluster', message: 'target: LIST Service: refused' }],
};
const outcomes = (result: 'applied' | 'failed' | 'skipped'): Partial<Report> => ({
  changes: CHANGES,
  outcomes: CHANGES.map((change) => ({ change, result })),
});

describe('exit codes', () => {
  it.each<[string, string[], Partial<Report>, number]>([
    ['plan without changes', ['plan'], {}, 0],
    ['plan with changes', ['plan'], { changes: CHANGES }, 0],
    ['plan --exit-code without changes', ['plan', '--exit-code'], {}, 0],
    ['plan --exit-code with changes', ['plan', '--exit-code'], { changes: CHANGES }, 3],
    [
      'plan --exit-code with changes and a refusal',
      ['plan', '--exit-code'],
      { changes: CHANGES, ...REFUSED },
      1,
    ],
    ['plan with a refusal', ['plan'], REFUSED, 1],
    ['plan with something unobserved', ['plan'], UNOBSERVED, 1],
    ['sync with every change applied', ['sync'], outcomes('applied'), 0],
    ['sync with a failed change', ['sync'], outcomes('failed'), 1],
    ['sync with a skipped change', ['sync'], outcomes('skipped'), 1],
    ['sync with a refusal', ['sync'], REFUSED, 1],
    ['status of a sound link', ['status'], { changes: CHANGES }, 0],
    ['status with a refusal', ['status'], REFUSED, 1],
    ['status with something unobserved', ['status'], UNOBSERVED, 1],
  ])('%s: %s', async (_, words, report, code) => {
    const ran = await cli([...words, ...(await linkFlags())], { report: aReport(report) });
    expect(ran).toMatchObject({ code, stderr: '' });
    expect(ran.stdout).not.toBe('');
  });

  it('1 and one line for an unexpected error', async () => {
    const reconcile = () => Promise.reject(new StateError('state file x: cannot be written: no space'));
    expect(await cli(['sync', ...(await linkFlags())], { reconcile })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'error: state file x: cannot be written: no space\n',
    });
  });

  it('1 and the stack for an unexpected error with --debug', async () => {
    const reconcile = () => Promise.reject(new TypeError('x is no function'));
    const { code, stderr } = await cli(['sync', '--debug', ...(await linkFlags())], { reconcile });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^TypeError: x is no function\n {4}at /);
  });
});

describe('what reaches reconcile', () => {
  it.each([
    ['plan', true],
    ['status', true],
    ['gateways', true],
    ['sync', false],
  ])('%s: dryRun %s, no filters', async (command, dryRun) => {
    const { calls } = await cli([command, ...(await linkFlags())]);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.options).toMatchObject({ dryRun, namespaces: [], services: [], forceDeletes: false });
  });

  it('filters and force', async () => {
    const words = [
      'sync',
      '--namespace',
      'shop',
      '--namespace=cart',
      '--service',
      'shop/web',
      '--force-deletes',
    ];
    const { calls } = await cli([...words, ...(await linkFlags())]);
    expect(calls[0]?.options).toMatchObject({
      namespaces: ['shop', 'cart'],
      services: [{ namespace: 'shop', name: 'web' }],
      forceDeletes: true,
    });
  });

  it('a link of flags alone, looked up without delay', async () => {
    const flags = await linkFlags();
    const { calls } = await cli(['plan', ...flags, '--source-context', 'two']);
    expect(calls[0]?.link).toMatchObject({
      name: 'west',
      source: { kubeconfig: flags[3], context: 'two' },
      target: { kubeconfig: flags[5] },
      firstLookDelay: 0,
      endpoints: 'endpoints',
    });
  });

  it('flags for common fields', async () => {
    const words =
      '--endpoints endpointslices --gateway-address 10.0.0.1 --gateway-address gw.example.com --gateway-port 31000 ' +
      '--allowed-cidr 10.0.0.0/8 --allowed-cidr fd00::/8 --allowed-hostname example.com';
    const { calls } = await cli(['plan', ...words.split(' '), ...(await linkFlags())]);
    expect(calls[0]?.link).toMatchObject({
      endpoints: 'endpointslices',
      gateway: { name: 'linkerd-gateway', addresses: ['10.0.0.1', 'gw.example.com'], port: 31_000 },
      allowedCIDRs: ['10.0.0.0/8', 'fd00::/8'],
      allowedHostnames: ['example.com'],
    });
  });
});

describe('a link file', () => {
  const LINK = `
name: west
source: { kubeconfig: east.yaml, context: two }
target: { kubeconfig: west.yaml }
gateway: { namespace: gateways, port: 4000, addresses: [10.0.0.9] }
firstLookDelay: 30
endpoints: endpointslices
allowedCIDRs: [10.0.0.0/8]
`;

  const folder = (link: string): Promise<string> =>
    folderWith({
      'link.yaml': link,
      'east.yaml': KUBECONFIG,
      'west.yaml': KUBECONFIG,
      'other.yaml': KUBECONFIG,
    });

  it('is enough, and its paths are meant from where it is', async () => {
    const where = await folder(LINK);
    const { calls, code } = await cli(['plan', '--link-file', join(where, 'link.yaml')]);
    expect(code).toBe(0);
    expect(calls[0]?.link).toMatchObject({
      name: 'west',
      source: { kubeconfig: join(where, 'east.yaml'), context: 'two' },
      target: { kubeconfig: join(where, 'west.yaml') },
      gateway: { namespace: 'gateways', name: 'linkerd-gateway', port: 4000, addresses: ['10.0.0.9'] },
      firstLookDelay: 30,
    });
  });

  it('may be JSON', async () => {
    const where = await folder(
      '{"name": "west", "source": {"kubeconfig": "east.yaml"}, "target": {"kubeconfig": "west.yaml"}}',
    );
    const { calls } = await cli(['plan', '--link-file', join(where, 'link.yaml')]);
    expect(calls[0]?.link).toMatchObject({ name: 'west', firstLookDelay: 0 });
  });

  it('loses to every flag', async () => {
    const where = await folder(LINK);
    const other = join(where, 'other.yaml');
    const words =
      `plan --link-file ${where}/link.yaml --link north --source-kubeconfig ${other} --target-context two ` +
      '--endpoints endpoints --gateway-port 5000 --gateway-address gw.example.com --allowed-cidr 192.168.0.0/16';
    const { calls } = await cli(words.split(' '));
    expect(calls[0]?.link).toMatchObject({
      name: 'north',
      target: { kubeconfig: join(where, 'west.yaml'), context: 'two' },
      endpoints: 'endpoints',
      gateway: { namespace: 'gateways', port: 5000, addresses: ['gw.example.com'] },
      allowedCIDRs: ['192.168.0.0/16'],
    });
    // another kubeconfig: the file's context was of the former one
    expect(calls[0]?.link.source).toStrictEqual({ kubeconfig: other });
  });

  it('loses to a gateway flag even where it says none', async () => {
    const where = await folder(LINK.replace(/gateway:.*/, 'gateway: none'));
    const { calls } = await cli([
      'plan',
      '--link-file',
      join(where, 'link.yaml'),
      '--gateway-address',
      '10.0.0.1',
    ]);
    expect(calls[0]?.link.gateway).toMatchObject({ name: 'linkerd-gateway', addresses: ['10.0.0.1'] });
  });
});

describe('output', () => {
  const report = aReport({ changes: CHANGES.slice(2) });

  it('is text unless asked otherwise', async () => {
    const { stdout } = await cli(['plan', ...(await linkFlags())], { report });
    expect(stdout).toBe('- Service shop/old-west\n\n0 to create, 0 to update, 1 to delete\n');
  });

  it.each([['-o', 'json'], ['--output=json'], ['-ojson']])('is JSON with %s %s', async (...words) => {
    const { stdout } = await cli(['plan', ...words, ...(await linkFlags())], { report, isTTY: true });
    expect(JSON.parse(stdout)).toStrictEqual({
      link: 'west',
      changes: [{ action: 'delete', kind: 'Service', namespace: 'shop', name: 'old-west', reasons: [] }],
      refusals: [],
      unobserved: [],
      notes: [],
    });
  });

  it('of sync is JSON with outcomes and requests', async () => {
    const { stdout } = await cli(['sync', '-o', 'json', ...(await linkFlags())], { report });
    expect(JSON.parse(stdout)).toMatchObject({
      outcomes: [],
      requests: { reads: 0, writes: 0, bytes: 0, leases: 0 },
    });
  });

  it('is YAML with -o yaml', async () => {
    const { stdout } = await cli(['status', '-o', 'yaml', ...(await linkFlags())], { report });
    expect(stdout).toMatch(
      /^link: west\nsource:\n {2}kubeconfig: .*\ntarget:\n {2}kubeconfig: .*\ngateway: unobserved\nmirrors: \[\]\n/,
    );
  });

  const RED = '\u001B[31m- Service shop/old-west\u001B[0m';
  it.each<[string, boolean, Record<string, string>, boolean]>([
    ['on a terminal', true, {}, true],
    ['when piped', false, {}, false],
    ['on a terminal with NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['on a terminal with an empty NO_COLOR', true, { NO_COLOR: '' }, true],
    ['on a dumb terminal', true, { TERM: 'dumb' }, false],
  ])('%s: coloured %s %o: %s', async (_, isTTY, env, isColoured) => {
    const { stdout } = await cli(['plan', ...(await linkFlags())], { report, isTTY, env });
    expect(stdout.includes(RED)).toBe(isColoured);
    expect(stdout.includes('\u001B')).toBe(isColoured);
  });
});

describe('progress', () => {
  const reconcile: NonNullable<Parameters<typeof cli>[1]>['reconcile'] = async (_, __, options) => {
    options.onProgress?.({ done: 0, total: 0, what: 'reading both clusters' });
    options.onProgress?.({ done: 1, total: 2, what: 'writing' });
    return aReport();
  };

  it('is one line on standard error that is wiped out in the end', async () => {
    const { stderr, stdout } = await cli(['sync', ...(await linkFlags())], { reconcile, isTTY: true });
    const wipe = '\r\u001B[2K';
    expect(stderr).toBe(`${wipe}reading both clusters…${wipe}writing 1/2…${wipe}`);
    expect(stdout).toBe('nothing to do\n');
  });

  it('is silent where nobody watches', async () => {
    expect(await cli(['sync', ...(await linkFlags())], { reconcile })).toMatchObject({ stderr: '' });
  });

  it('is wiped out before an error is told', async () => {
    const { stderr } = await cli(['sync', ...(await linkFlags())], {
      isTTY: true,
      reconcile: async (_, __, options) => {
        options.onProgress?.({ done: 0, total: 0, what: 'reading' });
        throw new Error('broken');
      },
    });
    expect(stderr).toBe('\r\u001B[2Kreading…\r\u001B[2Kerror: broken\n');
  });
});

describe('help', () => {
  it('lists the commands', async () => {
    const { code, stdout, stderr } = await cli(['--help']);
    expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`Usage: eks-service-mirror <command> [flags]

Mirrors the exported Services of a target cluster in a source cluster, for Linkerd multicluster.

Options:
  -V, --version  print the version
  -h, --help     print this help

Commands:
  plan           show what a sync would change, and write nothing
  sync           bring the mirrors of a link up to date
  status         show the gateway and the mirrors of a link
  gateways       show whether gateways are alive, and their addresses
  links          list the links of the deployment
  link           store a link in the deployment, or change it
  resync         have the deployment reconcile its links now
  unlink         remove the mirrors of a link, and forget it
  help           print the help of a command
`);
  });

  it.each(COMMANDS)('of $name has an example that works as it stands', async ({ name: command }) => {
    const { code, stdout } = await cli([command, '--help']);
    expect(code).toBe(0);
    const examples = stdout.split('Examples:\n')[1]?.split('\n') ?? [];
    const words = examples.filter((line) => `${line} `.startsWith(`  eks-service-mirror ${command} `));
    expect(words.length).toBeGreaterThan(0);
    for (const line of words) {
      const { stderr } = await cli(line.trim().split(' ').slice(1));
      // the files are not here; nothing else is wrong with it
      expect(stderr).not.toMatch(/unknown flag|unexpected argument|got "/);
    }
  });

  it('is told on standard error, with exit code 2, when no command is given', async () => {
    const { code, stdout, stderr } = await cli([]);
    expect({ code, stdout }).toStrictEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Usage: eks-service-mirror <command> [flags]');
  });

  it('does not need sound flags', async () => {
    expect(await cli(['plan', '--bogus', '--help'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('version', async () => {
    expect(await cli(['--version'])).toMatchObject({ code: 0, stdout: '0.1.0\n' });
  });
});
