// Contract of Kubernetes API servers: Services.
import { beforeAll, describe, expect, it } from 'vitest';
import { causesOf, failure, pathsIn } from './apiserver-client.ts';
import type { Answer, Client, Paths } from './apiserver-client.ts';
import { addressContract, statusContract, typeContract } from './apiserver-service-parts.ts';

const LABEL_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1123 =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

export function serviceContract(use: () => Client): void {
  describe('Services', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('services'));
    });
    const create = (name: string, spec: object = {}): Promise<Answer> =>
      use().create(paths.services(), {
        metadata: { name },
        spec: { ports: [{ name: 'http', port: 80 }], ...spec },
      });

    it('have defaults and a cluster IP', async () => {
      const { status, body } = await create('plain');
      expect(status).toBe(201);
      const { clusterIP } = body.spec;
      expect(clusterIP).toMatch(/^10\.96\.\d+\.\d+$/);
      expect(body.spec).toEqual({
        type: 'ClusterIP',
        clusterIP,
        clusterIPs: [clusterIP],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
        sessionAffinity: 'None',
        ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 80 }],
      });
      expect(body.status).toEqual({ loadBalancer: {} });
    });

    it('headless without selector: both families, without a second range', async () => {
      const { body } = await create('headless', { clusterIP: 'None' });
      expect(body.spec).toMatchObject({
        clusterIP: 'None',
        clusterIPs: ['None'],
        ipFamilies: ['IPv4', 'IPv6'],
        ipFamilyPolicy: 'RequireDualStack',
      });
    });

    it('headless with selector: the family of the cluster', async () => {
      const { body } = await create('selecting', { clusterIP: 'None', selector: { app: 'a' } });
      expect(body.spec).toMatchObject({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
    });

    it('PreferDualStack on one range: one address', async () => {
      const { body } = await create('prefer', { ipFamilyPolicy: 'PreferDualStack' });
      expect(body.spec).toMatchObject({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'PreferDualStack' });
      expect(body.spec.clusterIPs).toHaveLength(1);
    });

    it('NodePort: a port for each of its ports', async () => {
      const { body } = await create('node-port', { type: 'NodePort' });
      expect(body.spec).toMatchObject({ type: 'NodePort', externalTrafficPolicy: 'Cluster' });
      expect(body.spec.ports[0].nodePort).toBeGreaterThanOrEqual(30_000);
      expect(body.spec.ports[0].nodePort).toBeLessThanOrEqual(32_767);
    });

    it('LoadBalancer: node ports too, unless told not to', async () => {
      const { body } = await create('balanced', { type: 'LoadBalancer' });
      expect(body.spec).toMatchObject({
        allocateLoadBalancerNodePorts: true,
        externalTrafficPolicy: 'Cluster',
      });
      expect(body.spec.ports[0].nodePort).toBeGreaterThanOrEqual(30_000);
      const without = await create('balanced-bare', {
        type: 'LoadBalancer',
        allocateLoadBalancerNodePorts: false,
      });
      expect(without.body.spec.ports[0]).not.toHaveProperty('nodePort');
    });

    it('ExternalName: a name, no address', async () => {
      const { body } = await create('external', {
        type: 'ExternalName',
        externalName: 'gw.example.com',
        ports: [],
      });
      expect(body.spec).toEqual({
        type: 'ExternalName',
        externalName: 'gw.example.com',
        sessionAffinity: 'None',
      });
    });

    it('ClientIP affinity: three hours', async () => {
      const { body } = await create('sticky', { sessionAffinity: 'ClientIP' });
      expect(body.spec.sessionAffinityConfig).toEqual({ clientIP: { timeoutSeconds: 10_800 } });
    });

    addressContract(use, () => paths);
    typeContract(use, () => paths);
    statusContract(use, () => paths);

    it.each([
      [
        'a name that begins with a digit',
        { metadata: { name: '3scale' } },
        [`metadata.name: Invalid value: "3scale": ${LABEL_1035}`],
      ],
      [
        'a name with a dot',
        { metadata: { name: 'a.b' } },
        [`metadata.name: Invalid value: "a.b": ${LABEL_1035}`],
      ],
      [
        'a name of 64 characters',
        { metadata: { name: 'x'.repeat(64) } },
        [`metadata.name: Invalid value: "${'x'.repeat(64)}": must be no more than 63 characters`],
      ],
      ['no ports', { spec: { ports: [] } }, ['spec.ports: Required value']],
      [
        'two ports without names',
        { spec: { ports: [{ port: 80 }, { port: 81 }] } },
        ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
      ],
      [
        'two ports of one name',
        {
          spec: {
            ports: [
              { name: 'a', port: 80 },
              { name: 'a', port: 81 },
            ],
          },
        },
        ['spec.ports[1].name: Duplicate value: "a"'],
      ],
      [
        'a port twice',
        {
          spec: {
            ports: [
              { name: 'a', port: 80 },
              { name: 'b', port: 80 },
            ],
          },
        },
        [
          'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
        ],
      ],
      [
        'a port out of range',
        { spec: { ports: [{ port: 65_536 }] } },
        [
          'spec.ports[0].port: Invalid value: 65536: must be between 1 and 65535, inclusive',
          'spec.ports[0].targetPort: Invalid value: 65536: must be between 1 and 65535, inclusive',
        ],
      ],
      [
        'a port name in capitals',
        { spec: { ports: [{ name: 'HTTP', port: 80 }] } },
        [`spec.ports[0].name: Invalid value: "HTTP": ${LABEL_1123}`],
      ],
      [
        'an unknown protocol',
        { spec: { ports: [{ port: 80, protocol: 'X' }] } },
        ['spec.ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"'],
      ],
      [
        'a target port name of 16 characters',
        { spec: { ports: [{ port: 80, targetPort: 'x'.repeat(16) }] } },
        [`spec.ports[0].targetPort: Invalid value: "${'x'.repeat(16)}": must be no more than 15 characters`],
      ],
      [
        'an unknown type',
        { spec: { type: 'X', ports: [{ port: 80 }] } },
        [
          'spec.type: Unsupported value: "X": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
        ],
      ],
      [
        'a node port without need',
        { spec: { ports: [{ port: 80, nodePort: 30_000 }] } },
        ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
      ],
      [
        'an ExternalName without name',
        { spec: { type: 'ExternalName' } },
        ['spec.externalName: Required value'],
      ],
      [
        'both families on one range',
        { spec: { ipFamilyPolicy: 'RequireDualStack', ports: [{ port: 80 }] } },
        [
          'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
        ],
      ],
      [
        'a family without range',
        { spec: { ipFamilies: ['IPv6'], ports: [{ port: 80 }] } },
        ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
      ],
      [
        'a load balancer class without need',
        { spec: { loadBalancerClass: 'a/b', ports: [{ port: 80 }] } },
        ["spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"],
      ],
    ])('422 for %s', async (_, fields: { metadata?: object; spec?: object }, causes) => {
      const { metadata = { name: 'bad' }, spec = { ports: [{ port: 80 }] } } = fields;
      const answer = await use().create(paths.services(), { metadata, spec });
      expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
      expect(causesOf(answer)).toEqual(causes);
    });
  });
}
