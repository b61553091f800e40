// A headless mirror of both families.
import { describe, expect, it } from 'vitest';
import type { SourceSnapshot } from '../../lib/model/snapshot.ts';
import {
  desiredEndpoints,
  desiredHeadless,
  desiredMirror,
  desiredPod,
  mirrorService,
  podEndpoints,
  podService,
  published,
  rootEndpoints,
  rootService,
  sourceOf,
} from '../support/model-builders.ts';
import { plan, shown, changeOf, PG, clusterIPOf, standing, ONE } from './headless-plan.ts';

describe('planHeadless, both families', () => {
  const dual = (hostname: string) => {
    const pod = desiredPod(hostname);
    return { ...pod, service: { ...pod.service, wantsBothFamilies: true } };
  };
  const both = (given: Parameters<typeof sourceOf>[0]): SourceSnapshot => ({
    ...sourceOf(given),
    secondFamily: 'IPv6',
  });
  const DUAL = { clusterIPs: ['10.96.0.10', 'fd00:10::a'], ipFamilies: ['IPv4', 'IPv6'] } as const;

  it('A10: the root lists each pod once for each family', () => {
    const made = plan({ desired: desiredHeadless([dual('db-0')]), source: both({}) });
    expect(changeOf(made, 'Endpoints', 'db-west')).toMatchObject({
      body: {
        subsets: [
          { addresses: [{ ip: clusterIPOf('db-0', 'IPv4'), hostname: 'db-0' }], ports: [PG] },
          { addresses: [{ ip: clusterIPOf('db-0', 'IPv6'), hostname: 'db-0' }], ports: [PG] },
        ],
      },
    });
  });

  it('A10: a standing endpoint mirror keeps its address and gets the other one', () => {
    const made = plan({ desired: desiredHeadless([dual('db-0')]), source: both(standing(ONE)) });
    expect(shown(made)).toEqual(['1 update Service db-0-west', '2 update Endpoints db-west']);
    expect(changeOf(made, 'Endpoints', 'db-west')).toMatchObject({
      patch: {
        subsets: [
          { addresses: [{ ip: { ...clusterIPOf('db-0', 'IPv4'), ip: '10.96.0.10' } }] },
          { addresses: [{ ip: clusterIPOf('db-0', 'IPv6') }] },
        ],
      },
    });
  });

  it('A10: known addresses of both families are listed at once', () => {
    const service = podService('db-0', '10.96.0.10', { ...DUAL, ipFamilyPolicy: 'PreferDualStack' });
    const source = both({
      services: [rootService(), service],
      endpoints: [rootEndpoints(ONE), podEndpoints('db-0')],
    });
    const made = plan({ desired: desiredHeadless([dual('db-0')]), source });
    expect(shown(made)).toEqual(['2 update Endpoints db-west']);
    expect(changeOf(made, 'Endpoints', 'db-west')).toMatchObject({
      patch: {
        subsets: [
          { addresses: [{ ip: '10.96.0.10', hostname: 'db-0' }], ports: [PG] },
          { addresses: [{ ip: 'fd00:10::a', hostname: 'db-0' }], ports: [PG] },
        ],
      },
    });
  });

  it('A10: an endpoint mirror that gives its second address back is not listed with it', () => {
    const service = podService('db-0', '10.96.0.10', {
      ...DUAL,
      ipFamilyPolicy: 'PreferDualStack',
      isPolicyOurs: true,
    });
    const listsBoth = rootEndpoints(ONE);
    const [subset] = listsBoth.subsets;
    const v6 = { addresses: [{ ip: 'fd00:10::a', hostname: 'db-0' }], notReadyAddresses: [], ports: [PG] };
    const root = { ...listsBoth, subsets: [...(subset === undefined ? [] : [subset]), v6] };
    const source = both({ services: [rootService(), service], endpoints: [root, podEndpoints('db-0')] });
    const made = plan({ desired: desiredHeadless([desiredPod('db-0')]), source });
    expect(changeOf(made, 'Service', 'db-0-west')).toMatchObject({
      patch: { spec: { ipFamilyPolicy: 'SingleStack' } },
    });
    const patch = {
      subsets: [{ addresses: [{ ip: '10.96.0.10', hostname: 'db-0' }], ports: [PG] }],
    };
    expect(changeOf(made, 'Endpoints', 'db-west')).toMatchObject({ patch });
  });

  it('A10: one that asked for both and got one is listed with that one', () => {
    const service = podService('db-0', '10.96.0.10', { ipFamilyPolicy: 'PreferDualStack' });
    const source = both({ services: [rootService(), service], endpoints: [rootEndpoints({})] });
    const made = plan({ desired: desiredHeadless([dual('db-0')]), source });
    expect(shown(made)).toEqual(['1 create Endpoints db-0-west after', '2 update Endpoints db-west']);
    const addresses = [{ ip: { ...clusterIPOf('db-0'), ip: '10.96.0.10' }, hostname: 'db-0' }];
    expect(changeOf(made, 'Endpoints', 'db-west')).toMatchObject({
      patch: { subsets: [{ addresses, ports: [PG] }] },
    });
  });
});

describe('planPlain, families', () => {
  const addresses = [published('203.0.113.1'), published('2001:db8::1')];
  const desired = desiredMirror({ endpoints: desiredEndpoints({ addresses }) });
  const listedBy = (services: Parameters<typeof sourceOf>[0]): unknown => {
    const change = changeOf(plan({ desired, source: sourceOf(services) }), 'Endpoints', 'db-west');
    return change?.action === 'create' ? change.body['subsets'] : undefined;
  };
  const ports = [{ name: 'http', protocol: 'TCP', port: 4143 }];
  const [V4, V6] = addresses.map(({ ip }) => ({ addresses: [{ ip }], ports }));

  it('A10: a mirror lists addresses of the families that its Service has, whoever asked for them', () => {
    const at = { meta: { name: 'db-west' } };
    expect(listedBy({ services: [mirrorService(at)] })).toEqual([V4]);
    expect(listedBy({ services: [mirrorService({ ...at, ipFamilies: ['IPv6'] })] })).toEqual([V6]);
    expect(listedBy({ services: [mirrorService({ ...at, ipFamilies: ['IPv4', 'IPv6'] })] })).toEqual([
      V4,
      V6,
    ]);
  });

  it('A10: the families that a root is said to have are not those of the Service that takes its place', () => {
    const root = rootService({ ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' });
    expect(listedBy({ services: [root] })).toEqual([V4]);
  });
});
