// All changes of one mirror: obstacles, and the two forms in which it lists the gateway.
import { describe, expect, it } from 'vitest';
import type { PlainMirror } from '../../lib/model/desired.ts';
import type { LinkDocument } from '../../lib/model/link.ts';
import type { Change } from '../../lib/model/plan.ts';
import { gatewayPart, type MirrorPlan, planPart, type Subject } from '../../lib/plan/mirror.ts';
import { NOTHING_STANDS, type Standing } from '../../lib/plan/standing.ts';
import { linkOf } from '../support/lab.ts';
import {
  copiedSlice,
  desiredEndpoints,
  desiredMirror,
  mirrorEndpoints,
  mirrorService,
  OURS,
  ourSlice,
  published,
  sliceEndpoint,
  subset,
  WEB_SLICE,
} from '../support/model-builders.ts';

const SLICES: Partial<LinkDocument> = { endpoints: 'endpointslices' };

interface Given {
  readonly desired?: Partial<PlainMirror>;
  readonly standing?: Partial<Standing>;
  readonly link?: Partial<LinkDocument>;
}

const plan = ({ desired, standing, link }: Given): MirrorPlan => {
  const subject: Subject = {
    link: linkOf(link),
    key: { namespace: 'shop', name: 'web' },
    mirror: { namespace: 'shop', name: 'web-west' },
    source: { family: 'IPv4' },
    mayDelete: true,
  };
  const at = { ...NOTHING_STANDS, ...standing };
  const { service, endpoints } = desiredMirror(desired);
  return planPart(subject, gatewayPart(subject, service, endpoints, at), at);
};

const shown = (changes: readonly Change[]): readonly string[] =>
  changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`);

const IN_SYNC: Partial<Standing> = { service: mirrorService(), endpoints: mirrorEndpoints() };
const IN_SYNC_SLICES: Partial<Standing> = { service: mirrorService(), ownSlices: [ourSlice()] };

describe('an obstacle at the name of the mirror', () => {
  it.each<[string, Partial<Standing>, string, string]>([
    [
      'E3: a Service without labels',
      { service: mirrorService({ meta: { labels: {} } }) },
      'NotOwned',
      'Service shop/web-west exists and is not this link\'s: label mirror.linkerd.io/mirrored-service: expected "true", got none',
    ],
    [
      'E3: a Service of another link',
      { service: mirrorService({ meta: { labels: { ...OURS, 'mirror.linkerd.io/cluster-name': 'east' } } }) },
      'NotOwned',
      'Service shop/web-west exists and is not this link\'s: label mirror.linkerd.io/cluster-name: expected "west", got "east"',
    ],
    [
      'E3: a Service with a selector',
      { service: mirrorService({ hasSelector: true }) },
      'NotOwned',
      "Service shop/web-west exists and is not this link's: spec.selector: expected none, got one",
    ],
    [
      'E3: an ExternalName Service',
      { service: mirrorService({ type: 'ExternalName' }) },
      'NotOwned',
      "Service shop/web-west exists and is not this link's: spec.type: expected ClusterIP, got ExternalName",
    ],
    [
      'E4: Endpoints without our labels, and no Service',
      { endpoints: mirrorEndpoints({ meta: { labels: {} } }) },
      'NotOwned',
      "Endpoints shop/web-west exist and are not this link's: they lack its ownership labels",
    ],
    [
      'E4: Endpoints without our labels under a Service of ours that would get Endpoints',
      { service: mirrorService(), endpoints: mirrorEndpoints({ meta: { labels: {} } }) },
      'NotOwned',
      "Endpoints shop/web-west exist and are not this link's: they lack its ownership labels",
    ],
    [
      'an endpoint mirror of a headless mirror',
      {
        service: mirrorService({
          meta: { labels: { ...OURS, 'mirror.linkerd.io/headless-mirror-svc-name': 'db-west' } },
        }),
      },
      'NameConflict',
      'shop/web-west is a part of the headless mirror db-west',
    ],
    [
      'Endpoints of an endpoint mirror',
      {
        endpoints: mirrorEndpoints({
          meta: { labels: { ...OURS, 'mirror.linkerd.io/headless-mirror-svc-name': 'db-west' } },
        }),
      },
      'NameConflict',
      'shop/web-west is a part of the headless mirror db-west',
    ],
    [
      'a slice of an endpoint mirror, and no Service',
      {
        ownSlices: [
          ourSlice({
            meta: { labels: { ...OURS, 'mirror.linkerd.io/headless-mirror-svc-name': 'db-west' } },
          }),
        ],
      },
      'NameConflict',
      'shop/web-west is a part of the headless mirror db-west',
    ],
  ])('%s: nothing is written, and why is said', (_name, standing, reason, message) => {
    expect(plan({ standing })).toEqual({
      changes: [],
      refusals: [{ namespace: 'shop', name: 'web', reason, message }],
      keepsSlices: false,
    });
  });
});

describe('a list under a Service of ours', () => {
  it('is set right where its label says that it is of an endpoint mirror', () => {
    const label = 'mirror.linkerd.io/headless-mirror-svc-name';
    const endpoints = mirrorEndpoints({ meta: { labels: { ...OURS, [label]: 'db-west' } } });
    const { changes, refusals } = plan({ standing: { service: mirrorService(), endpoints } });
    expect(refusals).toEqual([]);
    expect(changes.map(({ reasons }) => reasons)).toEqual([[`label ${label}: db-west → (none)`]]);
  });
});

it('a mirror that is said to be its own root is a mirror of its own, and is told so', () => {
  const labels = { ...OURS, 'mirror.linkerd.io/headless-mirror-svc-name': 'web-west' };
  const { changes, refusals } = plan({
    standing: { ...IN_SYNC, service: mirrorService({ meta: { labels } }) },
  });
  expect(changes.map(({ reasons }) => reasons)).toEqual([
    ['label mirror.linkerd.io/headless-mirror-svc-name: web-west → (none)'],
  ]);
  expect(refusals).toEqual([]);
});

describe('E4: Endpoints of somebody else at a name where nothing has to be created', () => {
  const FOREIGN = mirrorEndpoints({ meta: { labels: {} } });
  const older = mirrorService({ ports: [{ name: 'http', protocol: 'TCP', port: 81, targetPort: 8080 }] });

  it.each<[string, Given]>([
    ['remote discovery', { desired: { endpoints: 'none' } }],
    ['endpoints unobserved', { desired: { endpoints: 'unobserved' } }],
    ['slices that stand already', { link: SLICES, standing: { ownSlices: [ourSlice()] } }],
  ])('%s: the Service is kept right, and they stay', (_name, given) => {
    const standing = { service: older, endpoints: FOREIGN, ...given.standing };
    const { changes, refusals } = plan({ ...given, standing });
    expect(shown(changes)).toEqual(['update Service web-west']);
    expect(refusals).toEqual([]);
  });

  it('slices that are yet to be made are not put beside them', () => {
    const { changes, refusals } = plan({
      link: SLICES,
      standing: { service: mirrorService(), endpoints: FOREIGN },
    });
    expect(changes).toEqual([]);
    expect(refusals).toMatchObject([{ reason: 'NotOwned' }]);
  });
});

describe('a link that writes Endpoints', () => {
  it.each<[string, Given, readonly string[]]>([
    ['E10: nothing stands there', {}, ['create Service web-west', 'create Endpoints web-west']],
    ['K1: all is in sync', { standing: IN_SYNC }, []],
    ['C6: the Endpoints are gone', { standing: { service: mirrorService() } }, ['create Endpoints web-west']],
    ['C6: the Service is gone', { standing: { endpoints: mirrorEndpoints() } }, ['create Service web-west']],
    [
      'E8: the endpoints are unobserved: only the Service is kept right',
      { desired: { endpoints: 'unobserved' } },
      ['create Service web-west'],
    ],
    [
      'E8: the endpoints are unobserved: those that stand stay',
      {
        desired: { endpoints: 'unobserved' },
        standing: { ...IN_SYNC, endpoints: mirrorEndpoints({ subsets: [] }) },
      },
      [],
    ],
    [
      'F4: remote discovery: Endpoints and slices go, the Service stays',
      { desired: { endpoints: 'none' }, standing: { ...IN_SYNC, ownSlices: [ourSlice()] } },
      [`delete EndpointSlice ${WEB_SLICE}`, 'delete Endpoints web-west'],
    ],
    [
      'F4: remote discovery in sync',
      { desired: { endpoints: 'none' }, standing: { service: mirrorService() } },
      [],
    ],
  ])('%s', (_name, given, expected) => {
    const { changes, refusals, keepsSlices } = plan(given);
    expect(shown(changes)).toEqual(expected);
    expect(refusals).toEqual([]);
    expect(keepsSlices).toBe(false);
  });

  interface Row {
    readonly name: string;
    readonly given: Given;
    readonly changes: readonly string[];
    readonly keepsSlices: boolean;
  }

  /** Leaving the other form: our slices go only when somebody else shows the same addresses. */
  it.each<Row>([
    {
      name: 'first the Endpoints are written, the slices stay',
      given: { standing: IN_SYNC_SLICES },
      changes: ['create Endpoints web-west'],
      keepsSlices: true,
    },
    {
      name: 'nobody copies the Endpoints: the slices stay',
      given: { standing: { ...IN_SYNC, ...IN_SYNC_SLICES, endpoints: mirrorEndpoints() } },
      changes: [],
      keepsSlices: true,
    },
    {
      name: 'the copy still lists another address: the slices stay',
      given: {
        standing: {
          ...IN_SYNC,
          ownSlices: [ourSlice()],
          copiedSlices: [copiedSlice({ endpoints: [sliceEndpoint('203.0.113.99')] })],
        },
      },
      changes: [],
      keepsSlices: true,
    },
    {
      name: 'the copy lists the address as not ready: the slices stay',
      given: {
        standing: {
          ...IN_SYNC,
          ownSlices: [ourSlice()],
          copiedSlices: [copiedSlice({ endpoints: [sliceEndpoint('203.0.113.1', { ready: false })] })],
        },
      },
      changes: [],
      keepsSlices: true,
    },
    {
      name: 'a copy lists the same: the slices go',
      given: { standing: { ...IN_SYNC, ownSlices: [ourSlice()], copiedSlices: [copiedSlice()] } },
      changes: [`delete EndpointSlice ${WEB_SLICE}`],
      keepsSlices: false,
    },
    {
      name: 'the address changes meanwhile: both forms follow, and the slices stay although the copy shows the new one',
      given: {
        desired: { endpoints: desiredEndpoints({ addresses: [published('203.0.113.9')] }) },
        standing: {
          ...IN_SYNC,
          ownSlices: [ourSlice()],
          copiedSlices: [copiedSlice({ endpoints: [sliceEndpoint('203.0.113.9')] })],
        },
      },
      changes: ['update Endpoints web-west', `update EndpointSlice ${WEB_SLICE}`],
      keepsSlices: true,
    },
    {
      name: 'nobody is to be listed: nothing says that somebody copies, so the slices stay and are empty',
      given: {
        desired: { endpoints: desiredEndpoints({ addresses: [] }) },
        standing: { ...IN_SYNC, ownSlices: [ourSlice()] },
      },
      changes: ['update Endpoints web-west', `update EndpointSlice ${WEB_SLICE}`],
      keepsSlices: true,
    },
    {
      name: 'only what is down is to be listed: the slices stay likewise',
      given: {
        desired: { endpoints: desiredEndpoints({ addresses: [published('203.0.113.1', 'down')] }) },
        standing: {
          ...IN_SYNC,
          endpoints: mirrorEndpoints({ subsets: [subset([], ['203.0.113.1'])] }),
          ownSlices: [ourSlice()],
        },
      },
      changes: [`update EndpointSlice ${WEB_SLICE}`],
      keepsSlices: true,
    },
  ])('C4: $name', ({ given, changes, keepsSlices }) => {
    const planned = plan(given);
    expect(shown(planned.changes)).toEqual(changes);
    expect(planned.keepsSlices).toBe(keepsSlices);
    expect(planned.refusals).toEqual([]);
  });
});

describe('a link that writes EndpointSlices', () => {
  it.each<[string, Given, readonly string[]]>([
    ['C4: nothing stands there', {}, ['create Service web-west', `create EndpointSlice ${WEB_SLICE}`]],
    ['K1: all is in sync', { standing: IN_SYNC_SLICES }, []],
    [
      'C4: Endpoints of the other form go after the slices were written',
      { standing: IN_SYNC },
      [`create EndpointSlice ${WEB_SLICE}`, 'delete Endpoints web-west'],
    ],
    [
      'copies of Endpoints are not ours to delete: they go with the Endpoints',
      { standing: { ...IN_SYNC_SLICES, copiedSlices: [copiedSlice()] } },
      [],
    ],
    [
      'F4: remote discovery: the slices go',
      { desired: { endpoints: 'none' }, standing: IN_SYNC_SLICES },
      [`delete EndpointSlice ${WEB_SLICE}`],
    ],
  ])('%s', (_name, given, expected) => {
    const { changes, refusals, keepsSlices } = plan({ ...given, link: SLICES });
    expect(shown(changes)).toEqual(expected);
    expect(refusals).toEqual([]);
    expect(keepsSlices).toBe(false);
  });
});
