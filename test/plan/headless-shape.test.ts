// A mirror that becomes headless, or is headless no more.
import { describe, expect, it } from 'vitest';
import {
  desiredHeadless,
  desiredMirror,
  desiredPod,
  desiredService,
  mirrorEndpoints,
  mirrorService,
  podEndpoints,
  podService,
  rootEndpoints,
  rootService,
  sourceOf,
} from '../support/model-builders.ts';
import { changeOf, clusterIPOf, PG, plan, shown, standing, ONE, TWO, type Given } from './headless-plan.ts';

describe('planHeadless, another shape', () => {
  const GATEWAY_LIST = mirrorEndpoints({
    meta: {
      name: 'db-west',
      annotations: {
        'mirror.linkerd.io/remote-svc-fq-name': 'db.shop.svc.cluster.local',
        'mirror.linkerd.io/remote-gateway-identity': 'gw.id',
      },
    },
  });
  const ADDRESS = sourceOf({
    services: [
      mirrorService({ clusterIP: '10.96.0.7', clusterIPs: ['10.96.0.7'], meta: { name: 'db-west' } }),
    ],
    endpoints: [GATEWAY_LIST],
  });
  const PLAIN = desiredMirror();
  const UNCOPIED = expect.stringContaining('nothing copies our Endpoints');

  it('D14: ClusterIP → headless: the pods first, then as little as possible between the two Services', () => {
    const made = plan({ desired: desiredHeadless([desiredPod('db-0')]), source: ADDRESS });
    expect(shown(made)).toEqual([
      '1 create Service db-0-west after',
      '1 create Endpoints db-0-west after',
      '2 delete Endpoints db-west after',
      '2 delete Service db-west after',
      '2 create Service db-west after',
      '2 create Endpoints db-west after',
    ]);
    expect(made.changes.slice(2).map(({ reasons }) => reasons)).toEqual([
      ['shape: ClusterIP → headless'],
      ['shape: ClusterIP → headless; the ClusterIP 10.96.0.7 is lost'],
      ['shape: ClusterIP → headless'],
      ['ClusterIP of db-0-west (IPv4) (db-0) on pg:5432/TCP'],
    ]);
    expect(made.notes).toEqual([
      'shop/db-west is deleted and made again (ClusterIP → headless): the ClusterIP 10.96.0.7 is lost',
      UNCOPIED,
    ]);
  });

  it('D14: headless → ClusterIP: the Service at once, the endpoint mirrors last', () => {
    const made = plan({ desired: PLAIN, source: sourceOf(standing(ONE)) });
    expect(shown(made)).toEqual([
      '0 delete Endpoints db-west after',
      '0 delete Service db-west after',
      '0 create Service db-west after',
      '0 create Endpoints db-west after',
      '3 delete Endpoints db-0-west after',
      '3 delete Service db-0-west after',
    ]);
    expect(made.changes.map(({ reasons }) => reasons)).toEqual([
      ['shape: headless → ClusterIP'],
      ['shape: headless → ClusterIP'],
      ['shape: headless → ClusterIP'],
      ['203.0.113.1 on http:4143/TCP'],
      ['shop/db-west is not headless'],
      ['shop/db-west is not headless; the ClusterIP 10.96.0.10 is lost'],
    ]);
    expect(made.changes[0]).toMatchObject({ uid: 'uid-of-db-west', resourceVersion: '7' });
    expect(made.notes).toEqual(['shop/db-west is deleted and made again (headless → ClusterIP)', UNCOPIED]);
  });

  it('D14: what a run that stopped half-way left: the list of the other shape goes before the Service comes', () => {
    const listOnly = sourceOf({ endpoints: [GATEWAY_LIST] });
    const made = plan({ desired: desiredHeadless([desiredPod('db-0')]), source: listOnly });
    expect(shown(made).slice(2)).toEqual([
      '2 delete Endpoints db-west after',
      '2 create Service db-west after',
      '2 create Endpoints db-west after',
    ]);
    expect(made.notes).toEqual([UNCOPIED]);
    const rootList = sourceOf({ endpoints: [rootEndpoints(ONE)] });
    expect(shown(plan({ desired: PLAIN, source: rootList }))).toEqual([
      '0 delete Endpoints db-west after',
      '0 create Service db-west after',
      '0 create Endpoints db-west after',
    ]);
  });

  it('D14: endpoint mirrors that a run left behind go once the mirror has its shape', () => {
    const made = plan({
      desired: desiredMirror({ service: desiredService(), endpoints: 'none' }),
      source: sourceOf({
        services: [mirrorService({ meta: { name: 'db-west' } }), podService('db-0', '10.96.0.10')],
        endpoints: [podEndpoints('db-0')],
      }),
    });
    expect(shown(made)).toEqual(['3 delete Endpoints db-0-west after', '3 delete Service db-0-west after']);
  });

  it.each<[string, Given, readonly string[]]>([
    [
      'ClusterIP → headless: only the pods are prepared',
      { desired: desiredHeadless([desiredPod('db-0')]), source: ADDRESS },
      ['1 create Service db-0-west after', '1 create Endpoints db-0-west after'],
    ],
    ['headless → ClusterIP: nothing', { desired: PLAIN, source: sourceOf(standing(ONE)) }, []],
    [
      'a pod less: only the root',
      { desired: desiredHeadless([desiredPod('db-0')]), source: sourceOf(standing(TWO)) },
      ['2 update Endpoints db-west'],
    ],
  ])('E8: while not everything was seen nothing is deleted: %s', (_name, given, expected) => {
    const made = plan({ ...given, isUnobserved: true });
    expect(shown(made)).toEqual(expected);
    expect(made.refusals).toEqual([]);
  });

  it('E8: as long as it is not known what the new list says, the former shape stays whole', () => {
    const unknown = desiredMirror({ endpoints: 'unobserved' });
    expect(plan({ desired: unknown, source: sourceOf(standing(ONE)) }).changes).toEqual([]);
    const headless = { ...desiredHeadless([]), endpoints: 'unobserved' } as const;
    expect(plan({ desired: headless, source: ADDRESS }).changes).toEqual([]);
  });

  it('D14, E3: endpoint mirrors stay while somebody else has the name of the mirror', () => {
    const foreign = mirrorService({ meta: { name: 'db-west', labels: {} } });
    const source = sourceOf({
      services: [foreign, podService('db-0', '10.96.0.10')],
      endpoints: [podEndpoints('db-0')],
    });
    const made = plan({ desired: PLAIN, source });
    expect(made.changes).toEqual([]);
    expect(made.refusals).toMatchObject([{ reason: 'NotOwned' }]);
  });

  it('D14: an endpoint mirror without an address is made again, and the root lists the one it gets', () => {
    const source = sourceOf({
      services: [rootService(), podService('db-0', 'None')],
      endpoints: [rootEndpoints({}), podEndpoints('db-0')],
    });
    const desired = desiredHeadless([desiredPod('db-0')]);
    const made = plan({ desired, source });
    expect(shown(made)).toEqual([
      '1 delete Endpoints db-0-west after',
      '1 delete Service db-0-west after',
      '1 create Service db-0-west after',
      '1 create Endpoints db-0-west after',
      '2 update Endpoints db-west',
    ]);
    expect(changeOf(made, 'Endpoints', 'db-west')).toMatchObject({
      patch: { subsets: [{ addresses: [{ ip: clusterIPOf('db-0'), hostname: 'db-0' }], ports: [PG] }] },
    });
    expect(plan({ desired, source, isUnobserved: true }).changes).toEqual([]);
  });
});
