// What stands in the way of a headless mirror, or of one pod of it.
import { describe, expect, it } from 'vitest';
import {
  decision,
  desiredHeadless,
  mirrorService,
  OURS,
  podEndpoints,
  podService,
  rootService,
  sourceOf,
} from '../support/model-builders.ts';
import { plan, shown, changeOf, standing, TWO, PODS } from './headless-plan.ts';

describe('planHeadless, what stands in the way', () => {
  const FOREIGN = { meta: { labels: {} } };
  const OF_ORDERS = {
    meta: { labels: { ...OURS, 'mirror.linkerd.io/headless-mirror-svc-name': 'orders-west' } },
  };
  const ORDERS = rootService({
    meta: { name: 'orders-west', annotations: desiredHeadless([]).service.annotations },
  });

  it('E3: a foreign Service at the name of the root: nothing is made at all', () => {
    const { changes, refusals } = plan({
      desired: desiredHeadless(PODS),
      source: sourceOf({ services: [rootService(FOREIGN)] }),
    });
    expect(changes).toEqual([]);
    expect(refusals).toMatchObject([{ namespace: 'shop', name: 'db', reason: 'NotOwned' }]);
  });

  it('E3: a foreign one at the name of the root stops a change of shape too', () => {
    const foreign = mirrorService({ meta: { name: 'db-west', labels: {} } });
    const { changes, refusals } = plan({
      desired: desiredHeadless(PODS),
      source: sourceOf({ services: [foreign] }),
    });
    expect(changes).toEqual([]);
    expect(refusals).toMatchObject([{ reason: 'NotOwned' }]);
  });

  it.each([
    ['E3: a foreign Service', { services: [podService('db-1', '10.96.0.11', FOREIGN)] }, 'NotOwned'],
    ['E4: foreign Endpoints', { foreignEndpoints: [podEndpoints('db-1', FOREIGN)] }, 'NotOwned'],
    [
      'an endpoint mirror of another root',
      { services: [podService('db-1', '10.96.0.11', OF_ORDERS)] },
      'NameConflict',
    ],
  ] as const)('%s at the name of a pod: the other pods are mirrored', (_name, objects, reason) => {
    const others = [decision('orders', { desired: { ...desiredHeadless([]), endpoints: 'unobserved' } })];
    const source = sourceOf({
      ...objects,
      services: [ORDERS, ...('services' in objects ? objects.services : [])],
    });
    const made = plan({ desired: desiredHeadless(PODS), source, others });
    expect(shown(made)).toEqual([
      '0 create Service db-west',
      '1 create Service db-0-west after',
      '1 create Endpoints db-0-west after',
      '2 create Endpoints db-west after',
    ]);
    expect(made.refusals).toMatchObject([{ namespace: 'shop', name: 'db', reason }]);
    expect(changeOf(made, 'Endpoints', 'db-west')).toMatchObject({
      body: { subsets: [{ addresses: [{ hostname: 'db-0' }] }] },
    });
  });

  it('E1: a Service that wants the name of a pod gets it, and the other pods are mirrored', () => {
    const made = plan({ desired: desiredHeadless(PODS), others: [decision('db-1')] });
    expect(shown(made)).toEqual([
      '0 create Service db-1-west',
      '0 create Endpoints db-1-west after',
      '0 create Service db-west',
      '1 create Service db-0-west after',
      '1 create Endpoints db-0-west after',
      '2 create Endpoints db-west after',
    ]);
    expect(made.refusals).toEqual([
      {
        namespace: 'shop',
        hostname: 'db-1',
        name: 'db',
        reason: 'NameConflict',
        message:
          'shop/db-1-west is wanted by the endpoint mirror of pod db-1 of Service shop/db and by the mirror of Service shop/db-1, which keeps it',
      },
    ]);
  });

  it('E1: a Service that comes later does not get the name of a pod', () => {
    const made = plan({
      desired: desiredHeadless(PODS),
      source: sourceOf(standing(TWO)),
      others: [decision('db-1')],
    });
    expect(made.changes).toEqual([]);
    expect(made.refusals).toMatchObject([{ name: 'db-1', reason: 'NameConflict' }]);
  });
});
