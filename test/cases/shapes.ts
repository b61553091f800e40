// Every shape that an exported Service can have, as data, and where its mirror ends that comes from another shape.
import type { LinkDocument } from '../../lib/model/link.ts';
import type { KubeObject } from '../support/api.ts';
import { aService, REMOTE_DISCOVERY } from '../support/builders.ts';
import {
  aHeadless,
  aPodSlice,
  mirrorOf,
  nameless,
  ordinals,
  PG,
  type Pod,
  pods,
  unready,
} from './headless.ts';

export interface Shape {
  readonly service: KubeObject;
  readonly slice: KubeObject;
  readonly link: Partial<LinkDocument>;
  /** What it does to the mirror that it finds. Absent: the mirror becomes what it would be in an empty source cluster. */
  readonly keeps?: 'the former mirror' | 'the former shape, without anybody';
}

interface Given {
  readonly labels?: Readonly<Record<string, string>>;
  readonly ports?: readonly object[];
  readonly spec?: object;
  readonly pods?: readonly Pod[];
  readonly podPorts?: readonly object[];
  readonly link?: Partial<LinkDocument>;
  readonly keeps?: Shape['keeps'];
}

const shape = (service: KubeObject, given: Given): Shape => ({
  service,
  slice: aPodSlice(given.pods ?? ordinals(2), given.podPorts === undefined ? {} : { ports: given.podPorts }),
  link: given.link ?? {},
  ...(given.keeps === undefined ? {} : { keeps: given.keeps }),
});

const serviceOf = ({ labels, ports = [PG], spec }: Given): Parameters<typeof aService>[0] => ({
  name: 'db',
  ports,
  ...(labels === undefined ? {} : { labels }),
  ...(spec === undefined ? {} : { spec }),
});

const address = (given: Given = {}): Shape =>
  shape(aService(serviceOf(given)), { ...given, pods: given.pods ?? nameless(ordinals(2)) });

const headless = (given: Given = {}): Shape => shape(aHeadless(serviceOf(given)), given);

const IN_SLICES = { endpoints: 'endpointslices' } as const;
const HALF_NAMED = [...ordinals(1), ...nameless(ordinals(3).slice(1))];
const SQL = { name: 'sql', port: 5432, protocol: 'TCP' };

export const SHAPES = {
  ClusterIP: address({ spec: { selector: { app: 'db' } } }),
  NodePort: address({ spec: { type: 'NodePort', selector: { app: 'db' } } }),
  'without selector': address(),
  'with external IPs': address({ spec: { externalIPs: ['198.51.100.7'], selector: { app: 'db' } } }),
  'port renamed': address({ ports: [{ ...PG, name: 'sql' }] }),
  'port renumbered': address({ ports: [{ ...PG, port: 5433 }] }),
  'port added': address({
    ports: [PG, { name: 'metrics', port: 9187, targetPort: 'metrics', protocol: 'TCP' }],
  }),
  'remote discovery': address({ labels: REMOTE_DISCOVERY }),
  'EndpointSlices, ClusterIP': address({ link: IN_SLICES }),
  headless: headless(),
  'headless, other pods': headless({ pods: pods('db-1', 'db-2', 'db-3') }),
  'headless, port renamed': headless({ ports: [{ ...PG, name: 'sql' }], podPorts: [SQL] }),
  'headless, no hostnames': headless({ pods: nameless(ordinals(2)) }),
  'headless, some hostnames': headless({ pods: HALF_NAMED }),
  'headless, no endpoints': headless({ pods: [], keeps: 'the former shape, without anybody' }),
  'headless, remote discovery': headless({ labels: REMOTE_DISCOVERY, keeps: 'the former mirror' }),
  'headless, not pod by pod': headless({ link: { headless: false } }),
  'EndpointSlices, headless': headless({ link: IN_SLICES }),
  ExternalName: address({
    spec: { type: 'ExternalName', externalName: 'db.example.test' },
    keeps: 'the former mirror',
  }),
  'not exported': address({ labels: {} }),
} as const satisfies Readonly<Record<string, Shape>>;

export type ShapeName = keyof typeof SHAPES;
export const SHAPE_NAMES = Object.keys(SHAPES) as readonly ShapeName[];

/** What stands in an empty source cluster after a sync of a Service that lists nobody, by the shape of its mirror. */
export const EMPTY_SHAPES = {
  address: address({ pods: [] }),
  headless: headless({ pods: unready(ordinals(2)) }),
} as const;

const BEHIND = '203.0.113.10';
const ONE_ADDRESS = [`db-west pg:5432 → ${BEHIND} at pg:4143`];

/** What readers see of the mirror of a shape in an empty source cluster (`told` in seen.ts). */
export const FRESH: Readonly<Record<ShapeName, readonly string[]>> = {
  ClusterIP: ONE_ADDRESS,
  NodePort: ONE_ADDRESS,
  'without selector': ONE_ADDRESS,
  'with external IPs': ONE_ADDRESS,
  'port renamed': [`db-west sql:5432 → ${BEHIND} at sql:4143`],
  'port renumbered': [`db-west pg:5433 → ${BEHIND} at pg:4143`],
  'port added': [`db-west metrics:9187 pg:5432 → ${BEHIND} at metrics:4143 pg:4143`],
  'remote discovery': ['db-west pg:5432 → no list'],
  'EndpointSlices, ClusterIP': ONE_ADDRESS,
  headless: mirrorOf('db-0', 'db-1'),
  'headless, other pods': mirrorOf('db-1', 'db-2', 'db-3'),
  'headless, port renamed': [
    `db-0-west sql:5432 of db-west → ${BEHIND} at sql:4143`,
    `db-1-west sql:5432 of db-west → ${BEHIND} at sql:4143`,
    'db-west sql:5432 headless → db-0=db-0-west, db-1=db-1-west at sql:5432',
  ],
  'headless, no hostnames': ONE_ADDRESS,
  'headless, some hostnames': mirrorOf('db-0'),
  'headless, no endpoints': [],
  'headless, remote discovery': [],
  'headless, not pod by pod': ONE_ADDRESS,
  'EndpointSlices, headless': mirrorOf('db-0', 'db-1'),
  ExternalName: [],
  'not exported': [],
};

/** Reasons of the shapes that are refused, in whole or in part. */
export const REFUSED: Partial<Readonly<Record<ShapeName, string>>> = {
  'headless, some hostnames': 'InvalidService',
  'headless, remote discovery': 'Unsupported',
  ExternalName: 'InvalidService',
};
