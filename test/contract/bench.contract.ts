// The contract of benches with other Service ranges: what case suites in dual stack, and with IPv6 first or alone, stand on.
import { expect, it } from 'vitest';
import { type Bench, type BenchOptions, type LabHandle, onBench } from '../cases/suite.ts';
import { type KubeObject, testApi } from '../support/api.ts';
import { type ClusterName, slicesOf } from '../support/lab.ts';
import { until } from '../support/until.ts';

interface Case {
  readonly sourceRange: string;
  /** Of what a Service gets that prefers both families. */
  readonly addresses: readonly RegExp[];
  readonly families: readonly string[];
}

const CASES: readonly Case[] = [
  {
    sourceRange: '10.96.0.0/16,fd00:96::/108',
    addresses: [/^10\.96\./, /^fd00:96::/],
    families: ['IPv4', 'IPv6'],
  },
  {
    sourceRange: 'fd00:96::/108,10.96.0.0/16',
    addresses: [/^fd00:96::/, /^10\.96\./],
    families: ['IPv6', 'IPv4'],
  },
  { sourceRange: 'fd00:96::/108', addresses: [/^fd00:96::/], families: ['IPv6'] },
];

const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'shop', name: 'web-west' },
  spec: { ipFamilyPolicy: 'PreferDualStack', ports: [{ port: 80 }] },
};
const ENDPOINTS = {
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { namespace: 'shop', name: 'web-west' },
  subsets: [{ addresses: [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }], ports: [{ port: 4143 }] }],
};

/** @param open makes the bench of one case */
export function benchContract(name: string, open: (options: BenchOptions) => Bench): void {
  for (const expected of CASES) {
    const { sourceRange } = expected;
    onBench(`${name}, with ${sourceRange} in the source cluster`, open({ sourceRange }), (handle) =>
      rangeContract(handle, expected),
    );
  }
}

function rangeContract(handle: LabHandle, { sourceRange, addresses, families }: Case): void {
  it('the source cluster has the ranges, and the target cluster one of its own', async () => {
    expect(await rangesOf(handle, 'source')).toEqual([sourceRange.split(',')]);
    expect(await rangesOf(handle, 'target')).toEqual([['10.97.0.0/16']]);
  });

  it('a Service of the source cluster gets an address of each', async () => {
    const { spec } = await handle.lab.source.create('Service', SERVICE);
    expect(spec).toMatchObject({ ipFamilies: families, clusterIPs: addresses.map(matching) });
  });

  it('a run reaches both clusters', async () => {
    const { report } = await handle.lab.sync();
    expect({ unobserved: report.unobserved, changes: report.changes }).toEqual({
      unobserved: [],
      changes: [],
    });
  });

  handle.mirrored(() => {
    it('the ranges are the same, and copies are of both families', async () => {
      const { source } = handle.lab;
      const { spec } = await source.create('Service', SERVICE);
      expect(spec).toMatchObject({ ipFamilies: families, clusterIPs: addresses.map(matching) });
      await source.create('Endpoints', ENDPOINTS);
      await until('two copies', async () => (await slicesOf(source)).length === 2);
      const types = (await slicesOf(source)).map(({ addressType }) => String(addressType));
      expect(types.toSorted()).toEqual(['IPv4', 'IPv6']);
    });
  });
}

async function rangesOf({ lab }: LabHandle, name: ClusterName): Promise<string[][]> {
  const api = testApi(lab.servers[name]);
  const answer = await api.call('GET', '/apis/networking.k8s.io/v1/servicecidrs');
  await api.close();
  return answer['items'].map(({ spec }: KubeObject) => spec.cidrs);
}

const matching = (address: RegExp): unknown => expect.stringMatching(address);
