// The programs a test cluster is made of: where each one's source is pinned, and how it is built.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every tool, in the order in which they are built. */
export const TOOL_NAMES = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kubectl',
  'coredns',
] as const;

export type ToolName = (typeof TOOL_NAMES)[number];

interface Tool {
  /** folder beside this file that holds the go.mod */
  readonly module: 'kubernetes' | 'etcd' | 'coredns';
  /** the Go package of its main function */
  readonly command: string;
}

const TOOLS: Readonly<Record<ToolName, Tool>> = {
  'kube-apiserver': { module: 'kubernetes', command: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  'kube-controller-manager': {
    module: 'kubernetes',
    command: 'k8s.io/kubernetes/cmd/kube-controller-manager',
  },
  kubectl: { module: 'kubernetes', command: 'k8s.io/kubernetes/cmd/kubectl' },
  etcd: { module: 'etcd', command: 'go.etcd.io/etcd/server/v3' },
  coredns: { module: 'coredns', command: 'github.com/coredns/coredns' },
};

/** The folder of the Go module that builds a tool. */
export function moduleFolder(name: ToolName): string {
  return join(import.meta.dirname, TOOLS[name].module);
}

/** What `go` is told to build a tool into `output`. */
export function buildArguments(name: ToolName, output: string): readonly string[] {
  return [
    'build',
    '-mod=readonly',
    '-trimpath',
    '-ldflags',
    linkerFlags(name),
    '-o',
    output,
    TOOLS[name].command,
  ];
}

/** Changes whenever a binary built before is no longer what this checkout would build. */
export function stampOf(name: ToolName): string {
  const hash = createHash('sha256');
  hash.update(`${process.platform} ${process.arch} ${buildArguments(name, '').join(' ')}\n`);
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(moduleFolder(name), file)));
  return hash.digest('hex');
}

/** Kubernetes learns its version from the linker only; without it, it calls itself v0.0.0 and clients misjudge it. */
function linkerFlags(name: ToolName): string {
  if (TOOLS[name].module !== 'kubernetes') return '-s -w';
  const [version, major, minor] = kubernetesVersion();
  const fields = { gitVersion: version, gitMajor: major, gitMinor: minor };
  const settings = Object.entries(fields).map(
    ([field, value]) => `-X k8s.io/component-base/version.${field}=${value}`,
  );
  return ['-s -w', ...settings].join(' ');
}

function kubernetesVersion(): readonly [version: string, major: string, minor: string] {
  const goMod = readFileSync(join(import.meta.dirname, 'kubernetes', 'go.mod'), 'utf8');
  const [, version, major, minor] = /\bk8s\.io\/kubernetes (v(\d+)\.(\d+)\.\d+)/.exec(goMod) ?? [];
  if (!version || !major || !minor)
    throw new Error('test/cluster/kubernetes/go.mod requires no version of k8s.io/kubernetes');
  return [version, major, minor];
}
