// Contract of Kubernetes API servers: creating objects.
import { beforeAll, describe, expect, it } from 'vitest';
import { causesOf, failure, pathsIn } from './apiserver-client.ts';
import type { Client, Paths } from './apiserver-client.ts';

export function createContract(use: () => Client): void {
  describe('create', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('creates'));
    });

    it('answers 201 with UID, creation time in seconds and resourceVersion', async () => {
      const { status, body } = await use().create(paths.configMaps(), {
        metadata: { name: 'new' },
        data: { a: 'b' },
      });
      expect(status).toBe(201);
      expect(body).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { a: 'b' } });
      expect(body.metadata).toMatchObject({
        name: 'new',
        namespace: 'creates',
        uid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        resourceVersion: expect.stringMatching(/^\d+$/),
      });
    });

    it('ignores what only the server may set', async () => {
      const { body } = await use().create(paths.configMaps(), {
        metadata: {
          name: 'forged',
          uid: 'mine',
          creationTimestamp: '2001-01-01T00:00:00Z',
          deletionTimestamp: '2001-01-01T00:00:00Z',
        },
      });
      expect(body.metadata.uid).not.toBe('mine');
      expect(body.metadata.creationTimestamp).not.toBe('2001-01-01T00:00:00Z');
      expect(body.metadata).not.toHaveProperty('deletionTimestamp');
    });

    it('409 for a name that is taken', async () => {
      await use().create(paths.slices(), { metadata: { name: 'taken' }, addressType: 'IPv4' });
      expect(
        await use().create(paths.slices(), { metadata: { name: 'taken' }, addressType: 'IPv4' }),
      ).toMatchObject(
        failure({
          code: 409,
          reason: 'AlreadyExists',
          message: 'endpointslices.discovery.k8s.io "taken" already exists',
          details: { name: 'taken', group: 'discovery.k8s.io', kind: 'endpointslices' },
        }),
      );
    });

    it('500 with no reason for a resourceVersion on a new object', async () => {
      const answer = await use().create(paths.configMaps(), {
        metadata: { name: 'versioned', resourceVersion: '1' },
      });
      expect(answer).toMatchObject(
        failure({
          code: 500,
          message: 'resourceVersion should not be set on objects to be created',
        }),
      );
      expect(answer.body).not.toHaveProperty('reason');
    });

    it('404 in a namespace that does not exist', async () => {
      const missing = pathsIn('missing');
      expect(await use().create(missing.configMaps(), { metadata: { name: 'x' } })).toMatchObject(
        failure({
          code: 404,
          reason: 'NotFound',
          message: 'namespaces "missing" not found',
          details: { name: 'missing', kind: 'namespaces' },
        }),
      );
    });

    it('reads from a namespace that does not exist as from an empty one', async () => {
      const { status, body } = await use().get(pathsIn('missing').configMaps());
      expect(status).toBe(200);
      expect(body.items).toEqual([]);
    });

    it('400 for a namespace other than the one in the URL', async () => {
      const answer = await use().create(paths.configMaps(), {
        metadata: { name: 'x', namespace: 'default' },
      });
      expect(answer).toMatchObject(
        failure({
          code: 400,
          reason: 'BadRequest',
          message: 'the namespace of the provided object does not match the namespace sent on the request',
        }),
      );
    });

    it('makes a name of generateName', async () => {
      const first = await use().create(paths.slices(), {
        metadata: { generateName: 'gen-' },
        addressType: 'IPv4',
      });
      const second = await use().create(paths.slices(), {
        metadata: { generateName: 'gen-' },
        addressType: 'IPv4',
      });
      expect(first.body.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      expect(second.body.metadata.name).not.toBe(first.body.metadata.name);
      expect(first.body.metadata.generateName).toBe('gen-');
    });

    it('422 without any name', async () => {
      const answer = await use().create(paths.slices(), { metadata: {}, addressType: 'IPv4' });
      expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
      expect(causesOf(answer)).toEqual(['metadata.name: Required value: name or generateName is required']);
    });

    it.each([
      ['text that is no JSON', '{bad', "couldn't get version/kind; json parse error: invalid character 'b'"],
      ['nothing', '', "couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)"],
    ])('400 for %s', async (_, body, message) => {
      const answer = await use().create(paths.services(), body);
      expect(answer).toMatchObject(failure({ code: 400, reason: 'BadRequest' }));
      expect(answer.body.message).toContain(
        `the object provided is unrecognized (must be of type Service): ${message}`,
      );
    });

    const misfits: [string, { metadata?: object; [field: string]: unknown }, string][] = [
      [
        'an object of another kind',
        { apiVersion: 'v1', kind: 'Endpoints' },
        'Endpoints in version "v1" cannot be handled as a Service: converting (v1.Endpoints) to (core.Service): unknown conversion',
      ],
      [
        'an object of no kind',
        { apiVersion: 'v1', kind: 'Nonsense' },
        'Nonsense in version "v1" cannot be handled as a Service: no kind "Nonsense" is registered for version "v1"',
      ],
      [
        'an object of another version',
        { apiVersion: 'v9', kind: 'Service' },
        'Service in version "v9" cannot be handled as a Service: no kind "Service" is registered for version "v9"',
      ],
      [
        'a text for a number',
        { spec: { ports: [{ port: '80' }] } },
        'Service in version "v1" cannot be handled as a Service: json: cannot unmarshal string into Go struct field ServicePort.spec.ports.port of type int32',
      ],
      [
        'an object for a list',
        { spec: { ports: {} } },
        'Service in version "v1" cannot be handled as a Service: json: cannot unmarshal object into Go struct field ServiceSpec.spec.ports of type []v1.ServicePort',
      ],
      [
        'a number for a label',
        { metadata: { labels: { a: 1 } } },
        'Service in version "v1" cannot be handled as a Service: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
      ],
      [
        'a fraction for a whole number',
        { spec: { ports: [{ port: 80.5 }] } },
        'Service in version "v1" cannot be handled as a Service: json: cannot unmarshal number 80.5 into Go struct field ServicePort.spec.ports.port of type int32',
      ],
    ];
    it.each(misfits)('400 for %s', async (_, fields, message) => {
      const answer = await use().create(paths.services(), {
        ...fields,
        metadata: { name: 'typed', ...fields.metadata },
      });
      expect(answer).toMatchObject(failure({ code: 400, reason: 'BadRequest' }));
      expect(answer.body.message).toContain(message);
    });

    it('drops unknown fields and warns of each', async () => {
      const { status, body, headers } = await use().create(paths.services(), {
        metadata: { name: 'unknown', foo: 1 },
        spec: { ports: [{ port: 80, bar: 1 }] },
      });
      expect(status).toBe(201);
      expect(body.spec.ports).toEqual([{ port: 80, protocol: 'TCP', targetPort: 80 }]);
      expect(headers.get('warning')).toContain('299 - "unknown field \\"metadata.foo\\""');
      expect(headers.get('warning')).toContain('299 - "unknown field \\"spec.ports[0].bar\\""');
    });

    it('refuses unknown fields when asked to be strict, and says nothing when asked to ignore them', async () => {
      const service = (name: string) => ({ metadata: { name }, spec: { ports: [{ port: 80 }], bar: 1 } });
      expect(
        await use().create(`${paths.services()}?fieldValidation=Strict`, service('strict')),
      ).toMatchObject(
        failure({
          code: 400,
          reason: 'BadRequest',
          message:
            'Service in version "v1" cannot be handled as a Service: strict decoding error: unknown field "spec.bar"',
        }),
      );
      const ignored = await use().create(`${paths.services()}?fieldValidation=Ignore`, service('ignored'));
      expect(ignored.status).toBe(201);
      expect(ignored.headers.get('warning')).toBeNull();
    });

    it('counts an owner that is named twice once, and warns', async () => {
      const owner = { apiVersion: 'v1', kind: 'Service', name: 'a', uid: 'u-1' };
      const other = { ...owner, name: 'b', uid: 'u-2' };
      const { body, headers } = await use().create(paths.configMaps(), {
        metadata: { name: 'owned', ownerReferences: [owner, other, owner] },
      });
      expect(body.metadata.ownerReferences).toEqual([owner, other]);
      expect(headers.get('warning')).toContain('duplicate UID(s) observed: u-1');
    });

    it('stores nothing in a dry run, but says what it would', async () => {
      const path = `${paths.services()}?dryRun=All`;
      const answer = await use().create(path, { metadata: { name: 'dry' }, spec: { ports: [{ port: 80 }] } });
      expect(answer.status).toBe(201);
      expect(answer.body.spec.clusterIP).toMatch(/^10\.96\./);
      expect((await use().get(paths.services('dry'))).status).toBe(404);
      expect(await use().create(path, { metadata: { name: 'dry' }, spec: { ports: [] } })).toMatchObject(
        failure({
          code: 422,
        }),
      );
    });

    it('422 for options that do not exist', async () => {
      const answer = await use().create(`${paths.configMaps()}?dryRun=Some`, { metadata: { name: 'x' } });
      expect(answer).toMatchObject(
        failure({
          code: 422,
          reason: 'Invalid',
          details: expect.objectContaining({ kind: 'CreateOptions' }),
        }),
      );
    });

    const QUALIFIED =
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    const LABEL_VALUE =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

    it.each([
      [
        'a label key',
        { labels: { 'a b': '' } },
        [`metadata.labels: Invalid value: "a b": name part ${QUALIFIED}`],
      ],
      [
        'a label key of two slashes',
        { labels: { 'a/b/c': '' } },
        [
          `metadata.labels: Invalid value: "a/b/c": a valid label key ${QUALIFIED} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
        ],
      ],
      ['a label value', { labels: { a: '-' } }, [`metadata.labels: Invalid value: "-": ${LABEL_VALUE}`]],
      [
        'a label value of 64 characters',
        { labels: { a: 'x'.repeat(64) } },
        [`metadata.labels: Invalid value: "${'x'.repeat(64)}": must be no more than 63 bytes`],
      ],
      [
        'an annotation key',
        { annotations: { 'a b': '' } },
        [`metadata.annotations: Invalid value: "a b": name part ${QUALIFIED}`],
      ],
      [
        'an owner without UID',
        { ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'a', uid: '' }] },
        ['metadata.ownerReferences.uid: Invalid value: "": must not be empty'],
      ],
      [
        'a finalizer',
        { finalizers: ['hold'] },
        [
          'metadata.finalizers[0]: Invalid value: "hold": name is neither a standard finalizer name nor is it fully qualified',
        ],
      ],
    ])('422 for %s that is not allowed', async (_, metadata, causes) => {
      const answer = await use().create(paths.configMaps(), { metadata: { name: 'bad', ...metadata } });
      expect(answer).toMatchObject(
        failure({
          code: 422,
          reason: 'Invalid',
          message: `ConfigMap "bad" is invalid: ${causes[0]}`,
        }),
      );
      expect(causesOf(answer)).toEqual(causes);
    });
  });
}
