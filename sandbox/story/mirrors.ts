// The mirrors that are to be in cluster east, those that are, and how the two compare.

/** One mirror Service with its endpoints. */
export interface Mirror {
  readonly name: string; // namespace/name
  /** Sorted. 'elsewhere': it has no Endpoints, its endpoints are discovered in the target cluster. */
  readonly addresses: readonly string[] | 'elsewhere';
  readonly ports: readonly string[]; // `name:port` of its endpoints, in order
}

export interface PresentMirror extends Mirror {
  readonly clusterIP: string;
  /** Moves with every write to the Service or its Endpoints. */
  readonly version: string;
}

export const FINDINGS = ['ok', 'missing', 'stale', 'left over'] as const;

export interface Finding {
  readonly name: string;
  readonly kind: (typeof FINDINGS)[number];
  readonly expected: Mirror | undefined; // undefined: no mirror
  readonly present: PresentMirror | undefined;
  readonly why?: string; // where the columns do not show it
}

export interface Expectation {
  readonly mirrors: readonly Mirror[];
  /** Names of exported Services' mirrors that must not be there; they get a line of their own. */
  readonly absent: readonly string[];
  /** Nothing may have been written since the step began. */
  readonly untouched?: boolean;
}

/** One finding for each mirror that is expected, expected to be absent, or there. @param before what was there when the step began */
export function compare(
  expectation: Expectation,
  present: readonly PresentMirror[],
  before: readonly PresentMirror[],
): readonly Finding[] {
  const named = (mirrors: readonly PresentMirror[], name: string): PresentMirror | undefined =>
    mirrors.find((mirror) => mirror.name === name);
  const expected = expectation.mirrors.map((mirror): Finding => {
    const found = named(present, mirror.name);
    const former = named(before, mirror.name);
    const base = { name: mirror.name, expected: mirror, present: found };
    if (found === undefined) return { ...base, kind: 'missing' };
    const why = staleness(expectation, { mirror, found, former });
    return why === undefined ? { ...base, kind: 'ok' } : { ...base, kind: 'stale', why };
  });
  const others = new Set([...expectation.absent, ...present.map(({ name }) => name)]);
  for (const { name } of expectation.mirrors) others.delete(name);
  const gone = [...others].map((name): Finding => {
    const found = named(present, name);
    return { name, kind: found === undefined ? 'ok' : 'left over', expected: undefined, present: found };
  });
  return [...expected, ...gone];
}

interface Pair {
  readonly mirror: Mirror;
  readonly found: PresentMirror;
  readonly former: PresentMirror | undefined;
}

function staleness({ untouched = false }: Expectation, { mirror, found, former }: Pair): string | undefined {
  if (String(found.addresses) !== String(mirror.addresses)) return 'other addresses';
  if (String(found.ports) !== String(mirror.ports)) return `ports ${found.ports.join(' ') || 'none'}`;
  if (former !== undefined && former.clusterIP !== found.clusterIP)
    return `ClusterIP was ${former.clusterIP}, is ${found.clusterIP}`;
  return untouched && former?.version !== found.version ? 'it was written to' : undefined;
}

export const isOk = ({ kind }: Finding): boolean => kind === 'ok';

/** `missing: shop/web-west; stale: shop/api-west`, for what is not as it should be. */
export const troubleText = (findings: readonly Finding[]): string =>
  FINDINGS.filter((kind) => kind !== 'ok')
    .map(
      (kind) => [kind, findings.filter((finding) => finding.kind === kind).map(({ name }) => name)] as const,
    )
    .filter(([, names]) => names.length > 0)
    .map(([kind, names]) => `${kind}: ${names.join(', ')}`)
    .join('; ');
