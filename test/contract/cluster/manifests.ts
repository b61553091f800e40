// One object of each kind that is written, and what is read back of it.
import { expect } from 'vitest';
import { microTime } from '../../../lib/model/microtime.ts';
import type { Kind, Manifest } from '../../../lib/model/objects.ts';

export type Writable = Exclude<Kind, 'ServiceCIDR' | 'Namespace'>;

export const MANIFESTS: Readonly<Record<Writable, (name: string) => Manifest>> = {
  Service: (name) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(name),
    spec: { ports: [{ name: 'http', port: 80, targetPort: 'web' }] },
  }),
  Endpoints: (name) => ({
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: metadata(name),
    subsets: [
      { addresses: [{ ip: '203.0.113.10', hostname: 'web-0' }], ports: [{ name: 'http', port: 4143 }] },
    ],
  }),
  EndpointSlice: (name) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: metadata(name),
    addressType: 'IPv4',
    endpoints: [
      { addresses: ['203.0.113.10'], hostname: 'web-0' },
      { addresses: ['203.0.113.11'], conditions: { ready: false, serving: true, terminating: true } },
    ],
    ports: [{ name: 'http', port: 4143 }],
  }),
  Lease: (name) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: metadata(name),
    spec: {
      holderIdentity: 'us',
      leaseDurationSeconds: 30,
      leaseTransitions: 2,
      acquireTime: microTime(RENEWED_AT),
      renewTime: microTime(RENEWED_AT),
    },
  }),
};

export const RENEWED_AT = Date.parse('2025-01-31T10:00:00.250Z');

const metadata = (name: string): object => ({
  name,
  labels: { app: 'web', tier: 'front' },
  annotations: { note: 'a' },
});

/** What is read back of each, metadata apart; ClusterIPs are those of SERVICE_RANGE. */
export const CONTENTS: Readonly<Record<Writable, object>> = {
  Service: {
    type: 'ClusterIP',
    clusterIP: expect.stringMatching(/^10\.97\.0\.\d+$/),
    clusterIPs: [expect.stringMatching(/^10\.97\.0\.\d+$/)],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    isPolicyOurs: false,
    publishNotReadyAddresses: false,
    hasSelector: false,
    ports: [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 'web' }],
    ingress: [],
  },
  Endpoints: {
    subsets: [
      {
        addresses: [{ ip: '203.0.113.10', hostname: 'web-0' }],
        notReadyAddresses: [],
        ports: [{ name: 'http', protocol: 'TCP', port: 4143 }],
      },
    ],
  },
  EndpointSlice: {
    serviceName: '',
    managedBy: '',
    addressType: 'IPv4',
    endpoints: [
      { addresses: ['203.0.113.10'], ready: true, serving: true, terminating: false, hostname: 'web-0' },
      { addresses: ['203.0.113.11'], ready: false, serving: true, terminating: true },
    ],
    ports: [{ name: 'http', protocol: 'TCP', port: 4143 }],
    ownerUids: [],
  },
  Lease: { holder: 'us', renewedAt: RENEWED_AT, durationSeconds: 30, transitions: 2 },
};

export const KINDS = ['Service', 'Endpoints', 'EndpointSlice', 'Lease'] as const;
