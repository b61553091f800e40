// The engine of lib/gateway for one link with one name, as the simulations drive it.
import { drawJitter, SETTINGS } from '../../lib/gateway/settings.ts';
import { nameKey, stepGateway } from '../../lib/gateway/state.ts';
import { EMPTY_GATEWAY_STATE, type GatewayState } from '../../lib/model/gateway.ts';
import type { Answer } from '../../lib/ports.ts';
import type { Engine } from './course.ts';
import type { Random } from './random.ts';

const HOSTNAME = 'gateway-0123456789abcdef.elb.eu-central-1.amazonaws.com';

const RULES = {
  allowedCIDRs: [],
  serviceRanges: ['10.100.0.0/16'],
  serviceAddresses: new Set<string>(),
  apiServers: new Set<string>(),
};

/** One answer into the state of a link with this one name. */
export const stepOnce = (state: GatewayState, answer: Answer, now: number, random: Random) =>
  stepGateway({
    state,
    declaration: {
      key: { namespace: 'linkerd-multicluster', name: 'linkerd-gateway' },
      hostnames: [HOSTNAME],
      literals: [],
      createdAt: undefined,
      refusals: [],
    },
    answers: new Map([[nameKey(HOSTNAME, 'IPv4'), answer]]),
    families: ['IPv4'],
    rules: RULES,
    seeds: [],
    firstLookDelay: 0,
    now,
    settings: SETTINGS,
    jitter: drawJitter(random()),
  });

export const linkEngine = (random: Random): Engine => {
  let state = EMPTY_GATEWAY_STATE;
  return {
    hear(answer, now) {
      const result = stepOnce(state, answer, now, random);
      state = result.state;
      return Promise.resolve({
        addresses: result.addresses,
        nextCheckAt: state.records[0]?.nextCheckAt ?? now,
      });
    },
  };
};
