// What random objects of both clusters are made of: few names and few values, so that objects meet.
import * as fc from 'fast-check';
import type { KubeObject } from '../support/api.ts';

export interface Placed {
  readonly resource: 'services' | 'endpoints' | 'endpointslices';
  readonly object: KubeObject;
}

export const mostly = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 4 }, ...others.map((other) => fc.constant(other)));

/** Some of the entries, each key with one of its values. */
export const someOf = (
  pool: Readonly<Record<string, readonly string[]>>,
): fc.Arbitrary<Record<string, string>> =>
  fc
    .tuple(
      ...Object.entries(pool).map(([key, values]) =>
        fc.constantFrom([], ...values.map((value) => [[key, value] as const])),
      ),
    )
    .map((entries) => Object.fromEntries(entries.flat()));

export const LABELS = {
  tier: ['front', 'back'],
  'app.kubernetes.io/instance': ['web'],
  'app.kubernetes.io/managed-by': ['Helm', 'hand'],
  'mirror.linkerd.io/custom': ['x'],
} as const;

export const ANNOTATIONS = {
  note: ['a', 'b'],
  'config.linkerd.io/opaque-ports': ['3306', '3306,5432'],
  'meta.helm.sh/release-name': ['web'],
  'service.kubernetes.io/topology-mode': ['Auto'],
} as const;

const HTTP = { name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' } as const;
export const PORTS = [
  [HTTP],
  [{ port: 80, targetPort: 8080, protocol: 'TCP' }],
  [HTTP, { name: 'admin', port: 9990, targetPort: 'adm', protocol: 'TCP' }],
  [{ ...HTTP, appProtocol: 'kubernetes.io/h2c' }],
  [
    { name: 'dns', port: 53, targetPort: 53, protocol: 'UDP' },
    { name: 'dns-tcp', port: 53, targetPort: 53, protocol: 'TCP' },
  ],
] as const;

export const SHAPES = {
  plain: { selector: { app: 'x' } },
  selectorless: {},
  nodePort: { type: 'NodePort', selector: { app: 'x' } },
  headless: { clusterIP: 'None', selector: { app: 'x' } },
  headlessWithUnready: { clusterIP: 'None', selector: { app: 'x' }, publishNotReadyAddresses: true },
  bareHeadless: { clusterIP: 'None' },
  externalName: { type: 'ExternalName', externalName: 'elsewhere.example.test' },
} as const;
export type Shape = keyof typeof SHAPES;

/** Characters enough that a mirror of this name has too many. */
export const longName = (start: string): string => `${start}-${'x'.repeat(60 - start.length - 1)}`;
