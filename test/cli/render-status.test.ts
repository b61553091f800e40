// The report of `status` as text and as data, written out.
import { describe, expect, it } from 'vitest';
import { statusData } from '../../lib/runs/report-data.ts';
import { plain } from '../../cli/render/paint.ts';
import { statusText } from '../../cli/render/status.ts';
import { parseLink } from '../../lib/config.ts';
import type { GatewayRecord } from '../../lib/model/gateway.ts';
import type { Report } from '../../lib/model/report.ts';
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
      records: [record],
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
    ['a link without a gateway', { gateway: { view: 'none', records: [] } }, 'gateway: none'],
    [
      'a gateway that could not be read',
      { gateway: { view: 'unobserved', records: [] } },
      'gateway linkerd-multicluster/linkerd-gateway: not observed',
    ],
    ['nothing that could be read', {}, 'gateway linkerd-multicluster/linkerd-gateway: not observed'],
    [
      'a gateway without address',
      {
        gateway: {
          view: { addresses: [], resolved: [], port: undefined, probePort: undefined, identity: '' },
          records: [],
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

  it('as data', () => {
    expect(statusData(report, link, now)).toStrictEqual({
      link: 'west',
      source: { kubeconfig: '/east.yaml' },
      target: { kubeconfig: '/west.yaml', context: 'admin' },
      gateway: {
        hostnames: ['gw.elb.eu-west-1.amazonaws.com'],
        port: 4143,
        identity: 'gw.example',
        addresses: [
          {
            ip: '10.0.0.1',
            family: 'IPv4',
            state: 'ready',
            hostname: 'gw.elb.eu-west-1.amazonaws.com',
            ttl: 42,
          },
          {
            ip: '10.0.0.2',
            family: 'IPv4',
            state: 'draining',
            hostname: 'gw.elb.eu-west-1.amazonaws.com',
            ttl: 42,
          },
          { ip: 'fd00::9', family: 'IPv6', state: 'ready' },
        ],
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
});
