// Contract of Kubernetes API servers: metadata.managedFields, from which a writer knows what is its own.
import { beforeAll, describe, expect, it } from 'vitest';
import { pathsIn } from './apiserver-client.ts';
import type { Answer, Client, Paths } from './apiserver-client.ts';

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly fieldsV1: unknown;
  readonly subresource?: string;
}

/** The entries without their times, sorted by manager and subresource: entries of one second have no other order. */
const entriesOf = ({ body }: Answer): Entry[] =>
  (body.metadata.managedFields ?? [])
    .map(
      ({ time: _time, fieldsType: _type, ...entry }: Entry & { time: string; fieldsType: string }) => entry,
    )
    .toSorted((left: Entry, right: Entry) =>
      `${left.manager} ${left.subresource}` < `${right.manager} ${right.subresource}` ? -1 : 1,
    );

const update = (manager: string, fieldsV1: unknown, apiVersion = 'v1'): Entry => ({
  manager,
  operation: 'Update',
  apiVersion,
  fieldsV1,
});

export function managedFieldsContract(use: () => Client): void {
  describe('managedFields', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('managed'));
    });
    const by = (path: string, manager: string): string => `${path}?fieldManager=${manager}`;

    it('records manager, operation, version, time and fields', async () => {
      const { body } = await use().create(by(paths.configMaps(), 'one'), {
        metadata: { name: 'first' },
        data: { a: '1' },
      });
      expect(body.metadata.managedFields).toEqual([
        {
          manager: 'one',
          operation: 'Update',
          apiVersion: 'v1',
          time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } },
        },
      ]);
    });

    it('takes the user agent up to its slash for a manager, and "unknown" for none', async () => {
      const agent = async (name: string, value: string) => {
        const headers = { 'content-type': 'application/json', 'user-agent': value };
        const body = { metadata: { name }, data: { a: '1' } };
        const answer = await use().call({ method: 'POST', path: paths.configMaps(), body, headers });
        return answer.body.metadata.managedFields[0].manager;
      };
      expect(await agent('agent', 'some-tool/v1.2 (linux/amd64)')).toBe('some-tool');
      expect(await agent('no-agent', '/x')).toBe('unknown');
    });

    it('knows the fields of a Service: labels, annotations, owners, finalizers, ports by port and protocol', async () => {
      const answer = await use().create(by(paths.services(), 'one'), {
        metadata: {
          name: 'web',
          labels: { a: '1' },
          annotations: { 'example.com/b': '2' },
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u-1' }],
          finalizers: ['example.com/hold'],
        },
        spec: {
          selector: { app: 'web' },
          ports: [
            { name: 'http', port: 80 },
            { name: 'dns', port: 53, protocol: 'UDP', appProtocol: 'dns', targetPort: 'dns' },
          ],
        },
      });
      expect(entriesOf(answer)).toEqual([
        update('one', {
          'f:metadata': {
            'f:annotations': { '.': {}, 'f:example.com/b': {} },
            'f:finalizers': { '.': {}, 'v:"example.com/hold"': {} },
            'f:labels': { '.': {}, 'f:a': {} },
            'f:ownerReferences': { '.': {}, 'k:{"uid":"u-1"}': {} },
          },
          'f:spec': {
            'f:internalTrafficPolicy': {},
            'f:ports': {
              '.': {},
              'k:{"port":53,"protocol":"UDP"}': {
                '.': {},
                'f:appProtocol': {},
                'f:name': {},
                'f:port': {},
                'f:protocol': {},
                'f:targetPort': {},
              },
              'k:{"port":80,"protocol":"TCP"}': {
                '.': {},
                'f:name': {},
                'f:port': {},
                'f:protocol': {},
                'f:targetPort': {},
              },
            },
            'f:selector': {},
            'f:sessionAffinity': {},
            'f:type': {},
          },
        }),
      ]);
    });

    it('gives what the server allocates to nobody', async () => {
      const { body } = await use().create(paths.services(), {
        metadata: { name: 'allocated' },
        spec: { type: 'NodePort', ports: [{ port: 80 }] },
      });
      const { fieldsV1 } = body.metadata.managedFields[0];
      expect(fieldsV1['f:spec']).not.toHaveProperty('f:clusterIP');
      expect(fieldsV1['f:spec']).not.toHaveProperty('f:ipFamilies');
      expect(JSON.stringify(fieldsV1)).not.toContain('nodePort');
    });

    it('knows the fields of Endpoints and EndpointSlices as wholes', async () => {
      const endpoints = await use().create(by(paths.endpoints(), 'one'), {
        metadata: { name: 'whole', labels: { a: '1' } },
        subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }],
      });
      expect(entriesOf(endpoints)).toEqual([
        update('one', { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } }, 'f:subsets': {} }),
      ]);
      const slice = await use().create(by(paths.slices(), 'one'), {
        metadata: { generateName: 'whole-' },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['192.0.2.1'] }],
        ports: [{ port: 80 }],
      });
      const fields = {
        'f:addressType': {},
        'f:endpoints': {},
        'f:metadata': { 'f:generateName': {} },
        'f:ports': {},
      };
      expect(entriesOf(slice)).toEqual([update('one', fields, 'discovery.k8s.io/v1')]);
    });

    it('moves a field to the manager who changes its value, and leaves the others', async () => {
      const path = paths.configMaps('moved');
      await use().create(by(paths.configMaps(), 'one'), {
        metadata: { name: 'moved' },
        data: { a: '1', b: '1', c: '1' },
      });
      const answer = await use().merge(by(path, 'two'), { data: { b: '2', c: '1', d: '2' } });
      expect(entriesOf(answer)).toEqual([
        update('one', { 'f:data': { '.': {}, 'f:a': {}, 'f:c': {} } }),
        update('two', { 'f:data': { 'f:b': {}, 'f:d': {} } }),
      ]);
    });

    it('takes removed fields from everybody, and entries without fields away', async () => {
      const path = paths.configMaps('removed');
      await use().create(by(paths.configMaps(), 'one'), { metadata: { name: 'removed' }, data: { a: '1' } });
      await use().merge(by(path, 'two'), { data: { b: '2' } });
      const answer = await use().merge(by(path, 'three'), { data: { b: null } });
      expect(entriesOf(answer)).toEqual([update('one', { 'f:data': { '.': {}, 'f:a': {} } })]);
    });

    it('moves atomic fields and list items as a whole', async () => {
      const path = paths.services('items');
      await use().create(by(paths.services(), 'one'), {
        metadata: { name: 'items' },
        spec: { ports: [{ port: 80 }] },
      });
      const answer = await use().merge(by(path, 'two'), {
        spec: { ports: [{ port: 81 }], selector: { a: 'b' } },
      });
      const port = { '.': {}, 'f:port': {}, 'f:protocol': {}, 'f:targetPort': {} };
      const defaults = { 'f:internalTrafficPolicy': {}, 'f:sessionAffinity': {}, 'f:type': {} };
      expect(entriesOf(answer)).toEqual([
        update('one', { 'f:spec': { ...defaults, 'f:ports': {} } }),
        update('two', {
          'f:spec': { 'f:ports': { 'k:{"port":81,"protocol":"TCP"}': port }, 'f:selector': {} },
        }),
      ]);
    });

    it('keeps an entry of its own for the status', async () => {
      await use().create(by(paths.services(), 'one'), {
        metadata: { name: 'status' },
        spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
      });
      const answer = await use().merge(by(`${paths.services('status')}/status`, 'one'), {
        status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
      });
      expect(entriesOf(answer).find(({ subresource }) => subresource === 'status')).toEqual({
        ...update('one', { 'f:status': { 'f:loadBalancer': { 'f:ingress': {} } } }),
        subresource: 'status',
      });
    });

    it('changes nothing, times included, when a write changes nothing', async () => {
      const path = paths.configMaps('nothing');
      const { body } = await use().create(by(paths.configMaps(), 'one'), {
        metadata: { name: 'nothing' },
        data: { a: '1' },
      });
      expect((await use().merge(by(path, 'two'), { data: { a: '1' } })).body).toEqual(body);
    });

    it('lets a writer edit the entries: a renamed manager hands its fields over', async () => {
      const path = paths.configMaps('renamed');
      await use().create(by(paths.configMaps(), 'old'), {
        metadata: { name: 'renamed' },
        data: { a: '1', b: '1' },
      });
      await use().jsonPatch(by(path, 'editor'), [
        { op: 'replace', path: '/metadata/managedFields/0/manager', value: 'new' },
      ]);
      const answer = await use().merge(by(path, 'new'), { data: { a: '2' } });
      expect(entriesOf(answer)).toEqual([update('new', { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } })]);
    });

    it('forgets all owners when told to, and tracks no later update', async () => {
      const path = paths.configMaps('reset');
      await use().create(by(paths.configMaps(), 'one'), { metadata: { name: 'reset' }, data: { a: '1' } });
      const reset = await use().jsonPatch(by(path, 'two'), [
        { op: 'replace', path: '/metadata/managedFields', value: [{}] },
      ]);
      expect(entriesOf(reset)).toEqual([]);
      expect(entriesOf(await use().merge(by(path, 'three'), { data: { a: '3' } }))).toEqual([]);
    });

    it('tracks no updates of an object that began without fields', async () => {
      const { body } = await use().create(paths.endpoints(), { metadata: { name: 'bare' }, subsets: [] });
      expect(body.metadata).not.toHaveProperty('managedFields');
      const later = await use().merge(paths.endpoints('bare'), { metadata: { labels: { a: '1' } } });
      expect(later.body.metadata).not.toHaveProperty('managedFields');
    });

    it('knows the fields of a custom resource by their shape', async () => {
      const answer = await use().create(by(paths.links(), 'one'), {
        apiVersion: 'multicluster.linkerd.io/v1alpha1',
        kind: 'Link',
        metadata: { name: 'shape' },
        spec: { targetClusterName: 'west', probeSpec: { port: '4191' }, list: [{ a: 1 }] },
      });
      expect(entriesOf(answer)).toEqual([
        update(
          'one',
          {
            'f:spec': {
              '.': {},
              'f:list': {},
              'f:probeSpec': { '.': {}, 'f:port': {} },
              'f:targetClusterName': {},
            },
          },
          'multicluster.linkerd.io/v1alpha1',
        ),
      ]);
    });
  });
}
