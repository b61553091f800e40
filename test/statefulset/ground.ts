// Two real clusters with the controllers that matter to headless Services at work, real StatefulSets, and a real CoreDNS.
import { realClock } from '../dns/clocks.ts';
import { type Ground, startGround } from '../gateway/coredns-ground.ts';
import { type TestApi, testApi } from '../support/api.ts';
import type { Lab } from '../support/lab.ts';
import { until } from '../support/until.ts';
import { type Kubelet, startKubelet } from './kubelet.ts';
import { openSets, type Sets } from './sets.ts';

/** In the source cluster they are what may delete or copy Endpoints behind our back, as in every real cluster. */
const SERVICE_CONTROLLERS = [
  'endpoints-controller',
  'endpointslice-controller',
  'garbage-collector-controller',
];

export interface SetGround extends Pick<Ground, 'publish' | 'lookUp' | 'close'> {
  /** Empty clusters, an empty zone, a lab whose runs ask CoreDNS, and StatefulSets for its target cluster. */
  open(): Promise<{ readonly lab: Lab; readonly sets: Sets }>;
}

/** Starts all of it once; about fifteen seconds. */
export const startSetGround = async (): Promise<SetGround> => {
  const ground = await startGround({
    sourceControllers: [...SERVICE_CONTROLLERS, 'endpointslice-mirroring-controller'],
    targetControllers: [...SERVICE_CONTROLLERS, 'statefulset-controller', 'namespace-controller'],
  });
  const api = testApi(ground.servers.target);
  const kubelet = await startKubelet(api);
  return {
    publish: (lines) => ground.publish(lines),
    lookUp: (name) => ground.lookUp(name),
    open: async () => {
      await removeSets(api, kubelet);
      const lab = await ground.open();
      // Who waits for controllers of the source cluster waits for programs, whom the lab's clock does not move.
      const sleep = async (ms: number): Promise<void> => {
        await realClock.sleep(ms);
        lab.clock.advance(ms / 1000);
      };
      Object.assign(lab.clock, { sleep });
      return { lab, sets: openSets(lab.target, kubelet) };
    },
    close: async () => {
      await api.close();
      await ground.close();
    },
  };
};

const removeSets = async (api: TestApi, kubelet: Kubelet): Promise<void> => {
  for (const { metadata } of await api.list('StatefulSet'))
    await api.remove('StatefulSet', metadata.namespace ?? '', metadata.name);
  await until('the pods of the former test are gone', async () => {
    await kubelet.killAll();
    return (await api.list('Pod')).length === 0;
  });
};
