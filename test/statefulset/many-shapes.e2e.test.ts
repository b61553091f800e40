// Many Services change their shape in one reconcile, while the source cluster's own controllers are busy with those that are deleted.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { arrangeTarget, expectInSync, gatewayAt } from '../cases/suite.ts';
import type { KubeObject } from '../support/api.ts';
import { aMirror, aMirrorEndpoints, aService, aSlice } from '../support/builders.ts';
import type { Lab } from '../support/lab.ts';
import { until } from '../support/until.ts';
import { type SetGround, startSetGround } from './ground.ts';
import { clusterIPsOf, rootOf } from './readers.ts';
import { NAMESPACE } from './sets.ts';

/** So many that the endpoints controller, which may write 20 times a second, falls behind the reconcile. */
const NAMES: readonly string[] = Array.from({ length: 60 }, (_, index) => `db${index}`);

let ground: SetGround;
let lab: Lab;
beforeAll(async () => {
  ground = await startSetGround();
});
beforeEach(async () => {
  ({ lab } = await ground.open());
});
afterEach(() => lab?.close());
afterAll(() => ground?.close());

const serviceOf = (name: string, spec: object): KubeObject => aService({ name, namespace: NAMESPACE, spec });

/** One pod with a name, `db7-0`. */
const sliceOf = (name: string): KubeObject => ({
  ...aSlice({ service: name, namespace: NAMESPACE }),
  endpoints: [{ addresses: ['10.1.0.1'], hostname: `${name}-0`, conditions: { ready: true } }],
});

/**
 * Waits until the endpoints controller has done what it had to do: it works in order, and what comes last is to take away the
 * Endpoints of one more deleted Service.
 */
const controllerIsIdle = async (): Promise<void> => {
  const given = { name: 'last-in-line', namespace: NAMESPACE, labels: {} };
  await lab.source.create('Service', aMirror(given));
  await lab.source.create('Endpoints', aMirrorEndpoints(given));
  await lab.source.remove('Service', NAMESPACE, given.name);
  await until('the endpoints controller is idle', async () => {
    return (await lab.source.read('Endpoints', NAMESPACE, given.name)) === undefined;
  });
};

describe('sixty Services that become headless at once', () => {
  it('D14: each has the endpoints of its new shape, and keeps them', async () => {
    const objects = NAMES.flatMap((name) => [
      ['Service', serviceOf(name, {})] as const,
      ['EndpointSlice', sliceOf(name)] as const,
    ]);
    await arrangeTarget(lab, objects, gatewayAt('203.0.113.10'));
    await lab.sync();
    await controllerIsIdle();

    for (const name of NAMES) {
      await lab.target.remove('Service', NAMESPACE, name);
      await lab.target.create('Service', serviceOf(name, { clusterIP: 'None' }));
    }
    await lab.sync();
    await controllerIsIdle();
    const clusterIPs = await clusterIPsOf(lab);
    const roots = await Promise.all(NAMES.map((name) => rootOf(lab, `${name}-west`)));
    expect(roots).toEqual(NAMES.map((name) => ({ [`${name}-0`]: clusterIPs[`${name}-0-west`] })));
    await expectInSync(lab);
  });
});
