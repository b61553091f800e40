// The mirrors that are to be in cluster east, those that are, and how the two compare.

/** An entry of a headless mirror. */
export interface PodEntry {
  readonly hostname: string;
  readonly mirror: string; // namespace/name of the endpoint mirror whose ClusterIP it is
}

/** One mirror Service with its endpoints. */
export interface Mirror {
  readonly name: string; // namespace/name
  /** Sorted. 'elsewhere': it has no Endpoints, its endpoints are discovered in the target cluster. With pods: it is headless. */
  readonly addresses: readonly string[] | 'elsewhere' | { readonly pods: readonly PodEntry[] };
  readonly ports: readonly string[]; // `name:port` of its endpoints, in order
}

export interface PresentMirror extends Mirror {
  readonly clusterIP: string; // None: it is headless
  readonly addresses: readonly string[] | 'elsewhere'; // those of a headless mirror with their names: `db-0=10.96.0.7`
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
  /** Names of mirrors that may not have been written since the step began. */
  readonly untouched?: readonly string[];
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
    const why = staleness(expectation, { mirror, found, former, present });
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
  readonly present: readonly PresentMirror[];
}

const hasPods = ({ addresses }: Mirror): boolean => typeof addresses === 'object' && 'pods' in addresses;
const isHeadless = ({ clusterIP }: PresentMirror): boolean => clusterIP === 'None';

/** What is to be read where a mirror is as it should be. */
const readable = ({ addresses }: Mirror, present: readonly PresentMirror[]): string => {
  if (typeof addresses === 'string' || !('pods' in addresses)) return String(addresses);
  const address = (name: string): string => present.find((mirror) => mirror.name === name)?.clusterIP ?? '';
  return String(addresses.pods.map(({ hostname, mirror }) => `${hostname}=${address(mirror)}`));
};

function staleness(
  { untouched = [] }: Expectation,
  { mirror, found, former, present }: Pair,
): string | undefined {
  if (isHeadless(found) !== hasPods(mirror))
    return isHeadless(found) ? 'it is headless' : 'it is not headless';
  if (String(found.addresses) !== readable(mirror, present)) return 'other addresses';
  if (String(found.ports) !== String(mirror.ports)) return `ports ${found.ports.join(' ') || 'none'}`;
  const isSameShape = former !== undefined && isHeadless(former) === isHeadless(found);
  if (isSameShape && former.clusterIP !== found.clusterIP)
    return `ClusterIP was ${former.clusterIP}, is ${found.clusterIP}`;
  return untouched.includes(found.name) && former?.version !== found.version
    ? 'it was written to'
    : undefined;
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
