// Contract of Kubernetes API servers: the shapes of a Service on one range (cluster IP, headless, ExternalName), and what becomes
// what.
import { beforeAll, describe, expect, it } from 'vitest';
import { causesOf, failure, pathsIn } from './apiserver-client.ts';
import type { Answer, Client, Paths } from './apiserver-client.ts';

const LABEL_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

const HEADLESS = { clusterIP: 'None' };
const BOTH_FAMILIES = {
  clusterIP: 'None',
  clusterIPs: ['None'],
  ipFamilies: ['IPv4', 'IPv6'],
  ipFamilyPolicy: 'RequireDualStack',
};

const NO_SECOND_RANGE = [
  'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
  'spec.ipFamilies[1]: Invalid value: "IPv6": not configured on this cluster',
];

export function serviceShapeContract(use: () => Client): void {
  describe('shapes of Services', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('shapes'));
    });
    headlessContract(use, () => paths);
    addressShapeContract(use, () => paths);
    externalNameContract(use, () => paths);
    serviceNameContract(use, () => paths);
  });
}

const servicesOf = (use: () => Client, paths: () => Paths) => ({
  create: (name: string, spec: object): Promise<Answer> =>
    use().create(paths().services(), { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } }),
  change: (name: string, spec: object): Promise<Answer> => use().merge(paths().services(name), { spec }),
});

function headlessContract(use: () => Client, paths: () => Paths): void {
  const { create, change } = servicesOf(use, paths);

  it.each([
    ['nothing said', 'said-nothing', {}],
    ['no ports', 'said-no-ports', { ports: [] }],
    ['one family said', 'said-family', { ipFamilies: ['IPv4'] }],
    ['RequireDualStack said, which no address is needed for', 'said-require', BOTH_FAMILIES],
  ])('headless, no selector, %s: both families are required, on one range', async (_, name, spec) => {
    const { status, body } = await create(name, { ...HEADLESS, ...spec });
    expect(status).toBe(201);
    expect(body.spec).toMatchObject(BOTH_FAMILIES);
  });

  it('headless, no selector: the first family may be one that no range is of', async () => {
    const { body } = await create('six-first', { ...HEADLESS, ipFamilies: ['IPv6'] });
    expect(body.spec).toMatchObject({ ...BOTH_FAMILIES, ipFamilies: ['IPv6', 'IPv4'] });
  });

  it('headless: the policy may be another one, and change', async () => {
    const single = await create('policies', { ...HEADLESS, ipFamilyPolicy: 'SingleStack' });
    expect(single.body.spec).toMatchObject({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
    for (const [ipFamilyPolicy, ipFamilies] of [
      ['PreferDualStack', ['IPv4', 'IPv6']],
      ['RequireDualStack', ['IPv4', 'IPv6']],
      ['SingleStack', ['IPv4']],
    ] as const) {
      const { body } = await change('policies', { ipFamilyPolicy });
      expect(body.spec).toMatchObject({ clusterIPs: ['None'], ipFamilyPolicy, ipFamilies });
    }
  });

  it('headless: a selector that goes later leaves the families as they are', async () => {
    await create('selected', { ...HEADLESS, selector: { app: 'a' } });
    const { body } = await change('selected', { selector: null });
    expect(body.spec).toMatchObject({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
  });

  it('headless: a selector that comes later needs another policy with it, on one range', async () => {
    await create('unselected', HEADLESS);
    const refused = await change('unselected', { selector: { app: 'a' } });
    expect(refused).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(refused)).toEqual(NO_SECOND_RANGE);
    const { status, body } = await change('unselected', {
      selector: { app: 'a' },
      ipFamilyPolicy: 'SingleStack',
    });
    expect(status).toBe(200);
    expect(body.spec).toMatchObject({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
  });

  it('families and policy that nobody names belong to nobody', async () => {
    const defaulted = await create('defaulted', HEADLESS);
    expect(specFieldsOf(defaulted)).toEqual([
      'f:clusterIP',
      'f:internalTrafficPolicy',
      'f:ports',
      'f:sessionAffinity',
      'f:type',
    ]);
    const named = await create('named', { ...HEADLESS, ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] });
    expect(specFieldsOf(named)).toEqual([
      'f:clusterIP',
      'f:internalTrafficPolicy',
      'f:ipFamilies',
      'f:ipFamilyPolicy',
      'f:ports',
      'f:sessionAffinity',
      'f:type',
    ]);
  });

  it('a policy that a patch names belongs to who wrote it, when it is another one', async () => {
    await create('owned', HEADLESS);
    const same = await change('owned', { ipFamilyPolicy: 'RequireDualStack' });
    expect(specFieldsOf(same)).not.toContain('f:ipFamilyPolicy');
    const other = await change('owned', { ipFamilyPolicy: 'SingleStack' });
    expect(specFieldsOf(other)).toContain('f:ipFamilyPolicy');
    expect(specFieldsOf(other)).not.toContain('f:ipFamilies');
  });
}

/** The fields of spec that the one writer of these tests owns. */
const specFieldsOf = ({ body }: Answer): string[] =>
  Object.keys(body.metadata.managedFields[0].fieldsV1['f:spec']).toSorted();

function addressShapeContract(use: () => Client, paths: () => Paths): void {
  const { create, change } = servicesOf(use, paths);

  it.each([
    ['clusterIP', { clusterIP: 'None' }],
    ['clusterIP and clusterIPs', { clusterIP: 'None', clusterIPs: ['None'] }],
  ])('422 for a headless one of one with an address, by %s', async (_, spec) => {
    await create('addressed', {});
    const answer = await change('addressed', spec);
    expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(answer)).toEqual([
      'spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set',
    ]);
  });

  it.each([
    ['clusterIP', { clusterIP: '10.96.0.240' }],
    ['clusterIP and clusterIPs', { clusterIP: '10.96.0.240', clusterIPs: ['10.96.0.240'] }],
  ])(
    '422 for an address of a headless one, by %s: for itself, or with two families for those',
    async (_, spec) => {
      await create('headless-one', { ...HEADLESS, ipFamilyPolicy: 'SingleStack' });
      const one = await change('headless-one', spec);
      expect(one).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
      expect(causesOf(one)).toEqual([
        'spec.clusterIPs[0]: Invalid value: ["10.96.0.240"]: may not change once set',
      ]);
      await create('headless-two', HEADLESS);
      const two = await change('headless-two', spec);
      expect(two).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
      expect(causesOf(two)).toEqual(NO_SECOND_RANGE);
    },
  );

  it.each([
    ['an empty clusterIP', { clusterIP: '' }],
    ['no clusterIP', { clusterIP: null }],
    ['neither', { clusterIP: null, clusterIPs: null }],
    ['families and policy left out', { ipFamilies: null, ipFamilyPolicy: null }],
  ])('a patch with %s changes no shape', async (_, spec) => {
    const before = await create('kept', HEADLESS);
    expect((await change('kept', spec)).body.spec).toEqual(before.body.spec);
    await use().remove(paths().services('kept'));
    const { body } = await create('kept', {});
    expect((await change('kept', spec)).body.spec).toEqual(body.spec);
    await use().remove(paths().services('kept'));
  });
}

function externalNameContract(use: () => Client, paths: () => Paths): void {
  const { create, change } = servicesOf(use, paths);
  const NAMED = { type: 'ExternalName', externalName: 'a.example.com' };
  const PORTS = [{ port: 80, protocol: 'TCP', targetPort: 80 }];
  const AS_NAMED = { ...NAMED, ports: PORTS, sessionAffinity: 'None' };

  it.each([
    ['with an address', {}],
    ['headless', HEADLESS],
  ])(
    'one %s becomes an ExternalName without address, families and policy, and keeps its ports',
    async (_, spec) => {
      await create('renamed', spec);
      const { status, body } = await change('renamed', NAMED);
      expect(status).toBe(200);
      expect(body.spec).toEqual(AS_NAMED);
      await use().remove(paths().services('renamed'));
    },
  );

  it('an ExternalName becomes whatever it is told to, and gives its address back', async () => {
    await create('turning', { clusterIP: '10.96.0.241' });
    await change('turning', NAMED);
    expect((await create('heir', { clusterIP: '10.96.0.241' })).status).toBe(201);
    const headless = await change('turning', { type: 'ClusterIP', externalName: null, clusterIP: 'None' });
    expect(headless.status).toBe(200);
    expect(headless.body.spec).toMatchObject({ type: 'ClusterIP', ...BOTH_FAMILIES });
    expect(headless.body.spec).not.toHaveProperty('externalName');
    await change('turning', NAMED);
    const asked = await change('turning', {
      type: 'ClusterIP',
      externalName: null,
      clusterIP: '10.96.0.242',
    });
    expect(asked.body.spec).toMatchObject({ clusterIP: '10.96.0.242', ipFamilyPolicy: 'SingleStack' });
    await change('turning', NAMED);
    const any = await change('turning', { type: 'ClusterIP', externalName: null });
    expect(any.body.spec.clusterIP).toMatch(/^10\.96\.\d+\.\d+$/);
  });

  it('a name that is left in stays, with a warning', async () => {
    await create('left-in', NAMED);
    const { status, headers, body } = await change('left-in', { type: 'ClusterIP' });
    expect(status).toBe(200);
    expect(body.spec).toMatchObject({ type: 'ClusterIP', externalName: 'a.example.com' });
    expect(headers.get('warning')).toBe(
      '299 - "spec.externalName is ignored when spec.type is not \\"ExternalName\\""',
    );
  });

  it('needs no ports, but what it becomes does', async () => {
    expect((await create('portless', { ...NAMED, ports: [] })).status).toBe(201);
    const answer = await change('portless', { type: 'ClusterIP', externalName: null });
    expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(answer)).toEqual(['spec.ports: Required value']);
    const headless = await change('portless', { type: 'ClusterIP', externalName: null, clusterIP: 'None' });
    expect(headless.status).toBe(200);
  });

  it.each([
    [{ clusterIP: 'None' }, ['spec.clusterIPs: Forbidden: may not be set for ExternalName services']],
    [
      { ipFamilies: ['IPv6'], ipFamilyPolicy: 'PreferDualStack' },
      [
        'spec.ipFamilies: Forbidden: may not be set for ExternalName services',
        'spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services',
      ],
    ],
    [{ externalName: null }, ['spec.externalName: Required value']],
    [{ externalName: '' }, ['spec.externalName: Required value']],
  ])('422 for an ExternalName by %j', async (spec, causes) => {
    await create('refused', {});
    const answer = await change('refused', { ...NAMED, ...spec });
    expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(answer)).toEqual(causes);
  });
}

function serviceNameContract(use: () => Client, paths: () => Paths): void {
  const { create } = servicesOf(use, paths);

  it('names have up to 63 characters', async () => {
    expect((await create('a'.repeat(63), {})).status).toBe(201);
  });

  it.each([
    ['64 characters', 'a'.repeat(64), 'must be no more than 63 characters'],
    ['a digit first', '1web', LABEL_1035],
    ['digits only', '80', LABEL_1035],
    ['a dot', 'web.west', LABEL_1035],
    ['a hyphen last', 'web-', LABEL_1035],
  ])('422 for a name with %s', async (_, name, problem) => {
    const answer = await create(name, {});
    expect(answer).toMatchObject(
      failure({ code: 422, reason: 'Invalid', details: expect.objectContaining({ name, kind: 'Service' }) }),
    );
    expect(answer.body.details.causes).toEqual([
      {
        reason: 'FieldValueInvalid',
        field: 'metadata.name',
        message: `Invalid value: "${name}": ${problem}`,
      },
    ]);
  });

  it('Endpoints and EndpointSlices may have such names', async () => {
    for (const name of ['1web', 'web.west', 'a'.repeat(253)]) {
      const slice = await use().create(paths().slices(), { metadata: { name }, addressType: 'IPv4' });
      const endpoints = await use().create(paths().endpoints(), { metadata: { name } });
      expect([slice.status, endpoints.status]).toEqual([201, 201]);
    }
  });
}
