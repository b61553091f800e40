// `link`: what is stored and shown, what is refused before anything is stored, and who wins a race.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStack } from '../../cli/aws/open.ts';
import { testClock } from '../support/clock.ts';
import { folderWith, NOW } from './cli.ts';
import { aLink, EAST, useDeployment, WEST } from './deployment.ts';

const deployment = useDeployment();

const CLUSTERS = `--source-eks ${EAST} --target-eks ${WEST}`;
const LABEL = 'a DNS label (lower-case letters, digits and -, at most 63)';
const OPEN =
  'note: allowedCIDRs is empty: whatever the target names as its gateway is mirrored, but for the deny list\n';

const stored = async () => (await deployment.stores.links.list()).links;

describe('a new link', () => {
  it('is stored and shown, with what happens next', async () => {
    expect(await deployment.run(`link --link west ${CLUSTERS}`)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `+ link west in eks-service-mirror-dev in eu-west-1
  source.eks: ${EAST}
  target.eks: ${WEST}
  everything else as by default

${OPEN}
stored; the next tick, within a minute, mirrors what the target exports
now: eks-service-mirror resync --link west --wait
`,
    });
    expect(await stored()).toStrictEqual([{ link: aLink(), version: 1, ending: false, lastRun: undefined }]);
  });

  it('of every flag', async () => {
    const words = [
      `--source-secret arn:aws:secretsmanager:eu-west-1:111122223333:secret:east`,
      `--target-eks ${WEST} --target-role-arn arn:aws:iam::444455556666:role/mirror --target-external-id x1`,
      '--endpoints endpointslices --paused --gateway-address gw.example.com --gateway-port 4000',
      '--allowed-cidr 10.0.0.0/8 --allowed-cidr fd00::/8 --allowed-hostname example.com',
    ];
    expect(await deployment.run(`link --link west ${words.join(' ')}`)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `+ link west in eks-service-mirror-dev in eu-west-1
  source.secret: arn:aws:secretsmanager:eu-west-1:111122223333:secret:east
  target.eks: ${WEST}
  target.roleArn: arn:aws:iam::444455556666:role/mirror
  target.externalId: x1
  gateway.addresses: gw.example.com
  gateway.port: 4000
  endpoints: endpointslices
  paused: true
  allowedCIDRs: 10.0.0.0/8, fd00::/8
  allowedHostnames: example.com
  everything else as by default

stored; it is paused: its mirrors stay as they are until --no-paused
`,
    });
    expect((await stored())[0]?.link).toMatchObject({
      target: { eks: WEST, roleArn: 'arn:aws:iam::444455556666:role/mirror', externalId: 'x1' },
      gateway: { name: 'linkerd-gateway', addresses: ['gw.example.com'], port: 4000 },
      firstLookDelay: 60,
      paused: true,
    });
  });

  it('of a file, over which flags win', async () => {
    const text = `name: west\nsource: { eks: "${EAST}" }\ntarget: { eks: "${EAST}", roleArn: "arn:aws:iam::111122223333:role/a" }\nallowedCIDRs: [10.0.0.0/8]\nheadless: false\n`;
    const file = join(await folderWith({ 'link.yaml': text }), 'link.yaml');
    const { code, stdout } = await deployment.run(`link --link-file ${file} --target-eks ${WEST}`);
    expect({ code, stdout }).toStrictEqual({
      code: 0,
      stdout: `+ link west in eks-service-mirror-dev in eu-west-1
  source.eks: ${EAST}
  target.eks: ${WEST}
  headless: false
  allowedCIDRs: 10.0.0.0/8
  everything else as by default

stored; the next tick, within a minute, mirrors what the target exports
now: eks-service-mirror resync --link west --wait
`,
    });
  });

  it('is only shown with --dry-run', async () => {
    const { code, stdout } = await deployment.run(`link --link west ${CLUSTERS} --dry-run`);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\ndry run: nothing was stored\n$/);
    expect(await stored()).toStrictEqual([]);
  });

  it('as JSON and as YAML', async () => {
    const { stdout } = await deployment.run(`link --link west ${CLUSTERS} -o json`);
    expect(JSON.parse(stdout)).toStrictEqual({
      stack: 'eks-service-mirror-dev',
      region: 'eu-west-1',
      link: 'west',
      action: 'create',
      changes: [
        { field: 'source.eks', after: EAST },
        { field: 'target.eks', after: WEST },
      ],
      notes: [OPEN.slice('note: '.length).trim()],
      stored: true,
    });
    expect((await deployment.run('link --link west --paused -o yaml')).stdout).toContain(
      'changes:\n  - field: paused\n    before: false\n    after: true\n',
    );
  });
});

describe('a link that is stored', () => {
  it('is changed by flags, the rest stays', async () => {
    await deployment.stores.links.put(aLink({ allowedCIDRs: ['10.0.0.0/8'], headless: false }), 0);
    expect(await deployment.run('link --link west --paused --gateway-port 4000')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `~ link west in eks-service-mirror-dev in eu-west-1
  gateway.port: nothing → 4000
  paused: false → true

stored; it is paused: its mirrors stay as they are until --no-paused
`,
    });
    expect(await stored()).toMatchObject([
      { version: 2, link: { paused: true, headless: false, allowedCIDRs: ['10.0.0.0/8'] } },
    ]);
  });

  it('is replaced by a file: what it does not say is as by default', async () => {
    await deployment.stores.links.put(
      aLink({
        allowedCIDRs: ['10.0.0.0/8'],
        gateway: 'none',
        selector: { matchLabels: { 'example.com/tier': 'a' } },
      }),
      0,
    );
    const text = `{"name": "west", "source": {"eks": "${EAST}"}, "target": {"eks": "${WEST}"}, "allowedCIDRs": ["10.1.0.0/16"]}`;
    const file = join(await folderWith({ 'link.json': text }), 'link.json');
    expect((await deployment.run(`link --link-file ${file}`)).stdout)
      .toBe(`~ link west in eks-service-mirror-dev in eu-west-1
  gateway.namespace: nothing → linkerd-multicluster
  gateway.name: nothing → linkerd-gateway
  selector.matchLabels["mirror.linkerd.io/exported"]: nothing → true
  allowedCIDRs: 10.0.0.0/8 → 10.1.0.0/16
  gateway: none → nothing
  selector.matchLabels["example.com/tier"]: a → nothing

stored; the next tick, within a minute, mirrors what the target exports
now: eks-service-mirror resync --link west --wait
`);
  });

  it('is not written when nothing changes', async () => {
    await deployment.stores.links.put(aLink(), 0);
    expect(await deployment.run(`link --link west ${CLUSTERS}`)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: 'link west in eks-service-mirror-dev in eu-west-1: nothing to change\n',
    });
    expect(await stored()).toMatchObject([{ version: 1 }]);
  });

  it('tells what follows from other clusters, and not from another role', async () => {
    await deployment.stores.links.put(aLink({ allowedCIDRs: ['10.0.0.0/8'] }), 0);
    const role = '--source-role-arn arn:aws:iam::111122223333:role/a';
    expect((await deployment.run(`link --link west ${role} --dry-run`)).stdout).not.toContain('note:');
    const { stdout } = await deployment.run(
      `link --link west --source-eks ${EAST}-2 --target-eks ${WEST}-2 --dry-run`,
    );
    expect(stdout).toContain(`
note: source: mirrors that are in the former source cluster stay there; "unlink" first removes them
note: target: another cluster than before is refused as WrongCluster; "unlink" first, or use another name
`);
  });

  it('shows a cluster that is reached another way, and cannot tell whether it is another one', async () => {
    await deployment.stores.links.put(
      aLink({
        allowedCIDRs: ['10.0.0.0/8'],
        target: { eks: WEST, roleArn: 'arn:aws:iam::444455556666:role/a' },
      }),
      0,
    );
    const secret = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:west';
    expect((await deployment.run(`link --link west --target-secret ${secret} --dry-run`)).stdout)
      .toBe(`~ link west in eks-service-mirror-dev in eu-west-1
  target.secret: nothing → ${secret}
  target.eks: ${WEST} → nothing
  target.roleArn: arn:aws:iam::444455556666:role/a → nothing

note: target: another cluster than before is refused as WrongCluster; "unlink" first, or use another name

dry run: nothing was stored
`);
  });

  it('names the stage where it is not the usual one', async () => {
    await deployment.dynamo.createTable('eks-service-mirror-prod-state');
    const { stdout } = await deployment.run(`link --link west ${CLUSTERS} --stage prod`);
    expect(stdout).toMatch(/^\+ link west in eks-service-mirror-prod in eu-west-1\n/);
    expect(stdout).toMatch(/\nnow: eks-service-mirror resync --link west --wait --stage prod\n$/);
    expect(await stored()).toStrictEqual([]);
  });
});

describe('a link that cannot be stored', () => {
  it('because somebody else was faster', async () => {
    await deployment.stores.links.put(aLink(), 0);
    const racing: typeof openStack = async (place, clock) => {
      const stack = await openStack(place, clock);
      const get: typeof stack.links.get = async (name) => {
        const record = await stack.links.get(name);
        await deployment.stores.links.put(aLink({ headless: false }), 1);
        return record;
      };
      return { ...stack, links: { ...stack.links, get } };
    };
    const openRacing = {
      openStack: (place: Parameters<typeof openStack>[0]) => racing(place, testClock(NOW)),
    };
    expect(await deployment.run('link --link west --paused', openRacing)).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'error: link west in eks-service-mirror-dev was changed by somebody else meanwhile: nothing was stored; look again and repeat\n',
    });
    expect(await stored()).toMatchObject([{ version: 2, link: { headless: false, paused: false } }]);
  });

  it('because two were new at once', async () => {
    const words = `link --link west ${CLUSTERS}`;
    const racing: typeof openStack = async (place, clock) => {
      const stack = await openStack(place, clock);
      return { ...stack, links: { ...stack.links, get: () => Promise.resolve(undefined) } };
    };
    await deployment.stores.links.put(aLink({ paused: true }), 0);
    expect(
      await deployment.run(words, { openStack: (place) => racing(place, testClock(NOW)) }),
    ).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('nothing was stored') });
    expect(await stored()).toMatchObject([{ version: 1, link: { paused: true } }]);
  });

  it('because it is ending', async () => {
    await deployment.stores.links.put(aLink(), 0);
    await deployment.stores.links.end('west');
    expect(await deployment.run('link --link west --paused')).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'error: link west is ending: its mirrors are being removed; store it anew when it is not listed any more\n',
    });
  });

  it('because what is stored cannot be used', async () => {
    await deployment.storeRaw('west', { name: 'west', paused: 'perhaps' });
    expect(await deployment.run(`link --link west ${CLUSTERS}`)).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'error: table eks-service-mirror-dev-state, link west: paused: expected true or false, got "perhaps"; "unlink west --keep-mirrors" forgets it, then it can be stored anew\n',
    });
  });
});

describe('wrong input, all of it at once, and nothing stored', () => {
  async function mistakesOf(words: string): Promise<readonly string[]> {
    const { code, stdout, stderr } = await deployment.run(words);
    expect({ code, stdout }).toStrictEqual({ code: 2, stdout: '' });
    expect(await stored()).toStrictEqual([]);
    const lines = stderr.trimEnd().split('\n');
    expect(lines.at(-1)).toBe('nothing was touched; see eks-service-mirror link --help');
    return lines.slice(0, -1);
  }
  const MISSING = ['source', 'target'].map(
    (side) => `error: --${side}-eks: expected an EKS cluster or a secret, got nothing`,
  );

  it.each<[string, string, readonly string[]]>([
    ['nothing', 'link', [`error: --link: expected ${LABEL}, got nothing`]],
    ['a name alone, of a link that is not stored', 'link --link west', MISSING],
    [
      'a value that is wrong besides',
      'link --link west --gateway-port a',
      ['error: --gateway-port: expected a port from 1 to 65535, got "a"', ...MISSING],
    ],
    [
      'a cluster that is no ARN',
      `link --link west --source-eks east --target-eks ${WEST}`,
      [
        'error: --source-eks: expected the ARN of an EKS cluster (arn:aws:eks:REGION:ACCOUNT:cluster/NAME), got "east"',
      ],
    ],
    [
      'a cluster and a secret for one side',
      `link --link west ${CLUSTERS} --target-secret arn:aws:secretsmanager:eu-west-1:111122223333:secret:a`,
      [
        'error: --target-eks, --target-secret: expected { kubeconfig: FILE }, { eks: ARN } or { secret: ARN }, got the fields eks, secret',
      ],
    ],
    [
      'an external ID without a role',
      `link --link west ${CLUSTERS} --source-external-id x`,
      ['error: --source-external-id: expected a roleArn beside it, got "x"'],
    ],
    [
      'both of two switches',
      `link --link west ${CLUSTERS} --paused --no-paused`,
      ['error: --no-paused: expected it or --paused, got both'],
    ],
    [
      'a kubeconfig',
      `link --link west --target-eks ${WEST} --source-kubeconfig east.yaml`,
      ['error: --source-kubeconfig: unknown flag'],
    ],
    [
      'much',
      'link --link West --paused --no-paused -o xml --stage a_b --region x --endpoints slices --allowed-cidr',
      [
        'error: --allowed-cidr: expected CIDR, got nothing',
        `error: --link: expected ${LABEL}, got "West"`,
        'error: --endpoints: expected one of endpoints, endpointslices, got "slices"',
        'error: --no-paused: expected it or --paused, got both',
        'error: --output: expected one of text, json, yaml, got "xml"',
        'error: --stage: expected a stage (at most 20 letters, digits and -), got "a_b"',
        'error: --region: expected a region like eu-west-1, got "x"',
      ],
    ],
  ])('%s', async (_, words, lines) => {
    expect(await mistakesOf(words)).toStrictEqual(lines);
  });

  it('a file with access by file, and more', async () => {
    const text = 'name: west\nsource: { kubeconfig: east.yaml }\npausd: true\n';
    const file = join(await folderWith({ 'link.yaml': text }), 'link.yaml');
    const mistakes = await mistakesOf(`link --link-file ${file}`);
    expect(mistakes).toHaveLength(3);
    expect(mistakes[0]).toContain(`error: ${file}: pausd: unknown field (did you mean paused?)`);
    expect(mistakes.slice(1)).toStrictEqual([
      `error: ${file}: source: expected { eks: ARN } or { secret: ARN } for a stored link, got the fields kubeconfig`,
      `error: --target-eks (or target in ${file}): expected an EKS cluster or a secret, got nothing`,
    ]);
  });

  it('a wrong value is told though the deployment cannot be asked what is stored', async () => {
    expect(await mistakesOf('link --link west --gateway-port a --stage gone')).toStrictEqual([
      'error: --gateway-port: expected a port from 1 to 65535, got "a"',
    ]);
  });
});

describe('a link that is open to every address', () => {
  it('is told where its gateway is known to be, as flags', async () => {
    await deployment.run(`link --link west ${CLUSTERS}`);
    await deployment.stores.gateways.save(
      'west',
      {
        schema: 1,
        records: [],
        literals: { '203.0.113.10': {}, '203.0.113.9': { departedAt: 1 }, '2001:db8::1': {} },
      },
      0,
    );
    const { stdout } = await deployment.run('link --link west --paused --dry-run');
    expect(stdout).toContain(
      'but for the deny list; now it is at 203.0.113.10, 2001:db8::1: --allowed-cidr 203.0.113.10/32 --allowed-cidr 2001:db8::1/128, or the subnets of its load balancer\n',
    );
  });
});
