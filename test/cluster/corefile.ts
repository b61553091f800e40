// Builds what CoreDNS serves in a test: one server block and the files it reads.

export interface CoreDnsFiles {
  readonly corefile: string;
  /** text by name; the Corefile names them relative to its own folder */
  readonly files: Readonly<Record<string, string>>;
}

export interface KubernetesZone {
  /** YAML text, self-contained; its current context is used */
  readonly kubeconfig: string;
  /** default: cluster.local */
  readonly zone?: string;
  /** seconds; default 5, as in a cluster */
  readonly ttl?: number;
}

/** The names of a cluster's Services, as the CoreDNS inside that cluster would answer them. */
export function kubernetesZone({
  kubeconfig,
  zone = 'cluster.local',
  ttl = 5,
}: KubernetesZone): CoreDnsFiles {
  const file = `${zone}.kubeconfig`;
  return {
    corefile: serverBlock(zone, [`kubernetes ${zone} {`, `  kubeconfig ${file}`, `  ttl ${ttl}`, '}']),
    files: { [file]: kubeconfig },
  };
}

export interface RecordsZone {
  /** for example elb.example.test, without a final dot */
  readonly zone: string;
  /** lines of a zone file, relative to the zone: `gateway 60 IN A 192.0.2.1` */
  readonly records: readonly string[];
  /** seconds that "no such name" may be remembered (the last field of the SOA record, and its TTL); default 5 */
  readonly negativeTtl?: number;
}

/** A zone of fixed records; it follows its file within a fraction of a second (see CoreDns.replace). */
export function recordsZone({ zone, records, negativeTtl = 5 }: RecordsZone): CoreDnsFiles {
  const file = `${zone}.zone`;
  const header = [
    `$ORIGIN ${zone}.`,
    `@ ${negativeTtl} IN SOA ns hostmaster 1 3600 600 86400 ${negativeTtl}`,
    '@ 60 IN NS ns',
  ];
  return {
    corefile: serverBlock(zone, [`file ${file} {`, '  reload 200ms', '  reload_by_mtime', '}']),
    files: { [file]: [...header, 'ns 60 IN A 127.0.0.1', ...records, ''].join('\n') },
  };
}

/** Several zones in one server. */
export function zones(parts: readonly CoreDnsFiles[]): CoreDnsFiles {
  return {
    corefile: parts.map(({ corefile }) => corefile).join(''),
    files: Object.fromEntries(parts.flatMap(({ files }) => Object.entries(files))),
  };
}

function serverBlock(zone: string, plugins: readonly string[]): string {
  const lines = ['bind 127.0.0.1', 'errors', ...plugins];
  return [`${zone} {`, ...lines.map((line) => `  ${line}`), '}', ''].join('\n');
}
