// Contract of Kubernetes API servers: addresses, types and status of Services.
import { expect, it } from 'vitest';
import { causesOf, failure } from './apiserver-client.ts';
import type { Answer, Client, Paths } from './apiserver-client.ts';

export function addressContract(use: () => Client, paths: () => Paths): void {
  const create = (name: string, spec: object = {}): Promise<Answer> =>
    use().create(paths().services(), { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });

  it('take the address they ask for', async () => {
    const { body } = await create('asked', { clusterIP: '10.96.0.200' });
    expect(body.spec).toMatchObject({ clusterIP: '10.96.0.200', clusterIPs: ['10.96.0.200'] });
  });

  it('422 for an address that another one has, before the name is looked at', async () => {
    await create('owner', { clusterIP: '10.96.0.201' });
    for (const name of ['thief', 'owner']) {
      const answer = await create(name, { clusterIP: '10.96.0.201' });
      expect(answer).toMatchObject(
        failure({
          code: 422,
          reason: 'Invalid',
          details: expect.objectContaining({ name, kind: 'Service' }),
        }),
      );
      expect(causesOf(answer)).toEqual([
        'spec.clusterIPs: Invalid value: ["10.96.0.201"]: failed to allocate IP 10.96.0.201: provided IP is already allocated',
      ]);
    }
  });

  it.each([
    [
      'outside the range',
      '192.0.2.1',
      'spec.clusterIPs: Invalid value: ["192.0.2.1"]: failed to allocate IP 192.0.2.1: the provided network does not match the current range',
    ],
    [
      'the network address',
      '10.96.0.0',
      'spec.clusterIPs: Invalid value: ["10.96.0.0"]: failed to allocate IP 10.96.0.0: the provided network does not match the current range',
    ],
    [
      'no address',
      'bogus',
      'spec.clusterIPs[0]: Invalid value: "bogus": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      'of a family without range',
      'fd00::1',
      'spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster',
    ],
  ])('422 for an address %s', async (_, clusterIP, cause) => {
    const answer = await create('nowhere', { clusterIP });
    expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(answer)).toEqual([cause]);
  });

  it('422 when clusterIP and clusterIPs disagree', async () => {
    const answer = await create('torn', { clusterIP: '10.96.0.210', clusterIPs: ['10.96.0.211'] });
    expect(causesOf(answer)).toEqual([
      'spec.clusterIPs: Invalid value: ["10.96.0.211"]: first value must match `clusterIP`',
    ]);
  });

  it('keep their address over updates that leave it out', async () => {
    const { body } = await create('kept');
    const { clusterIP } = body.spec;
    const replaced = await use().replace(paths().services('kept'), {
      metadata: { name: 'kept' },
      spec: { ports: [{ port: 81 }] },
    });
    expect(replaced.body.spec).toMatchObject({ clusterIP, ports: [{ port: 81 }] });
    const patched = await use().merge(paths().services('kept'), {
      spec: { clusterIP: null, clusterIPs: null },
    });
    expect(patched.body.spec.clusterIP).toBe(clusterIP);
  });

  it('422 for another address later on', async () => {
    await create('fixed', { clusterIP: '10.96.0.220' });
    const answer = await use().merge(paths().services('fixed'), { spec: { clusterIP: '10.96.0.221' } });
    expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(answer)).toEqual([
      'spec.clusterIPs[0]: Invalid value: ["10.96.0.221"]: may not change once set',
    ]);
    const headless = await use().merge(paths().services('fixed'), { spec: { clusterIP: 'None' } });
    expect(causesOf(headless)).toEqual([
      'spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set',
    ]);
  });

  it('release their address when they are deleted', async () => {
    await create('released', { clusterIP: '10.96.0.230' });
    await use().remove(paths().services('released'));
    expect((await create('next', { clusterIP: '10.96.0.230' })).status).toBe(201);
  });

  it('take their Endpoints along when they are deleted, and leave EndpointSlices', async () => {
    await create('with-endpoints');
    await use().create(paths().endpoints(), { metadata: { name: 'with-endpoints' } });
    await use().create(paths().slices(), {
      metadata: { name: 'with-endpoints-1', labels: { 'kubernetes.io/service-name': 'with-endpoints' } },
      addressType: 'IPv4',
    });
    await use().remove(paths().services('with-endpoints'));
    expect((await use().get(paths().endpoints('with-endpoints'))).status).toBe(404);
    expect((await use().get(paths().slices('with-endpoints-1'))).status).toBe(200);
  });
}

export function typeContract(use: () => Client, paths: () => Paths): void {
  it('change their type: node ports come and go, an ExternalName has no address', async () => {
    const path = paths().services('changing');
    await use().create(paths().services(), {
      metadata: { name: 'changing' },
      spec: { ports: [{ port: 80 }] },
    });
    const node = await use().merge(path, { spec: { type: 'NodePort' } });
    expect(node.body.spec.ports[0].nodePort).toBeGreaterThanOrEqual(30_000);
    const internal = await use().merge(path, { spec: { type: 'ClusterIP' } });
    expect(internal.body.spec.ports[0]).not.toHaveProperty('nodePort');
    expect(internal.body.spec).not.toHaveProperty('externalTrafficPolicy');
    const external = await use().merge(path, {
      spec: { type: 'ExternalName', externalName: 'a.example.com' },
    });
    expect(external.status).toBe(200);
    expect(Object.keys(external.body.spec).toSorted()).toEqual([
      'externalName',
      'ports',
      'sessionAffinity',
      'type',
    ]);
    const back = await use().merge(path, { spec: { type: 'ClusterIP', externalName: null } });
    expect(back.body.spec.clusterIP).toMatch(/^10\.96\./);
  });

  it('renumber and rename ports in one merge patch', async () => {
    const path = paths().services('ports');
    await use().create(paths().services(), {
      metadata: { name: 'ports' },
      spec: {
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 81 },
        ],
      },
    });
    const { body } = await use().merge(path, {
      spec: { ports: [{ name: 'a', port: 90, targetPort: 'web' }] },
    });
    expect(body.spec.ports).toEqual([{ name: 'a', port: 90, protocol: 'TCP', targetPort: 'web' }]);
  });

  it('422 for another load balancer class later on', async () => {
    await use().create(paths().services(), {
      metadata: { name: 'classed' },
      spec: { type: 'LoadBalancer', loadBalancerClass: 'example.com/a', ports: [{ port: 80 }] },
    });
    const answer = await use().merge(paths().services('classed'), {
      spec: { loadBalancerClass: 'example.com/b' },
    });
    expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(answer)).toEqual([
      'spec.loadBalancerClass: Invalid value: "example.com/b": may not change once set',
    ]);
  });

  it('warn of what they ignore', async () => {
    const { headers } = await use().create(paths().services(), {
      metadata: { name: 'warned' },
      spec: { externalName: 'a.example.com', ports: [{ port: 80 }] },
    });
    expect(headers.get('warning')).toBe(
      '299 - "spec.externalName is ignored when spec.type is not \\"ExternalName\\""',
    );
  });

  it('422 for a node port that another one has', async () => {
    const nodePort = (name: string, port: number) =>
      use().create(paths().services(), {
        metadata: { name },
        spec: { type: 'NodePort', ports: [{ port: 80, nodePort: port }] },
      });
    expect((await nodePort('port-owner', 30_005)).status).toBe(201);
    expect(causesOf(await nodePort('port-thief', 30_005))).toEqual([
      'spec.ports[0].nodePort: Invalid value: 30005: provided port is already allocated',
    ]);
    expect(causesOf(await nodePort('port-outside', 80))).toEqual([
      'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    ]);
  });
}

export function statusContract(use: () => Client, paths: () => Paths): void {
  const balanced = (name: string): Promise<Answer> =>
    use().create(paths().services(), {
      metadata: { name },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.9' }] } },
    });

  it('take a status through its subresource only, and nothing else but metadata there', async () => {
    const created = await balanced('gateway');
    expect(created.body.status).toEqual({ loadBalancer: {} });
    const path = paths().services('gateway');
    const set = await use().merge(`${path}/status`, {
      metadata: { labels: { via: 'status' } },
      spec: { ports: [{ port: 99 }] },
      status: { loadBalancer: { ingress: [{ hostname: 'a.elb.amazonaws.com' }, { ip: '192.0.2.1' }] } },
    });
    expect(set.status).toBe(200);
    expect(set.body.status.loadBalancer.ingress).toEqual([
      { hostname: 'a.elb.amazonaws.com' },
      { ip: '192.0.2.1', ipMode: 'VIP' },
    ]);
    expect(set.body.spec.ports[0].port).toBe(80);
    expect(set.body.metadata.labels).toEqual({ via: 'status' });
    const ignored = await use().merge(path, { status: { loadBalancer: { ingress: null } } });
    expect(ignored.body.status.loadBalancer.ingress).toHaveLength(2);
    expect((await use().get(`${path}/status`)).body).toEqual(ignored.body);
    const other = await use().merge(path, { spec: { type: 'ClusterIP' } });
    expect(other.body.status).toEqual({ loadBalancer: {} });
  });

  it('422 for a status that no load balancer has', async () => {
    await balanced('strange');
    const answer = await use().merge(`${paths().services('strange')}/status`, {
      status: { loadBalancer: { ingress: [{ hostname: '192.0.2.1' }, { ip: 'x.example.com' }] } },
    });
    expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(answer)).toEqual([
      'status.loadBalancer.ingress[0].hostname: Invalid value: "192.0.2.1": must be a DNS name, not an IP address',
      'status.loadBalancer.ingress[1].ip: Invalid value: "x.example.com": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ]);
  });

  it('422 for the status of a Service that is no load balancer', async () => {
    await use().create(paths().services(), {
      metadata: { name: 'internal' },
      spec: { ports: [{ port: 80 }] },
    });
    const answer = await use().merge(`${paths().services('internal')}/status`, {
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
    });
    expect(causesOf(answer)).toEqual([
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ]);
  });
}
