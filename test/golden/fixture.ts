// What Linkerd's own service mirror wrote for ten exported Services, and how objects are brought into the fixture's form.
import { readFileSync } from 'node:fs';
import type { KubeObject, TestKind } from '../support/api.ts';

const FILE = new URL('../fixtures/first-sync.json', import.meta.url);

interface Fixture {
  readonly target: readonly FixtureObject[];
  readonly source: readonly FixtureObject[];
}

export type FixtureObject = KubeObject & { readonly kind: 'Service' | 'Endpoints' | 'EndpointSlice' };

const API_VERSIONS = { Service: 'v1', Endpoints: 'v1', EndpointSlice: 'discovery.k8s.io/v1' } as const;

/** Read anew for each caller, so that no test can spoil it for another. */
export const readFixture = (): Fixture => {
  const fixture: Fixture = JSON.parse(readFileSync(FILE, 'utf8'));
  return fixture;
};

export const nameOf = ({ kind, metadata }: KubeObject): string =>
  `${kind ?? ''} ${metadata.namespace ?? ''}/${metadata.name}`;

/** Every mirror of the fixture but the federated ones: their shape is not built. */
export const MIRRORED = [
  'both-west',
  'db-0-west',
  'db-west',
  'disc-west',
  'empty-west',
  'plain-west',
  'unnamed-west',
  'web-west',
] as const;

/** Where Linkerd's root lists the address of its endpoint mirror. */
export const POD_ADDRESS = '<clusterIP of db-0-west>';

/** What the fixture normalised. */
const ALLOCATED = '<allocated>';
const REMOTE_VERSION = 'mirror.linkerd.io/remote-resource-version';
const REMOTE_VERSION_TEXT = '<resourceVersion of the exported object>';

export const withApiVersion = (object: FixtureObject): KubeObject => ({
  apiVersion: API_VERSIONS[object.kind],
  ...object,
});

const normalAnnotations = (
  annotations: Readonly<Record<string, string>>,
  exportedVersion: string | undefined,
): Readonly<Record<string, string>> =>
  annotations[REMOTE_VERSION] !== undefined && annotations[REMOTE_VERSION] === exportedVersion
    ? { ...annotations, [REMOTE_VERSION]: REMOTE_VERSION_TEXT }
    : annotations;

const normalMeta = (
  { metadata }: KubeObject,
  exportedVersion: string | undefined,
): KubeObject['metadata'] => {
  const { name, namespace, labels, annotations } = metadata;
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations: normalAnnotations(annotations, exportedVersion) }),
  };
};

/**
 * An object as a server holds it, in the fixture's form: without what the server adds, with placeholders for what it allocates.
 * @param exportedVersion resourceVersion of the exported Service; only this one becomes the placeholder
 */
export const normalised = (
  kind: TestKind,
  object: KubeObject,
  exportedVersion: string | undefined,
): KubeObject => {
  const metadata = normalMeta(object, exportedVersion);
  if (kind === 'Endpoints') {
    return { kind, metadata, ...(object['subsets'] === undefined ? {} : { subsets: object['subsets'] }) };
  }
  const { clusterIPs, ...spec } = object['spec'];
  return {
    kind,
    metadata,
    spec: spec.clusterIP === 'None' ? { ...spec, clusterIPs } : { ...spec, clusterIP: ALLOCATED },
  };
};

/** A Service of the fixture as it can be created: the server allocates what the fixture left out. */
export const creatable = (object: FixtureObject): KubeObject => {
  const { clusterIP, ...spec } = object['spec'];
  return { ...withApiVersion(object), spec: clusterIP === ALLOCATED ? spec : { ...spec, clusterIP } };
};
