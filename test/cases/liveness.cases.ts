// Cases of the gateway's liveness (B), through the whole reconcile.
import { expect, it } from 'vitest';
import type { GatewayVerdict } from '../../lib/gateway/liveness-network.ts';
import { memoryProber, type MemoryProber } from '../probe/memory-prober.ts';
import { aGateway, aService, aSlice } from '../support/builders.ts';
import { endpointsOf, type Lab } from '../support/lab.ts';
import { arrangeTarget, type LabHandle } from './suite.ts';

const IP = '203.0.113.10';
const PROBE = { namespace: 'linkerd-multicluster', name: 'gateway-west' };

/** A link in sync with a gateway at one address that answers, and a prober in the test's hand. */
const inSync = async (lab: Lab, others: readonly GatewayVerdict[] = []): Promise<MemoryProber> => {
  const prober = memoryProber(lab.clock);
  prober.set(IP, 200);
  lab.probeWith({ prober, others: () => Promise.resolve(others) });
  lab.setLink({ probe: {}, gatewayMirror: 'addresses' });
  await arrangeTarget(
    lab,
    [
      ['Service', aService()],
      ['EndpointSlice', aSlice()],
    ],
    aGateway({ ingress: [{ ip: IP }] }),
  );
  await lab.sync();
  return prober;
};

const mirror = async (lab: Lab) => {
  const endpoints = await endpointsOf(lab.source);
  return endpoints === undefined ? undefined : { ready: endpoints.ready, notReady: endpoints.notReady };
};

export const livenessCases = (handle: LabHandle): void => {
  it('B1: a dead gateway makes every mirror not ready, new ones too, and the gateway mirror stays ready', async () => {
    const { lab } = handle;
    const prober = await inSync(lab);
    prober.set(IP, 'refused');
    expect((await lab.syncLater()).writes).toEqual(['PATCH Endpoints shop/web-west']);
    expect(await mirror(lab)).toEqual({ ready: [], notReady: [IP] });
    expect((await endpointsOf(lab.source, PROBE))?.ready).toEqual([IP]);
    await lab.target.create('Service', aService({ name: 'api' }));
    await lab.target.create('EndpointSlice', aSlice({ service: 'api' }));
    await lab.syncLater();
    expect(await endpointsOf(lab.source, { namespace: 'shop', name: 'api-west' })).toMatchObject({
      ready: [],
      notReady: [IP],
    });
    expect((await lab.syncLater()).writes).toEqual([]);
    prober.set(IP, 403);
    expect([...(await lab.syncLater()).writes].sort()).toEqual([
      'PATCH Endpoints shop/api-west',
      'PATCH Endpoints shop/web-west',
    ]);
    expect(await mirror(lab)).toEqual({ ready: [IP], notReady: [] });
  });

  it('B2: a run that remembers nothing of a healthy gateway writes nothing', async () => {
    const { lab } = handle;
    await inSync(lab);
    lab.forget();
    expect((await lab.syncLater()).writes).toEqual([]);
    expect(await mirror(lab)).toEqual({ ready: [IP], notReady: [] });
  });

  it('B2: failures below the threshold that nobody followed up change nothing', async () => {
    const { lab } = handle;
    const prober = await inSync(lab);
    lab.forget();
    prober.set(IP, 'refused', 'refused', 200);
    expect((await lab.syncLater()).writes).toEqual([]);
    expect(prober.dialled).toHaveLength(4);
  });

  it('B5: fail, fail, ok, fail, fail is no reason to flip; there never are two probes of one address at once', async () => {
    const { lab } = handle;
    const prober = await inSync(lab);
    prober.set(IP, 'refused', 'refused', 200, 'silent', 'refused', 200);
    expect((await lab.syncLater()).writes).toEqual([]);
    expect((await lab.syncLater()).writes).toEqual([]);
    expect(await mirror(lab)).toEqual({ ready: [IP], notReady: [] });
    expect(prober.mostInFlight(IP)).toBe(1);
  });

  it('B6: a gateway that flaps and ends dead leaves all mirrors not ready', async () => {
    const { lab } = handle;
    const prober = await inSync(lab);
    for (let flap = 0; flap < 10; flap += 1) {
      prober.set(IP, flap % 2 === 0 ? 'refused' : 200);
      await lab.syncLater();
    }
    prober.set(IP, 'refused');
    await lab.syncLater();
    expect(await mirror(lab)).toEqual({ ready: [], notReady: [IP] });
  });

  it('B7: while the target API is away and the gateway answers, nothing changes', async () => {
    const { lab } = handle;
    await inSync(lab);
    lab.targetFaults.add({ on: 'GET Namespace', fail: { kind: 'unreachable', when: 'before' } });
    for (let minute = 0; minute < 5; minute += 1) {
      const run = await lab.syncLater();
      expect(run.writes).toEqual([]);
      expect(run.report.unobserved.map(({ what }) => what)).toEqual(['target cluster']);
    }
    expect(await mirror(lab)).toEqual({ ready: [IP], notReady: [] });
    lab.targetFaults.clear();
    expect((await lab.syncLater()).writes).toEqual([]);
  });

  it('B1: all gateways silent at once is our own network: nothing changes, and a note says so', async () => {
    const { lab } = handle;
    const prober = await inSync(lab, [{ answered: false, deadSince: undefined }]);
    prober.set(IP, 'refused');
    const run = await lab.syncLater();
    expect(run.writes).toEqual([]);
    expect(run.report.notes).toContain(
      'liveness of the gateway: all 2 gateways failed at once: taken for our own network',
    );
    expect(await mirror(lab)).toEqual({ ready: [IP], notReady: [] });
  });

  it('a link that switches probing off gets its mirrors back ready', async () => {
    const { lab } = handle;
    const prober = await inSync(lab);
    prober.set(IP, 'refused');
    await lab.syncLater();
    lab.setLink({ probe: { off: true }, gatewayMirror: 'addresses' });
    expect((await lab.syncLater()).writes).toEqual(['PATCH Endpoints shop/web-west']);
    expect(await mirror(lab)).toEqual({ ready: [IP], notReady: [] });
  });
};
