// What is particular to one kind.
import { describe, expect, it } from 'vitest';
import { microTime } from '../../../lib/model/microtime.ts';
import { at } from '../../support/wire.ts';
import { MANIFESTS, RENEWED_AT } from './manifests.ts';
import { SERVICE_RANGE, type Stage } from './stage.ts';

export function particularKinds(stage: Stage): void {
  describe('Service', () => {
    it('keeps its ClusterIP when its ports are replaced', async () => {
      const { clusterIP, meta } = await stage.cluster.create('Service', stage.shop, MANIFESTS.Service('web'));
      const patched = await stage.cluster.patch('Service', stage.shop, 'web', {
        metadata: { resourceVersion: meta.resourceVersion },
        spec: { ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] },
      });
      expect([patched.clusterIP, patched.ports]).toEqual([
        clusterIP,
        [{ name: 'dns', protocol: 'UDP', port: 53, targetPort: 53 }],
      ]);
    });

    it('may be headless, or a name', async () => {
      const headless = await stage.cluster.create('Service', stage.shop, {
        metadata: { name: 'headless' },
        spec: { clusterIP: 'None', ports: [{ port: 80 }] },
      });
      expect([headless.clusterIP, headless.clusterIPs, headless.ports]).toEqual([
        'None',
        ['None'],
        [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      ]);
      const named = await stage.cluster.create('Service', stage.shop, {
        metadata: { name: 'named' },
        spec: { type: 'ExternalName', externalName: 'lb.example.test' },
      });
      expect([named.type, named.clusterIP, named.ports]).toEqual(['ExternalName', '', []]);
    });

    it('has the addresses of its load balancer', async () => {
      await stage.api.create('Service', {
        metadata: { name: 'gateway', namespace: stage.shop },
        spec: {
          type: 'LoadBalancer',
          selector: { app: 'gateway' },
          ports: [{ name: 'mc-gateway', port: 4143 }],
        },
        status: { loadBalancer: { ingress: [{ hostname: 'lb.example.test' }, { ip: '203.0.113.10' }] } },
      });
      expect(await stage.cluster.get('Service', stage.shop, 'gateway')).toMatchObject({
        type: 'LoadBalancer',
        hasSelector: true,
        ports: [{ name: 'mc-gateway', port: 4143, nodePort: expect.any(Number) }],
        ingress: [{ hostname: 'lb.example.test' }, { ip: '203.0.113.10' }],
      });
    });

    it('may drop its own keys and those of the controller that it takes over, and no others', async () => {
      await stage.api.as('controller').create('Service', {
        metadata: { name: 'web', namespace: stage.shop, labels: { theirs: '1', app: 'web' } },
        spec: { ports: [{ port: 80 }] },
      });
      await stage.api
        .as('kubectl')
        .patch('Service', stage.shop, 'web', { metadata: { labels: { app: 'other', foreign: '1' } } });
      await stage.cluster.patch('Service', stage.shop, 'web', {
        metadata: { labels: { ours: '1' }, annotations: { ours: '1' } },
      });
      expect((await stage.cluster.get('Service', stage.shop, 'web'))?.meta.droppable).toEqual({
        labels: ['ours', 'theirs'],
        annotations: ['ours'],
      });
    });

    it('finds no address in a full range: no retry helps', async () => {
      const fill = async (): Promise<void> => {
        for (let count = 0; count < 16; count += 1) {
          await stage.cluster.create('Service', stage.shop, MANIFESTS.Service(`web-${count}`));
        }
      };
      await expect(fill()).rejects.toMatchObject({ kind: 'exhausted', status: 500 });
    });
  });

  describe('Lease', () => {
    it('is released by an empty holder', async () => {
      const { meta } = await stage.create('Lease', 'lease');
      const { resourceVersion } = meta;
      const released = await stage.cluster.patch('Lease', stage.shop, 'lease', {
        metadata: { resourceVersion },
        spec: { holderIdentity: '', renewTime: microTime(RENEWED_AT + 1_500) },
      });
      expect([released.holder, released.renewedAt, released.transitions]).toEqual([
        '',
        RENEWED_AT + 1_500,
        2,
      ]);
      const raw = await stage.api.read('Lease', stage.shop, 'lease');
      expect([raw?.['spec'].holderIdentity, raw?.['spec'].renewTime]).toEqual([
        '',
        '2025-01-31T10:00:01.750000Z',
      ]);
    });
  });

  describe('Namespace', () => {
    it('is created, read, labelled and listed', async () => {
      const name = `${stage.shop}-made`;
      const labels = { 'mirror.linkerd.io/mirrored-service': 'true' };
      const created = await stage.cluster.create('Namespace', '', { metadata: { name, labels } });
      expect([created.meta.namespace, created.meta.name, created.terminating]).toEqual(['', name, false]);
      await stage.cluster.patch('Namespace', '', name, { metadata: { labels: { run: stage.shop } } });
      const listed = await stage.cluster.list('Namespace', { labelSelector: `run=${stage.shop}` });
      expect(listed.map(({ meta }) => meta.labels)).toEqual([
        { ...labels, run: stage.shop, 'kubernetes.io/metadata.name': name },
      ]);
    });

    it('I2: that ends takes nothing more, and says so', async () => {
      const { meta } = (await stage.cluster.get('Namespace', '', stage.shop))!;
      await stage.cluster.delete('Namespace', '', stage.shop, meta);
      expect(await stage.cluster.get('Namespace', '', stage.shop)).toMatchObject({
        terminating: true,
        meta: { deleting: true },
      });
      await expect(stage.create('Service', 'web')).rejects.toMatchObject({
        kind: 'denied',
        reason: 'NamespaceTerminating',
      });
    });
  });

  describe('ServiceCIDR', () => {
    it('tells the range of the ClusterIPs', async () => {
      const ranges = await stage.cluster.list('ServiceCIDR');
      expect(ranges.map(({ meta, cidrs }) => [meta.name, cidrs])).toEqual([['kubernetes', [SERVICE_RANGE]]]);
    });

    it('is unsupported where the server does not know it', async () => {
      stage.wire.add({
        on: at('GET', '/servicecidrs'),
        action: { status: 404, body: '404 page not found\n' },
      });
      await expect(stage.cluster.list('ServiceCIDR')).rejects.toMatchObject({ kind: 'unsupported' });
    });
  });
}
