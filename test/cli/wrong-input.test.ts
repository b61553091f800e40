// Wrong input: every mistake at once, named by flag or file, exit code 2, and nothing touched.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, folderWith, KUBECONFIG, linkFlags } from './cli.ts';

const LABEL = 'a DNS label (lower-case letters, digits and -, at most 63)';
const HELP = (command: string): string => `nothing was touched; see eks-service-mirror ${command} --help`;

async function mistakesOf(words: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr, calls } = await cli(words);
  expect({ code, stdout, calls }).toStrictEqual({ code: 2, stdout: '', calls: [] });
  const lines = stderr.trimEnd().split('\n');
  expect(lines.at(-1)).toBe(HELP(words[0] ?? ''));
  return lines.slice(0, -1);
}

describe('one mistake beside sound flags', () => {
  it.each<[string, string[], string]>([
    ['an unknown flag', ['--frobnicate'], 'error: --frobnicate: unknown flag'],
    ['an unknown flag with its value', ['--frobnicate', 'x'], 'error: --frobnicate: unknown flag'],
    [
      'a mistyped flag',
      ['--sourc-context=a'],
      'error: --sourc-context: unknown flag; did you mean --source-context?',
    ],
    ['a flag of another command', ['--exit-code'], 'error: --exit-code: unknown flag'],
    ['a stray word', ['west'], 'error: "west": unexpected argument'],
    [
      'a switch with a value',
      ['--force-deletes=yes'],
      'error: --force-deletes: expected no value, got "yes"',
    ],
    ['a flag without its value', ['--dns'], 'error: --dns: expected HOST:PORT, got nothing'],
    ['a flag whose value is a flag', ['--state', '--debug'], 'error: --state: expected FILE, got nothing'],
    ['an unknown format', ['-o', 'xml'], 'error: --output: expected one of text, json, yaml, got "xml"'],
    [
      'a namespace that can be none',
      ['--namespace', 'Shop'],
      'error: --namespace: expected a namespace, got "Shop"',
    ],
    [
      'a service without namespace',
      ['--service', 'web'],
      'error: --service: expected NAMESPACE/NAME, got "web"',
    ],
    [
      'a service with too much',
      ['--service', 'a/b/c'],
      'error: --service: expected NAMESPACE/NAME, got "a/b/c"',
    ],
    [
      'an unknown form of endpoints',
      ['--endpoints', 'slices'],
      'error: --endpoints: expected one of endpoints, endpointslices, got "slices"',
    ],
    [
      'a port that is none',
      ['--gateway-port', 'http'],
      'error: --gateway-port: expected a port from 1 to 65535, got "http"',
    ],
    [
      'a port out of range',
      ['--gateway-port', '0'],
      'error: --gateway-port: expected a port from 1 to 65535, got 0',
    ],
    [
      'a gateway address that is none',
      ['--gateway-address', '10.0.0.256'],
      'error: --gateway-address: expected an IP address or a hostname in lower case, got "10.0.0.256"',
    ],
    [
      'a CIDR that is none',
      ['--allowed-cidr', '10.0.0.1'],
      'error: --allowed-cidr: expected a CIDR such as 10.0.0.0/8 or 2001:db8::/32, got "10.0.0.1"',
    ],
    [
      'a suffix that is none',
      ['--allowed-hostname', '*.a'],
      'error: --allowed-hostname: expected a DNS suffix such as example.com, got "*.a"',
    ],
    [
      'a DNS server by name',
      ['--dns', 'dns.example'],
      'error: --dns: expected an IP address with or without a port, like 127.0.0.1:53 or [::1]:53, got "dns.example"',
    ],
    [
      'a state file in a folder that is not there',
      ['--state', '/nowhere/state.json'],
      'error: --state: cannot use /nowhere/state.json: no such file or directory',
    ],
    [
      'a link file that is not there',
      ['--link-file', '/nowhere/link.yaml'],
      'error: --link-file: cannot read /nowhere/link.yaml: no such file or directory',
    ],
  ])('%s', async (_, words, line) => {
    expect(await mistakesOf(['sync', ...(await linkFlags()), ...words])).toStrictEqual([line]);
  });

  it('a context that is not there', async () => {
    const mistakes = await mistakesOf(['sync', ...(await linkFlags()), '--source-context', 'three']);
    expect(mistakes).toStrictEqual([expect.stringMatching(/^error: source kubeconfig: .*got "three"$/)]);
  });

  it('a kubeconfig that is not there', async () => {
    const flags = await linkFlags();
    expect(await mistakesOf(['sync', ...flags.slice(0, 4), '--target-kubeconfig', '/nowhere'])).toStrictEqual(
      ['error: target kubeconfig: expected a readable file, got /nowhere: no such file or directory'],
    );
  });

  it('a state file that cannot be used', async () => {
    const folder = await folderWith({ 'state.json': '{"schema":9,"links":{}}' });
    const path = join(folder, 'state.json');
    expect(await mistakesOf(['sync', ...(await linkFlags()), '--state', path])).toStrictEqual([
      `error: --state: state file ${path}: schema: expected 1, got 9`,
    ]);
  });
});

describe('too few flags', () => {
  it.each(['plan', 'sync'])('%s asks for a link', async (command) => {
    expect(await mistakesOf([command])).toStrictEqual([
      'error: --link: expected the name of a deployed link, or of one beside --source-kubeconfig and --target-kubeconfig, got nothing',
    ]);
  });

  it.each(['plan', 'sync', 'status'])('%s asks for all that two clusters need', async (command) => {
    expect(await mistakesOf([command, '--source-context', 'one'])).toStrictEqual([
      `error: --link: expected ${LABEL}, got nothing`,
      'error: --source-kubeconfig: expected the path of a kubeconfig file, got nothing',
      'error: --target-kubeconfig: expected a kubeconfig file, got nothing',
    ]);
  });
});

describe('flags for two clusters and for a deployed link', () => {
  it.each<[string, string[], string[]]>([
    [
      'a cluster of one side only',
      ['plan', '--link', 'west', '--target-kubeconfig', '/nowhere'],
      [
        'error: --source-kubeconfig: expected a kubeconfig file, got nothing',
        'error: target kubeconfig: expected a readable file, got /nowhere: no such file or directory',
      ],
    ],
    [
      'settings of a run from here, of a deployed link',
      ['sync', '--link', 'west', '--state', 'x', '--dns', '127.0.0.1', '--show-objects'],
      ['--dns', '--state', '--show-objects'].map(
        (flag) =>
          `error: ${flag}: only beside --source-kubeconfig and --target-kubeconfig, not for a deployed link`,
      ),
    ],
    [
      'a namespace, of the status of a deployed link',
      ['status', '--namespace', 'shop'],
      [
        'error: --namespace: only beside --source-kubeconfig and --target-kubeconfig, not for a deployed link',
      ],
    ],
    [
      'the URL of a status function, of a plan',
      ['plan', '--link', 'west', '--url', 'https://a.example'],
      ['error: --url: unknown flag'],
    ],
  ])('%s', async (_, words, lines) => {
    expect(await mistakesOf(words)).toStrictEqual(lines);
  });

  it('a stage beside kubeconfigs', async () => {
    expect(await mistakesOf(['plan', ...(await linkFlags()), '--stage', 'prod'])).toStrictEqual([
      'error: --stage: only for a deployed link, not beside --source-kubeconfig',
    ]);
  });
});

it('all mistakes are told together', async () => {
  const words =
    'plan --link West --source-kubeconfg x --gateway-port a --service web -o xml --dns foo ' +
    '--state /nowhere/x --target-kubeconfig /nowhere --link-file';
  expect(await mistakesOf(words.split(' '))).toStrictEqual([
    'error: --link-file: expected FILE, got nothing',
    'error: --source-kubeconfg: unknown flag; did you mean --source-kubeconfig?',
    `error: --link: expected ${LABEL}, got "West"`,
    'error: --gateway-port: expected a port from 1 to 65535, got "a"',
    'error: --source-kubeconfig: expected a kubeconfig file, got nothing',
    'error: --output: expected one of text, json, yaml, got "xml"',
    'error: --service: expected NAMESPACE/NAME, got "web"',
    'error: target kubeconfig: expected a readable file, got /nowhere: no such file or directory',
    'error: --dns: expected an IP address with or without a port, like 127.0.0.1:53 or [::1]:53, got "foo"',
    'error: --state: cannot use /nowhere/x: no such file or directory',
  ]);
});

describe('a wrong link file', () => {
  async function linkFile(text: string): Promise<{ path: string; words: readonly string[] }> {
    const folder = await folderWith({ 'link.yaml': text, 'k.yaml': KUBECONFIG });
    const path = join(folder, 'link.yaml');
    return { path, words: ['plan', '--link-file', path] };
  }
  const SIDES = 'source: { kubeconfig: k.yaml }\ntarget: { kubeconfig: k.yaml }\n';

  it('is named with every field that is wrong', async () => {
    const { path, words } = await linkFile(
      `name: West\n${SIDES}gateway: { prot: 1 }\nheadles: true\npaused: "no"\n`,
    );
    expect(await mistakesOf(words)).toStrictEqual([
      `error: ${path}: name: expected ${LABEL}, got "West"`,
      `error: ${path}: gateway.prot: unknown field (did you mean port?), expected one of namespace, name, addresses, port, probePort, identity, identitySuffix, loadBalancer`,
      `error: ${path}: paused: expected true or false, got "no"`,
      expect.stringContaining(
        `error: ${path}: headles: unknown field (did you mean headless?), expected one of name, `,
      ),
    ]);
  });

  it('what is nowhere is asked for by flag or field', async () => {
    const { path, words } = await linkFile('paused: false\n');
    expect(await mistakesOf(words)).toStrictEqual([
      `error: --link (or name in ${path}): expected ${LABEL}, got nothing`,
      `error: --source-kubeconfig (or source in ${path}): expected a kubeconfig file, got nothing`,
      `error: --target-kubeconfig (or target in ${path}): expected a kubeconfig file, got nothing`,
    ]);
  });

  it('a flag that replaces a wrong field makes it right', async () => {
    const { words } = await linkFile(`name: West\n${SIDES}`);
    expect(await cli([...words, '--link', 'west'])).toMatchObject({ code: 0 });
  });

  it('access that this command cannot use', async () => {
    const eks = 'arn:aws:eks:eu-west-1:111122223333:cluster/west';
    const { path, words } = await linkFile(
      `name: west\nsource: { kubeconfig: k.yaml }\ntarget: { eks: "${eks}" }\n`,
    );
    expect(await mistakesOf(words)).toStrictEqual([
      `error: ${path}: target: expected { kubeconfig: FILE } for this command, got the fields eks`,
    ]);
  });

  it.each([
    ['is empty', '', 'expected fields, got nothing'],
    ['is a list', '- name: west\n', 'expected fields, got a list'],
    [
      'is no YAML',
      `name: west\n${SIDES}paused: [`,
      expect.stringMatching(/^Flow sequence in block collection must be/),
    ],
    [
      'names a field twice',
      `name: west\nname: east\n${SIDES}`,
      'Map keys must be unique at line 2, column 1',
    ],
    [
      'holds two documents',
      `name: west\n${SIDES}---\nname: east\n`,
      expect.stringMatching(/^Source contains multiple documents/),
    ],
  ])('that %s', async (_, text, problem) => {
    const { path, words } = await linkFile(text);
    const [first = '', ...rest] = await mistakesOf([...words, ...(await linkFlags())]);
    expect(first.startsWith(`error: ${path}: `)).toBe(true);
    expect(first.slice(`error: ${path}: `.length)).toStrictEqual(problem);
    for (const line of rest) expect(line.startsWith(`error: ${path}: `)).toBe(true);
  });

  it('a label value that YAML takes for a truth value', async () => {
    const { path, words } = await linkFile(
      `name: west\n${SIDES}selector: { matchLabels: { mirror.linkerd.io/exported: true } }\n`,
    );
    expect(await mistakesOf(words)).toStrictEqual([
      `error: ${path}: selector.matchLabels["mirror.linkerd.io/exported"]: expected a label value (text, quoted when it looks like a number or true/false), got true`,
    ]);
  });
});

describe('an unknown command', () => {
  it.each([
    ['near one', ['plna'], "error: unknown command 'plna'\n(Did you mean plan?)\n"],
    ['near none', ['frobnicate'], "error: unknown command 'frobnicate'\n"],
    ['after an unknown flag', ['--frobnicate'], "error: unknown option '--frobnicate'\n"],
  ])('%s', async (_, words, stderr) => {
    expect(await cli(words)).toStrictEqual({ code: 2, stdout: '', stderr, calls: [] });
  });
});

it('no message prints a control character', async () => {
  const { stderr } = await cli(['plan', '--link', '\u001B[2J', '--service', '\u001B[2J', '\u001B[2J']);
  expect(stderr).not.toContain('\u001B');
  expect(stderr).toContain('--service');
});
