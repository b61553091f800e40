// The changes of a headless mirror, stage by stage.
import { describe, expect, it } from 'vitest';
import {
  decision,
  desiredEndpoints,
  desiredHeadless,
  desiredPod,
  OF_DB,
  OURS,
  ourSlice,
  podEndpoint,
  podEndpoints,
  podService,
  rootEndpoints,
  rootService,
  sourceOf,
} from '../support/model-builders.ts';
import { plan, shown, changeOf, PG, clusterIPOf, standing, ONE, TWO, PODS } from './headless-plan.ts';

const NOT_LISTED = [desiredPod('db-0'), desiredPod('db-1', { isListed: false })];

describe('planHeadless, pods', () => {
  it('D1: a cold mirror: the root, the pods side by side, then what the root lists', () => {
    const made = plan({ desired: desiredHeadless(PODS) });
    expect(shown(made)).toEqual([
      '0 create Service db-west',
      '1 create Service db-0-west after',
      '1 create Endpoints db-0-west after',
      '1 create Service db-1-west after',
      '1 create Endpoints db-1-west after',
      '2 create Endpoints db-west after',
    ]);
    expect(made.changes.map(({ mirror, part }) => [mirror.name, part?.name])).toEqual([
      ['db-west', undefined],
      ['db-west', 'db-0-west'],
      ['db-west', 'db-0-west'],
      ['db-west', 'db-1-west'],
      ['db-west', 'db-1-west'],
      ['db-west', undefined],
    ]);
    expect(changeOf(made, 'Service', 'db-west')).toMatchObject({
      body: { metadata: { labels: OURS }, spec: { clusterIP: 'None' } },
    });
    expect(changeOf(made, 'Service', 'db-0-west')).toMatchObject({ body: { metadata: { labels: OF_DB } } });
    expect(changeOf(made, 'Service', 'db-0-west')).not.toMatchObject({
      body: { spec: { clusterIP: 'None' } },
    });
    expect(changeOf(made, 'Endpoints', 'db-1-west')).toMatchObject({
      body: { subsets: [{ addresses: [{ ip: '203.0.113.1' }], ports: [{ ...PG, port: 4143 }] }] },
    });
    expect(changeOf(made, 'Endpoints', 'db-west')).toMatchObject({
      reasons: ['ClusterIP of db-0-west (IPv4) (db-0), ClusterIP of db-1-west (IPv4) (db-1) on pg:5432/TCP'],
      body: {
        subsets: [
          {
            addresses: [
              { ip: clusterIPOf('db-0'), hostname: 'db-0' },
              { ip: clusterIPOf('db-1'), hostname: 'db-1' },
            ],
            ports: [PG],
          },
        ],
      },
    });
  });

  it('C4: the same in slices', () => {
    const made = plan({
      desired: desiredHeadless([desiredPod('db-0')]),
      link: { endpoints: 'endpointslices' },
    });
    expect(shown(made)).toEqual([
      '0 create Service db-west',
      '1 create Service db-0-west after',
      '1 create EndpointSlice db-0-west-76a79620-v4-0 after',
      '2 create EndpointSlice db-west-76a79620-v4-0 after',
    ]);
    expect(changeOf(made, 'EndpointSlice', 'db-west-76a79620-v4-0')).toMatchObject({
      ownedBy: { name: 'db-west', uid: undefined },
      body: { endpoints: [{ addresses: [clusterIPOf('db-0')], hostname: 'db-0' }], ports: [PG] },
    });
    expect(changeOf(made, 'EndpointSlice', 'db-0-west-76a79620-v4-0')).toMatchObject({
      ownedBy: { name: 'db-0-west', uid: undefined },
    });
  });

  it('K1, D4, D5: a mirror in sync needs nothing', () => {
    expect(plan({ desired: desiredHeadless(PODS), source: sourceOf(standing(TWO)) }).changes).toEqual([]);
  });

  it('D1: a pod more: its endpoint mirror, then the root; those of the others stay', () => {
    const made = plan({ desired: desiredHeadless(PODS), source: sourceOf(standing(ONE)) });
    expect(shown(made)).toEqual([
      '1 create Service db-1-west after',
      '1 create Endpoints db-1-west after',
      '2 update Endpoints db-west',
    ]);
    expect(changeOf(made, 'Endpoints', 'db-west')).toMatchObject({
      reasons: [
        'addresses: 10.96.0.10 (db-0) on pg:5432/TCP → 10.96.0.10 (db-0), ClusterIP of db-1-west (IPv4) (db-1) on pg:5432/TCP',
      ],
      patch: {
        subsets: [
          {
            addresses: [
              { ip: '10.96.0.10', hostname: 'db-0' },
              { ip: clusterIPOf('db-1'), hostname: 'db-1' },
            ],
            ports: [PG],
          },
        ],
      },
    });
  });

  it('D1: a pod less: first the root, then its endpoint mirror', () => {
    const made = plan({ desired: desiredHeadless([desiredPod('db-0')]), source: sourceOf(standing(TWO)) });
    expect(shown(made)).toEqual([
      '2 update Endpoints db-west',
      '3 delete Endpoints db-1-west after',
      '3 delete Service db-1-west after',
    ]);
    expect(changeOf(made, 'Endpoints', 'db-west')).toMatchObject({
      patch: { subsets: [{ addresses: [{ ip: '10.96.0.10', hostname: 'db-0' }], ports: [PG] }] },
    });
    expect(changeOf(made, 'Service', 'db-1-west')?.reasons).toEqual([
      'its pod is gone; the ClusterIP 10.96.0.11 is lost',
    ]);
  });

  it('D1: a pod less with a grace: first the root, then it is emptied', () => {
    const link = { endpointMirrorGrace: 60 };
    const source = sourceOf(standing(TWO));
    expect(shown(plan({ desired: desiredHeadless([desiredPod('db-0')]), source, link }))).toEqual([
      '2 update Endpoints db-west',
      '3 update Endpoints db-1-west after',
    ]);
  });

  it('D15: a pod that is not ready any more: first the root, then it is emptied and kept', () => {
    const made = plan({ desired: desiredHeadless(NOT_LISTED), source: sourceOf(standing(TWO)) });
    expect(shown(made)).toEqual(['2 update Endpoints db-west', '3 update Endpoints db-1-west after']);
    expect(changeOf(made, 'Endpoints', 'db-1-west')).toMatchObject({ patch: { subsets: [] } });
  });

  it('D15: a pod that was never ready has no endpoint mirror', () => {
    expect(plan({ desired: desiredHeadless(NOT_LISTED), source: sourceOf(standing(ONE)) }).changes).toEqual(
      [],
    );
  });

  it('D15: a pod that is ready again: first it is filled, then the root lists it', () => {
    const source = sourceOf({
      services: [rootService(), podService('db-0', '10.96.0.10'), podService('db-1', '10.96.0.11')],
      endpoints: [rootEndpoints(ONE), podEndpoints('db-0'), podEndpoints('db-1', { subsets: [] })],
    });
    const made = plan({ desired: desiredHeadless(PODS), source });
    expect(shown(made)).toEqual(['1 update Endpoints db-1-west', '2 update Endpoints db-west']);
    expect(changeOf(made, 'Endpoints', 'db-west')).toMatchObject({
      patch: {
        subsets: [
          {
            addresses: [
              { hostname: 'db-0' },
              { ip: { ip: '10.96.0.11', clusterIPOf: {} }, hostname: 'db-1' },
            ],
          },
        ],
      },
    });
  });

  it('D15: with no pod that is ready the root lists nobody', () => {
    const desired = desiredHeadless([desiredPod('db-0', { isListed: false })]);
    const made = plan({ desired, source: sourceOf(standing(ONE)) });
    expect(shown(made)).toEqual(['2 update Endpoints db-west', '3 update Endpoints db-0-west after']);
    expect(changeOf(made, 'Endpoints', 'db-west')).toMatchObject({ patch: { subsets: [] } });
  });

  it('B4: a gateway that goes down is an update of endpoint mirrors only', () => {
    const endpoints = {
      ...desiredPod('db-0').endpoints,
      addresses: [{ ip: '203.0.113.1', family: 'IPv4', state: 'down' }],
    } as const;
    const made = plan({
      desired: desiredHeadless([desiredPod('db-0', { endpoints })]),
      source: sourceOf(standing(ONE)),
    });
    expect(shown(made)).toEqual(['1 update Endpoints db-0-west']);
  });

  it('C6: endpoints of a pod that were deleted are made before the root lists it again', () => {
    const source = sourceOf({
      services: [rootService(), podService('db-0', '10.96.0.10')],
      endpoints: [rootEndpoints({})],
    });
    const made = plan({ desired: desiredHeadless([desiredPod('db-0')]), source });
    expect(shown(made)).toEqual(['1 create Endpoints db-0-west after', '2 update Endpoints db-west']);
    expect(changeOf(made, 'Endpoints', 'db-west')).toMatchObject({
      patch: {
        subsets: [{ addresses: [{ ip: { ...clusterIPOf('db-0'), ip: '10.96.0.10' }, hostname: 'db-0' }] }],
      },
    });
  });

  it('D9: other ports: Services first, then what the root lists', () => {
    const newer = { ...PG, port: 5433 };
    const ports = [{ ...newer, targetPort: 5433 }];
    const pod = desiredPod('db-0');
    const desired = desiredHeadless([{ ...pod, ports: [newer], service: { ...pod.service, ports } }], {
      ports,
    });
    const made = plan({ desired, source: sourceOf(standing(ONE)) });
    expect(shown(made)).toEqual([
      '0 update Service db-west',
      '1 update Service db-0-west',
      '2 update Endpoints db-west',
    ]);
    expect(changeOf(made, 'Endpoints', 'db-west')).toMatchObject({
      patch: { subsets: [{ addresses: [{ ip: '10.96.0.10', hostname: 'db-0' }], ports: [newer] }] },
    });
  });

  it('D6: pods of the same root in another namespace are not looked at', () => {
    const other = { meta: { namespace: 'other' } };
    const made = plan({
      desired: desiredHeadless([desiredPod('db-0')]),
      source: sourceOf({
        services: [
          ...(standing(ONE).services ?? []),
          rootService(other),
          podService('db-1', '10.96.1.1', other),
        ],
        endpoints: [...(standing(ONE).endpoints ?? []), podEndpoints('db-1', other)],
      }),
      others: [
        decision('db', {
          key: { namespace: 'other', name: 'db' },
          mirror: { namespace: 'other', name: 'db-west' },
          desired: { ...desiredHeadless([]), endpoints: 'unobserved' },
        }),
      ],
    });
    expect(made.changes).toEqual([]);
  });
});

describe('planHeadless, slices that stand', () => {
  it('D1: a pod more rewrites the one slice of the root', () => {
    const slice = (serviceName: string, hostnames: Readonly<Record<string, string>>, labels = OF_DB) =>
      ourSlice({
        serviceName,
        meta: {
          name: `${serviceName}-76a79620-v4-0`,
          labels,
          annotations: {},
          droppable: { labels: [], annotations: [] },
        },
        ports: [PG],
        endpoints: Object.entries(hostnames).map(([hostname, ip]) => podEndpoint(hostname, ip)),
      });
    const source = sourceOf({
      services: [rootService(), podService('db-0', '10.96.0.10')],
      slices: [slice('db-west', ONE, OURS)],
    });
    const pod = desiredPod('db-1', { endpoints: desiredEndpoints({ labels: OF_DB, addresses: [] }) });
    const made = plan({
      desired: desiredHeadless([desiredPod('db-0', { isListed: true }), pod]),
      source,
      link: { endpoints: 'endpointslices' },
    });
    expect(changeOf(made, 'EndpointSlice', 'db-west-76a79620-v4-0')).toMatchObject({
      action: 'update',
      stage: 2,
      patch: {
        endpoints: [
          { addresses: [{ ...clusterIPOf('db-0'), ip: '10.96.0.10' }], hostname: 'db-0' },
          { addresses: [clusterIPOf('db-1')], hostname: 'db-1' },
        ],
      },
    });
  });
});
