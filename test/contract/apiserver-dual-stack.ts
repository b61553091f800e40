// Contract of Kubernetes API servers: Services and ServiceCIDRs of clusters with two ranges, with IPv6 first, and with IPv6 alone.
import { beforeAll, expect, it } from 'vitest';
import { causesOf, failure, pathsIn } from './apiserver-client.ts';
import type { Answer, Client, Paths } from './apiserver-client.ts';

const POLICY = (ipFamilyPolicy: string): object => ({ spec: { ipFamilyPolicy } });

/** On a server of its own with the ranges 10.98.0.0/24 and fd00:98::/112. */
export function dualStackContract(use: () => Client): void {
  const { paths, create } = servicesIn('dual', use);

  it('gives one address unless asked for both', async () => {
    const single = await create('single', {});
    expect(single.body.spec).toMatchObject({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
    const both = await create('both', { ipFamilyPolicy: 'PreferDualStack' });
    expect(both.body.spec).toMatchObject({
      ipFamilies: ['IPv4', 'IPv6'],
      clusterIPs: [
        expect.stringMatching(/^10\.98\.0\.\d+$/),
        expect.stringMatching(/^fd00:98::[0-9a-f]{1,4}$/),
      ],
    });
    expect(both.body.spec.clusterIP).toBe(both.body.spec.clusterIPs[0]);
  });

  it('takes the order of families that is asked for, of one as of two', async () => {
    const two = await create('six-first', {
      ipFamilyPolicy: 'RequireDualStack',
      ipFamilies: ['IPv6', 'IPv4'],
    });
    expect(two.body.spec.clusterIP).toMatch(/^fd00:98::/);
    const one = await create('six-preferred', { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv6'] });
    expect(one.body.spec).toMatchObject({
      ipFamilies: ['IPv6', 'IPv4'],
      clusterIPs: [expect.stringMatching(/^fd00:98::/), expect.stringMatching(/^10\.98\.0\.\d+$/)],
    });
    const alone = await create('six-alone', { ipFamilies: ['IPv6'] });
    expect(alone.body.spec).toMatchObject({ ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' });
    expect(alone.body.spec.clusterIPs).toEqual([expect.stringMatching(/^fd00:98::/)]);
  });

  it.each(['PreferDualStack', 'RequireDualStack'])(
    'adds the second address for %s, says so at once, and takes it away again',
    async (policy) => {
      const name = policy.toLowerCase();
      const { body } = await create(name, {});
      const grown = await use().merge(paths().services(name), POLICY(policy));
      expect(grown.status).toBe(200);
      expect(grown.body.spec).toMatchObject({
        clusterIP: body.spec.clusterIP,
        clusterIPs: [body.spec.clusterIP, expect.stringMatching(/^fd00:98::[0-9a-f]{1,4}$/)],
        ipFamilies: ['IPv4', 'IPv6'],
        ipFamilyPolicy: policy,
      });
      expect((await use().get(paths().services(name))).body).toEqual(grown.body);
      const shrunk = await use().merge(paths().services(name), POLICY('SingleStack'));
      expect(shrunk.body.spec).toMatchObject({
        clusterIP: body.spec.clusterIP,
        clusterIPs: [body.spec.clusterIP],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
      });
    },
  );

  it('gives the second address back when it is taken away', async () => {
    await create('lender', {
      ipFamilyPolicy: 'RequireDualStack',
      clusterIP: '10.98.0.30',
      clusterIPs: ['10.98.0.30', 'fd00:98::30'],
    });
    await use().merge(paths().services('lender'), POLICY('SingleStack'));
    const heir = await create('heir', { ipFamilies: ['IPv6'], clusterIP: 'fd00:98::30' });
    expect(heir.status).toBe(201);
  });

  it('keeps the second address when the policy is left out, and while families alone are taken away', async () => {
    const { body } = await create('kept', { ipFamilyPolicy: 'PreferDualStack' });
    const path = paths().services('kept');
    const without = await use().merge(path, { spec: { ipFamilyPolicy: null, ipFamilies: null } });
    expect(without.body.spec).toEqual(body.spec);
    const fewer = await use().merge(path, { spec: { ipFamilies: ['IPv4'] } });
    expect(fewer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(fewer)).toEqual([
      'spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be \'SingleStack\' to release the secondary IP family',
    ]);
  });

  it('422 for another first family later on', async () => {
    const { body } = await create('fixed', { ipFamilyPolicy: 'PreferDualStack' });
    const [four, six] = body.spec.clusterIPs;
    const answer = await use().merge(paths().services('fixed'), { spec: { ipFamilies: ['IPv6', 'IPv4'] } });
    expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(answer)).toEqual([
      `spec.clusterIPs[0]: Invalid value: "${four}": expected an IPv6 value as indicated by \`ipFamilies[0]\``,
      `spec.clusterIPs[1]: Invalid value: "${six}": expected an IPv4 value as indicated by \`ipFamilies[1]\``,
    ]);
  });

  it('422 for two families without a policy', async () => {
    const answer = await create('unsaid', { ipFamilies: ['IPv4', 'IPv6'] });
    expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(answer)).toEqual([
      "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
    ]);
  });

  it('headless: the policies as on one range', async () => {
    const plain = await create('headless', { clusterIP: 'None' });
    expect(plain.body.spec).toMatchObject({
      clusterIPs: ['None'],
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    });
    const selecting = await create('selecting', { clusterIP: 'None', selector: { app: 'a' } });
    expect(selecting.body.spec).toMatchObject({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
  });

  it('knows the policy as the field of who wrote it, and families and addresses as nobody’s', async () => {
    const created = await create('created', { ipFamilyPolicy: 'PreferDualStack' });
    expect(specFieldsOf(created)).toContain('f:ipFamilyPolicy');
    const plain = await create('upgraded', {});
    expect(specFieldsOf(plain)).not.toContain('f:ipFamilyPolicy');
    const upgraded = await use().merge(paths().services('upgraded'), POLICY('PreferDualStack'));
    expect(specFieldsOf(upgraded)).toEqual([
      'f:internalTrafficPolicy',
      'f:ipFamilyPolicy',
      'f:ports',
      'f:sessionAffinity',
      'f:type',
    ]);
  });

  it('becomes an ExternalName with both addresses gone, and one family when it comes back', async () => {
    await create('turning', { ipFamilyPolicy: 'PreferDualStack' });
    const path = paths().services('turning');
    const named = await use().merge(path, { spec: { type: 'ExternalName', externalName: 'a.example.com' } });
    expect(Object.keys(named.body.spec).toSorted()).toEqual([
      'externalName',
      'ports',
      'sessionAffinity',
      'type',
    ]);
    const back = await use().merge(path, { spec: { type: 'ClusterIP', externalName: null } });
    expect(back.body.spec).toMatchObject({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
  });

  it('422 for two addresses of one family', async () => {
    const answer = await create('twins', {
      ipFamilyPolicy: 'RequireDualStack',
      clusterIP: '10.98.0.20',
      clusterIPs: ['10.98.0.20', '10.98.0.21'],
    });
    expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(answer)).toContain(
      'spec.clusterIPs: Invalid value: ["10.98.0.20","10.98.0.21"]: may specify no more than one IP for each IP family',
    );
  });

  it('lists one ServiceCIDR with both ranges', async () => {
    expect(await rangesOf(use())).toEqual({ kubernetes: ['10.98.0.0/24', 'fd00:98::/112'] });
    expect(await apiService(use())).toMatchObject({
      clusterIPs: ['10.98.0.1'],
      ipFamilyPolicy: 'SingleStack',
    });
  });
}

/** On a server of its own with the ranges fd00:99::/112 and 10.99.0.0/24. */
export function sixFirstContract(use: () => Client): void {
  const { create } = servicesIn('six-first', use);

  it('gives IPv6 first unless asked for IPv4', async () => {
    const single = await create('single', {});
    expect(single.body.spec).toMatchObject({ ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' });
    const both = await create('both', { ipFamilyPolicy: 'PreferDualStack' });
    expect(both.body.spec).toMatchObject({
      ipFamilies: ['IPv6', 'IPv4'],
      clusterIPs: [expect.stringMatching(/^fd00:99::/), expect.stringMatching(/^10\.99\.0\.\d+$/)],
    });
    const four = await create('four', { ipFamilies: ['IPv4'] });
    expect(four.body.spec.clusterIPs).toEqual([expect.stringMatching(/^10\.99\.0\.\d+$/)]);
  });

  it('headless without selector: IPv6 first', async () => {
    const { body } = await create('headless', { clusterIP: 'None' });
    expect(body.spec).toMatchObject({ ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'RequireDualStack' });
  });

  it('lists one ServiceCIDR with both ranges in order', async () => {
    expect(await rangesOf(use())).toEqual({ kubernetes: ['fd00:99::/112', '10.99.0.0/24'] });
    expect(await apiService(use())).toMatchObject({
      clusterIPs: ['fd00:99::1'],
      ipFamilyPolicy: 'SingleStack',
    });
  });
}

/** On a server of its own with the range fd00:97::/112. */
export function sixOnlyContract(use: () => Client): void {
  const { create } = servicesIn('six-only', use);

  it('gives IPv6 alone, also to who prefers both', async () => {
    const single = await create('single', {});
    expect(single.body.spec).toMatchObject({
      clusterIPs: [expect.stringMatching(/^fd00:97::[0-9a-f]{1,4}$/)],
      ipFamilies: ['IPv6'],
      ipFamilyPolicy: 'SingleStack',
    });
    const preferring = await create('preferring', { ipFamilyPolicy: 'PreferDualStack' });
    expect(preferring.body.spec).toMatchObject({
      clusterIPs: [expect.stringMatching(/^fd00:97::/)],
      ipFamilies: ['IPv6'],
      ipFamilyPolicy: 'PreferDualStack',
    });
  });

  it('headless without selector: both families, IPv6 first', async () => {
    const { body } = await create('headless', { clusterIP: 'None' });
    expect(body.spec).toMatchObject({ ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'RequireDualStack' });
  });

  it.each([
    [
      'IPv4',
      { ipFamilies: ['IPv4'] },
      'spec.ipFamilies[0]: Invalid value: "IPv4": not configured on this cluster',
    ],
    [
      'both families',
      { ipFamilyPolicy: 'RequireDualStack' },
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    ],
    [
      'an IPv4 address',
      { clusterIP: '10.97.0.9' },
      'spec.clusterIPs[0]: Invalid value: ["10.97.0.9"]: IPv4 is not configured on this cluster',
    ],
  ])('422 for %s', async (_, spec, cause) => {
    const answer = await create('refused', spec);
    expect(answer).toMatchObject(failure({ code: 422, reason: 'Invalid' }));
    expect(causesOf(answer)).toEqual([cause]);
  });

  it('lists one ServiceCIDR', async () => {
    expect(await rangesOf(use())).toEqual({ kubernetes: ['fd00:97::/112'] });
    expect(await apiService(use())).toMatchObject({
      clusterIPs: ['fd00:97::1'],
      ipFamilyPolicy: 'SingleStack',
    });
  });
}

function servicesIn(namespace: string, use: () => Client) {
  let paths: Paths;
  beforeAll(async () => {
    paths = pathsIn(await use().namespace(namespace));
  });
  return {
    paths: (): Paths => paths,
    create: (name: string, spec: object): Promise<Answer> =>
      use().create(paths.services(), { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } }),
  };
}

/** The fields of spec that the one writer of these tests owns. */
const specFieldsOf = ({ body }: Answer): string[] =>
  Object.keys(body.metadata.managedFields[0].fieldsV1['f:spec']).toSorted();

/** The ranges of every ServiceCIDR by its name. */
async function rangesOf(client: Client): Promise<Record<string, string[]>> {
  const { body } = await client.get('/apis/networking.k8s.io/v1/servicecidrs');
  const items: { metadata: { name: string }; spec: { cidrs: string[] } }[] = body.items;
  return Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, spec.cidrs]));
}

/** The spec of the Service of the API: it has one address, of the first range, whatever the cluster can. */
const apiService = async (client: Client): Promise<object> =>
  (await client.get('/api/v1/namespaces/default/services/kubernetes')).body.spec;
