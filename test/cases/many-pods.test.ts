// More pods than the Endpoints form can list: on embedded API servers alone, as thousands of objects come and go.
import { expect, it } from 'vitest';
import { embeddedBench } from '../support/embedded-bench.ts';
import { type Lab, refusalsOf, slicesOf } from '../support/lab.ts';
import { aHeadless, aPodSlice, everything, ordinals, type Pod, unready } from './headless.ts';
import { clusterIPsIn } from './seen.ts';
import { arrangeTarget, expectInSync, gatewayAt, type LabHandle, onBench } from './suite.ts';
import { watch } from './watcher.ts';

const TOO_MANY =
  'Service shop/db: 1001 pods: expected at most 1000 in the Endpoints form, as Kubernetes copies only the first 1000 addresses of a subset to EndpointSlices; set endpoints: endpointslices';

/** A slice holds at most a thousand endpoints. */
const arrangeMany = (lab: Lab, pods: readonly Pod[]): Promise<void> =>
  arrangeTarget(
    lab,
    [
      ['Service', aHeadless()],
      ['EndpointSlice', aPodSlice(pods.slice(0, 1000))],
      ['EndpointSlice', aPodSlice(pods.slice(1000), { name: 'db-fghij' })],
    ],
    gatewayAt('203.0.113.10'),
  );

const hostnamesIn = async (lab: Lab): Promise<readonly (readonly string[])[]> => {
  const slices = await slicesOf(lab.source, { namespace: 'shop', name: 'db-west' });
  return slices.map((slice) => {
    const endpoints: readonly Pod[] = slice['endpoints'];
    return endpoints.map(({ hostname = '' }) => hostname);
  });
};

const manyPodCases = (handle: LabHandle): void => {
  it('1,001 pods are refused in the Endpoints form, and nothing is made; one that is not ready does not count', async () => {
    const { lab } = handle;
    await arrangeMany(lab, ordinals(1001));
    const run = await lab.sync();
    expect(refusalsOf(run)).toEqual(['Unsupported shop/db']);
    expect(run.report.refusals[0]?.message).toBe(TOO_MANY);
    expect(run.writes).toEqual([]);
    expect(await everything(lab)).toEqual([]);
    await lab.target.patch('EndpointSlice', 'shop', 'db-fghij', {
      endpoints: unready(ordinals(1001).slice(1000)),
    });
    const { report } = await lab.plan();
    expect(report.refusals).toEqual([]);
    expect(report.changes).toHaveLength(2002);
  });

  it('1,001 pods in EndpointSlices: eleven slices of the root, of which one more pod rewrites one', async () => {
    const { lab } = handle;
    lab.setLink({ endpoints: 'endpointslices' });
    await arrangeMany(lab, ordinals(1001));
    const run = await lab.sync();
    expect(run.report.refusals).toEqual([]);
    expect(run.writes).toHaveLength(1001 * 2 + 12);
    const before = await hostnamesIn(lab);
    expect(before.map(({ length }) => length).toSorted((a, b) => a - b)).toEqual([1, ...Array(10).fill(100)]);
    expect(new Set(before.flat()).size).toBe(1001);
    await expectInSync(lab);
    const ips = await clusterIPsIn(lab.source);
    await lab.target.patch('EndpointSlice', 'shop', 'db-fghij', { endpoints: ordinals(1002).slice(1000) });
    const watcher = await watch(lab);
    const more = await lab.sync();
    expect(more.writes).toHaveLength(3);
    expect(watcher.faults()).toEqual([]);
    expect((await hostnamesIn(lab)).flat()).toHaveLength(1002);
    expect(await clusterIPsIn(lab.source)).toMatchObject(ips);
  });
};

onBench('on embedded API servers', embeddedBench(), manyPodCases);
