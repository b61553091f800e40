// The report of `status` as text and as data, written out.
import { describe, expect, it } from 'vitest';
import { statusData } from '../../lib/runs/report-data.ts';
import { plain } from '../../cli/render/paint.ts';
import { statusText } from '../../cli/render/status.ts';
import { parseLink } from '../../lib/config.ts';
import { gatewayOf } from '../../lib/gateway/gateway-link.ts';
import type { GatewayRecord } from '../../lib/model/gateway.ts';
import type { MirrorStatus, Report } from '../../lib/model/report.ts';
import { desiredHeadless, desiredPod } from '../support/model-builders.ts';
import { aReport, NOW } from './cli.ts';

describe('status', () => {
  const link = parseLink(
    {
      name: 'west',
      source: { kubeconfig: '/east.yaml' },
      target: { kubeconfig: '/west.yaml', context: 'admin' },
      paused: true,
    },
    { unknown: 'refuse' },
  );
  const now = NOW / 1000;
  const seen = { misses: 0, returns: [], streak: 1 };
  const record: GatewayRecord = {
    hostname: 'gw.elb.eu-west-1.amazonaws.com',
    family: 'IPv4',
    state: 'FRESH',
    addresses: { '10.0.0.1': { ...seen, state: 'ready' }, '10.0.0.2': { ...seen, state: 'draining' } },
    expiresAt: now + 41.2,
    failCount: 0,
    negCount: 0,
    returnEvents: [],
    nextCheckAt: now + 50,
  };
  const addresses = [
    { ip: '10.0.0.1', family: 'IPv4', state: 'ready' },
    { ip: '10.0.0.2', family: 'IPv4', state: 'draining' },
    { ip: 'fd00::9', family: 'IPv6', state: 'ready' },
  ] as const;
  const endpoints = { labels: {}, annotations: {}, ports: [], addresses: addresses.slice(0, 2) };
  const mirror = (name: string) => ({
    service: { namespace: 'shop', name },
    mirror: { namespace: 'shop', name: `${name}-west` },
  });
  const report = aReport({
    gateway: {
      view: { addresses, resolved: addresses, port: 4143, probePort: 4191, identity: 'gw.example' },
      declaration: {
        key: { namespace: 'linkerd-multicluster', name: 'linkerd-gateway' },
        hostnames: ['gw.elb.eu-west-1.amazonaws.com'],
        literals: ['fd00::9'],
        port: 4143,
        probePort: 4191,
        identity: 'gw.example',
        createdAt: undefined,
        refusals: [],
      },
      state: {
        schema: 1,
        records: [record],
        literals: { 'fd00::9': {} },
        liveness: { '10.0.0.1': { state: 'alive', failures: 0, since: now - 600, lastProbeAt: now } },
        published: { changedAt: now - 60, since: { '10.0.0.2': now - 60 } },
      },
    },
    mirrors: [
      { ...mirror('api'), mode: 'gateway', state: 'to create', endpoints },
      { ...mirror('cart'), mode: 'remote-discovery', state: 'in sync', endpoints: 'none' },
      { ...mirror('db'), mode: 'gateway', state: 'in sync', endpoints: { ...endpoints, addresses: [] } },
      { ...mirror('web'), mode: 'gateway', state: 'refused', endpoints: undefined },
    ],
    refusals: [{ namespace: 'shop', name: 'web', reason: 'NameTooLong', message: 'too long' }],
  });

  it('as text', () => {
    expect(statusText({ report, link, now, paint: plain })).toBe(`link west (paused)
source cluster: /east.yaml, current context
target cluster: /west.yaml, context admin

gateway linkerd-multicluster/linkerd-gateway: port 4143, identity gw.example
hostnames: gw.elb.eu-west-1.amazonaws.com
ADDRESS   FAMILY  STATE     TTL   FROM
10.0.0.1  IPv4    ready     42 s  gw.elb.eu-west-1.amazonaws.com
10.0.0.2  IPv4    draining  42 s  gw.elb.eu-west-1.amazonaws.com
fd00::9   IPv6    ready     -     its status

SERVICE    MIRROR     MODE              STATE      ADDRESSES
shop/api   api-west   gateway           to create  10.0.0.1, 10.0.0.2 (draining)
shop/cart  cart-west  remote-discovery  in sync    discovered by proxies
shop/db    db-west    gateway           in sync    none
shop/web   web-west   gateway           refused    -

refused shop/web: NameTooLong: too long

4 mirrors: 2 in sync, 1 to create, 1 refused; 1 refused
`);
  });

  it.each<[string, Partial<Report>, string]>([
    ['a link without a gateway', { gateway: { view: 'none' } }, 'gateway: none'],
    [
      'a gateway that could not be read',
      { gateway: { view: 'unobserved' } },
      'gateway linkerd-multicluster/linkerd-gateway: not observed',
    ],
    ['nothing that could be read', {}, 'gateway linkerd-multicluster/linkerd-gateway: not observed'],
    [
      'a gateway without address',
      {
        gateway: {
          view: { addresses: [], resolved: [], port: undefined, probePort: undefined, identity: '' },
        },
      },
      'gateway linkerd-multicluster/linkerd-gateway: no port, no identity\nno address',
    ],
  ])('as text, of %s', (_, given, lines) => {
    const text = statusText({ report: aReport(given), link: { ...link, paused: false }, now, paint: plain });
    expect(text).toBe(`link west
source cluster: /east.yaml, current context
target cluster: /west.yaml, context admin

${lines}

no exported Services

0 mirrors
`);
  });

  it('as text, with what is wrong with names and addresses, and since when', () => {
    const names: readonly GatewayRecord[] = [
      { ...record, state: 'STALE', failCount: 3, failSince: now - 200, lastError: 'SERVFAIL' },
      { ...record, hostname: 'new.example', state: 'PENDING', addresses: {} },
      { ...record, hostname: 'old.example', departedAt: now - 30 },
    ];
    const dead = {
      state: 'dead',
      failures: 3,
      since: now - 9,
      lastProbeAt: now,
      lastWhy: 'timeout',
    } as const;
    const view = { addresses, resolved: addresses, port: 4143, probePort: 4191, identity: 'gw.example' };
    const state = { schema: 1, records: names, literals: {}, liveness: { 'fd00::9': dead } } as const;
    const pinned = { ...link, gateway: { ...gatewayOf(link), addresses: ['fd00::9', 'gw.example.com'] } };
    const text = statusText({
      report: aReport({ gateway: { view, state } }),
      link: pinned,
      now,
      paint: plain,
    });
    expect(text.split('\n\n')[1])
      .toBe(`gateway linkerd-multicluster/linkerd-gateway: port 4143, identity gw.example
ADDRESS   FAMILY  STATE     TTL   FROM
10.0.0.1  IPv4    ready     42 s  gw.elb.eu-west-1.amazonaws.com
10.0.0.2  IPv4    draining  42 s  gw.elb.eu-west-1.amazonaws.com
fd00::9   IPv6    ready     -     pinned
gw.elb.eu-west-1.amazonaws.com (IPv4): STALE since 2025-12-31T23:56:40.000Z: SERVFAIL
new.example (IPv4): PENDING: not looked up yet
old.example (IPv4): left the status at 2025-12-31T23:59:30.000Z; its addresses are a last resort
fd00::9: dead since 2025-12-31T23:59:51.000Z: timeout`);
  });

  it('as data', () => {
    expect(statusData(report, link, now)).toStrictEqual({
      link: 'west',
      source: { kubeconfig: '/east.yaml' },
      target: { kubeconfig: '/west.yaml', context: 'admin' },
      gateway: {
        hostnames: ['gw.elb.eu-west-1.amazonaws.com'],
        port: 4143,
        identity: 'gw.example',
        alive: 'alive',
        aliveAddresses: 1,
        resolved: true,
        lastChange: '2025-12-31T23:59:00.000Z',
        addresses: [
          {
            ip: '10.0.0.1',
            family: 'IPv4',
            state: 'ready',
            hostname: 'gw.elb.eu-west-1.amazonaws.com',
            ttl: 42,
            source: 'gw.elb.eu-west-1.amazonaws.com',
            liveness: { state: 'alive', since: '2025-12-31T23:50:00.000Z' },
          },
          {
            ip: '10.0.0.2',
            family: 'IPv4',
            state: 'draining',
            hostname: 'gw.elb.eu-west-1.amazonaws.com',
            ttl: 42,
            source: 'gw.elb.eu-west-1.amazonaws.com',
            liveness: { state: 'unknown' },
            since: '2025-12-31T23:59:00.000Z',
          },
          { ip: 'fd00::9', family: 'IPv6', state: 'ready', source: 'status', liveness: { state: 'unknown' } },
        ],
        names: [{ hostname: 'gw.elb.eu-west-1.amazonaws.com', family: 'IPv4', state: 'FRESH' }],
      },
      mirrors: [
        {
          namespace: 'shop',
          name: 'api',
          mirror: 'api-west',
          mode: 'gateway',
          state: 'to create',
          addresses: ['10.0.0.1', '10.0.0.2'],
        },
        { namespace: 'shop', name: 'cart', mirror: 'cart-west', mode: 'remote-discovery', state: 'in sync' },
        {
          namespace: 'shop',
          name: 'db',
          mirror: 'db-west',
          mode: 'gateway',
          state: 'in sync',
          addresses: [],
        },
        { namespace: 'shop', name: 'web', mirror: 'web-west', mode: 'gateway', state: 'refused' },
      ],
      refusals: [{ namespace: 'shop', name: 'web', reason: 'NameTooLong', message: 'too long' }],
      unobserved: [],
      notes: [],
    });
  });

  const listing = (count: number, unready: readonly string[] = []) =>
    desiredHeadless([
      ...Array.from({ length: count }, (_unused, index) => desiredPod(`db-${index}`)),
      ...unready.map((hostname) => desiredPod(hostname, { isListed: false })),
    ]).endpoints;

  it.each<[string, MirrorStatus['endpoints'], string, object]>([
    ['three pods', listing(3), 'db-0, db-1, db-2', { pods: ['db-0', 'db-1', 'db-2'] }],
    [
      'one more is counted',
      listing(4),
      'db-0, db-1, db-2 and 1 more pod',
      { pods: ['db-0', 'db-1', 'db-2', 'db-3'] },
    ],
    [
      'several more are counted',
      listing(5),
      'db-0, db-1, db-2 and 2 more pods',
      { pods: ['db-0', 'db-1', 'db-2', 'db-3', 'db-4'] },
    ],
    ['pods that are not listed are not told', listing(1, ['db-9']), 'db-0', { pods: ['db-0'] }],
    ['nobody is listed', listing(0, ['db-9']), 'no pods', { pods: [] }],
    ['nothing is known of its endpoints', 'unobserved', 'not observed', {}],
  ])('D1: a headless mirror, as text and as data: %s', (_name, endpoints, cell, data) => {
    const given = aReport({ mirrors: [{ ...mirror('db'), mode: 'gateway', state: 'in sync', endpoints }] });
    const text = statusText({ report: given, link, now, paint: plain });
    expect(text.split('\n').find((line) => line.startsWith('shop/db'))).toBe(
      `shop/db  db-west  gateway  in sync  ${cell}`,
    );
    expect(statusData(given, link, now)['mirrors']).toStrictEqual([
      { namespace: 'shop', name: 'db', mirror: 'db-west', mode: 'gateway', state: 'in sync', ...data },
    ]);
  });

  it('D13: a mirror that waits is told and counted, and is no refusal', () => {
    const waiting = { ...mirror('db'), mode: 'gateway', state: 'waiting', endpoints: undefined } as const;
    const given = aReport({ mirrors: [waiting, { ...waiting, ...mirror('orders') }] });
    expect(statusText({ report: given, link, now, paint: plain }).split('\n\n').slice(2).join('\n\n'))
      .toBe(`SERVICE      MIRROR       MODE     STATE    ADDRESSES
shop/db      db-west      gateway  waiting  -
shop/orders  orders-west  gateway  waiting  -

2 mirrors: 2 waiting
`);
    expect(statusData(given, link, now)['mirrors']).toStrictEqual([
      { namespace: 'shop', name: 'db', mirror: 'db-west', mode: 'gateway', state: 'waiting' },
      { namespace: 'shop', name: 'orders', mirror: 'orders-west', mode: 'gateway', state: 'waiting' },
    ]);
  });
});
