// What is built, when, and what is left after a failure; with a stand-in for `go`.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { locateBinaries, requireBinaries } from './binaries.ts';
import { buildMissing } from './build.ts';
import { TOOL_NAMES, buildArguments } from './tools.ts';

// Logs its arguments and the folder it ran in, writes something to the path after -o, then fails if it is told to.
const STAND_IN = `#!/bin/sh
if [ "$1" = env ]; then echo go1.99; exit 0; fi
echo "$(basename "$PWD") $*" >> "$GO_LOG"
while [ "$1" != -o ]; do shift; done
echo '#!/bin/sh' > "$2"; chmod +x "$2"
exit "$GO_RESULT"
`;

let root: string;
let said: string[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cluster-build-test-'));
  said = [];
  mkdirSync(join(root, 'go'));
  writeExecutable(join(root, 'go', 'go'), STAND_IN);
});

afterEach(() => rmSync(root, { recursive: true }));

function writeExecutable(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

function build({
  assets,
  path = `${join(root, 'go')}:/usr/bin:/bin`,
  result = 0,
}: { assets?: string; path?: string; result?: number } = {}) {
  const env = { PATH: path, GO_LOG: join(root, 'go.log'), GO_RESULT: String(result) };
  buildMissing({
    assets,
    built: join(root, 'bin'),
    env,
    say: (line) => said.push(line.replace(/[\d.]+ s$/, 'N s')),
  });
}

function goRuns(): readonly string[] {
  const log = join(root, 'go.log');
  return existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
}

function builtFiles(): readonly string[] {
  return existsSync(join(root, 'bin')) ? readdirSync(join(root, 'bin')).toSorted() : [];
}

/** The module's folder and the command that one run of Go built. */
function commandOf(run: string): string {
  return `${run.split(' ').at(0)} ${run.split(' ').at(-1)}`;
}

const ALL_BUILT = TOOL_NAMES.flatMap((name) => [name, `${name}.stamp`]).toSorted();

describe('buildMissing', () => {
  it('builds every tool in its own module, then has nothing to do', () => {
    build();
    expect(goRuns().map(commandOf)).toEqual([
      'etcd go.etcd.io/etcd/server/v3',
      'kubernetes k8s.io/kubernetes/cmd/kube-apiserver',
      'kubernetes k8s.io/kubernetes/cmd/kube-controller-manager',
      'kubernetes k8s.io/kubernetes/cmd/kubectl',
      'coredns github.com/coredns/coredns',
    ]);
    expect(builtFiles()).toEqual(ALL_BUILT);
    expect(said).toContain('kubectl: built in N s');

    said = [];
    build({ path: '/nowhere' });
    expect(goRuns()).toHaveLength(5);
    expect(said).toEqual(TOOL_NAMES.map((name) => `${name}: up to date`));
  });

  it('builds again what was built from another go.mod, and nothing else', () => {
    build();
    writeFileSync(join(root, 'bin', 'etcd.stamp'), 'of another version\n');
    build();
    expect(goRuns().slice(5).map(commandOf)).toEqual(['etcd go.etcd.io/etcd/server/v3']);
  });

  it('takes what KUBEBUILDER_ASSETS provides and builds the rest', () => {
    const assets = join(root, 'assets');
    mkdirSync(assets);
    for (const name of ['kube-apiserver', 'etcd', 'kubectl'])
      writeExecutable(join(assets, name), '#!/bin/sh\n');
    build({ assets });
    expect(builtFiles()).toEqual([
      'coredns',
      'coredns.stamp',
      'kube-controller-manager',
      'kube-controller-manager.stamp',
    ]);
    expect(said).toContain(`etcd: provided, ${join(assets, 'etcd')}`);
  });

  it('leaves nothing of a build that failed', () => {
    expect(() => build({ result: 2 })).toThrow('go build of etcd failed (exit code 2)');
    expect(builtFiles()).toEqual([]);
    expect(goRuns()).toHaveLength(1);
  });

  it('says what is needed when Go is missing', () => {
    expect(() => build({ path: '/nowhere' })).toThrow(
      /^Go is needed to build etcd, kube-apiserver, kube-controller-manager, kubectl, coredns, .* KUBEBUILDER_ASSETS/,
    );
    expect(builtFiles()).toEqual([]);
  });
});

describe('buildArguments', () => {
  it('tells Kubernetes the version that its go.mod requires', () => {
    expect(buildArguments('kube-apiserver', 'out')).toEqual([
      'build',
      '-mod=readonly',
      '-trimpath',
      '-ldflags',
      '-s -w -X k8s.io/component-base/version.gitVersion=v1.35.4 -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=35',
      '-o',
      'out',
      'k8s.io/kubernetes/cmd/kube-apiserver',
    ]);
  });
});

describe('locateBinaries', () => {
  it('prefers what is provided and names what is missing or outdated', () => {
    build();
    const assets = join(root, 'assets');
    mkdirSync(assets);
    writeExecutable(join(assets, 'etcd'), '#!/bin/sh\n');
    const folders = { assets, built: join(root, 'bin') };
    expect(locateBinaries(['etcd', 'coredns'], folders)).toEqual({
      found: true,
      paths: { etcd: join(assets, 'etcd'), coredns: join(root, 'bin', 'coredns') },
    });

    writeFileSync(join(root, 'bin', 'kubectl.stamp'), 'of another version\n');
    rmSync(join(root, 'bin', 'coredns'));
    expect(locateBinaries(['etcd', 'coredns', 'kubectl'], folders)).toEqual({
      found: false,
      missing: ['coredns', 'kubectl'],
    });
    expect(() => requireBinaries(['etcd', 'coredns', 'kubectl'], folders)).toThrow(
      /^coredns, kubectl: missing, or built from another version\. Run `npm run cluster:build`/,
    );
  });
});
