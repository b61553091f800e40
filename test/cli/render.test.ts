// Reports as text and as data: what people and scripts read, written out.
import { describe, expect, it } from 'vitest';
import { toJson, toYaml } from '../../cli/render/data.ts';
import { planData, syncData } from '../../lib/runs/report-data.ts';
import { colourful, plain } from '../../cli/render/paint.ts';
import { planText, syncText } from '../../cli/render/report.ts';
import type { Report } from '../../lib/model/report.ts';
import { aChange, aReport, CHANGES } from './cli.ts';

const REFUSALS: Report['refusals'] = [
  {
    namespace: 'shop',
    name: 'api',
    reason: 'NotOwned',
    message: 'Service shop/api-west: not a mirror of west',
  },
  { namespace: '', name: 'west', reason: 'WrongCluster', message: 'UID a, got b' },
];
const UNOBSERVED: Report['unobserved'] = [
  { what: 'target EndpointSlices', message: 'target: LIST EndpointSlice: 403' },
];

describe('planText', () => {
  it('of nothing', () => {
    expect(planText(aReport(), plain)).toBe('nothing to do\n');
  });

  it('of a run that saw too little', () => {
    expect(planText(aReport({ unobserved: UNOBSERVED }), plain)).toBe(
      `NOT OBSERVED: target EndpointSlices: target: LIST EndpointSlice: 403

nothing could be decided; 1 not observed
`,
    );
  });

  it('of one change of each kind', () => {
    expect(planText(aReport({ changes: CHANGES }), plain)).toBe(
      `+ Service shop/web-west  (shop/web is exported)
~ Endpoints shop/api-west  (addresses: 10.0.0.1 → 10.0.0.2, label tier: a → b)
- Service shop/old-west

1 to create, 1 to update, 1 to delete
`,
    );
  });

  it('of a Namespace, which is in none', () => {
    const change = { ...aChange({ action: 'create', kind: 'Namespace', name: 'shop' }), namespace: '' };
    expect(planText(aReport({ changes: [change] }), plain)).toBe(
      '+ Namespace shop\n\n1 to create, 0 to update, 0 to delete\n',
    );
  });

  it('of refusals, what was not seen, notes and explanations', () => {
    const report = aReport({
      changes: CHANGES.slice(0, 1),
      refusals: REFUSALS,
      unobserved: UNOBSERVED,
      notes: ['no Lease: its namespace is missing'],
      explanations: [
        {
          service: { namespace: 'shop', name: 'web' },
          lines: ['exported in gateway mode', '+ Service shop/web-west'],
        },
        { service: { namespace: 'shop', name: 'x' }, lines: ['not exported'] },
      ],
    });
    expect(planText(report, plain)).toBe(`+ Service shop/web-west  (shop/web is exported)

refused shop/api: NotOwned: Service shop/api-west: not a mirror of west
refused west: WrongCluster: UID a, got b
NOT OBSERVED: target EndpointSlices: target: LIST EndpointSlice: 403
note: no Lease: its namespace is missing

shop/web
  exported in gateway mode
  + Service shop/web-west

shop/x
  not exported

1 to create, 0 to update, 0 to delete; 2 refused; 1 not observed
`);
  });

  it('in colour', () => {
    expect(
      planText(aReport({ changes: CHANGES.slice(0, 1), refusals: REFUSALS.slice(0, 1) }), colourful),
    ).toBe(
      `\u001B[32m+ Service shop/web-west\u001B[0m\u001B[2m  (shop/web is exported)\u001B[0m

\u001B[33mrefused shop/api\u001B[0m: NotOwned: Service shop/api-west: not a mirror of west

1 to create, 0 to update, 0 to delete; 1 refused
`,
    );
  });

  it('lets no text of a cluster steer the terminal', () => {
    const change = aChange({
      action: 'create',
      kind: 'Service',
      name: 'w',
      reasons: ['label a: \u001B[2J\nx → \u009B1m'],
    });
    const notes = ['a\u0007b'];
    expect(planText(aReport({ changes: [change], notes }), plain)).toBe(
      `+ Service shop/w  (label a:  [2J x →  1m)

note: a b

1 to create, 0 to update, 0 to delete
`,
    );
  });
});

describe('syncText', () => {
  const [create, update, remove] = CHANGES;
  if (!create || !update || !remove) throw new Error('three changes expected');

  it('of nothing', () => {
    expect(syncText(aReport({ outcomes: [] }), plain)).toBe('nothing to do\n');
  });

  it('of changes that were all applied', () => {
    const outcomes = CHANGES.map((change) => ({ change, result: 'applied' as const }));
    expect(syncText(aReport({ changes: CHANGES, outcomes }), plain)).toBe(
      `+ Service shop/web-west  (shop/web is exported)
~ Endpoints shop/api-west  (addresses: 10.0.0.1 → 10.0.0.2, label tier: a → b)
- Service shop/old-west

1 created, 1 updated, 1 deleted
`,
    );
  });

  it('of one that failed and one that was skipped', () => {
    const report = aReport({
      changes: CHANGES,
      refusals: REFUSALS.slice(0, 1),
      outcomes: [
        { change: create, result: 'applied' },
        { change: update, result: 'failed', message: 'source: PATCH Endpoints shop/api-west: 500' },
        { change: remove, result: 'skipped' },
      ],
    });
    expect(syncText(report, plain)).toBe(
      `+ Service shop/web-west  (shop/web is exported)
~ Endpoints shop/api-west  failed: source: PATCH Endpoints shop/api-west: 500
- Service shop/old-west  skipped

refused shop/api: NotOwned: Service shop/api-west: not a mirror of west

1 created, 0 updated, 0 deleted; 1 failed, 1 skipped; 1 refused
`,
    );
  });
});

describe('data', () => {
  const report = aReport({
    changes: CHANGES,
    refusals: REFUSALS.slice(0, 1),
    unobserved: UNOBSERVED,
    notes: ['n'],
    outcomes: CHANGES.slice(0, 2).map((change, index) =>
      index === 0 ? { change, result: 'applied' } : { change, result: 'failed', message: 'm' },
    ),
    requests: {
      source: { reads: 1, writes: 20, leases: 3, bytes: 4000 },
      target: { reads: 5, writes: 0, leases: 0, bytes: 60 },
    },
  });

  it('of plan: exactly the fields of the contract', () => {
    expect(toJson(planData(report, { showObjects: false }))).toBe(`{
  "link": "west",
  "changes": [
    {
      "action": "create",
      "kind": "Service",
      "namespace": "shop",
      "name": "web-west",
      "reasons": [
        "shop/web is exported"
      ]
    },
    {
      "action": "update",
      "kind": "Endpoints",
      "namespace": "shop",
      "name": "api-west",
      "reasons": [
        "addresses: 10.0.0.1 → 10.0.0.2",
        "label tier: a → b"
      ]
    },
    {
      "action": "delete",
      "kind": "Service",
      "namespace": "shop",
      "name": "old-west",
      "reasons": []
    }
  ],
  "refusals": [
    {
      "namespace": "shop",
      "name": "api",
      "reason": "NotOwned",
      "message": "Service shop/api-west: not a mirror of west"
    }
  ],
  "unobserved": [
    {
      "what": "target EndpointSlices",
      "message": "target: LIST EndpointSlice: 403"
    }
  ],
  "notes": [
    "n"
  ]
}
`);
  });

  it('of plan with --service: the explanations too', () => {
    const service = { namespace: 'shop', name: 'web' };
    const data = planData(aReport({ explanations: [{ service, lines: ['in sync'] }] }), {
      showObjects: false,
    });
    expect(data['explanations']).toStrictEqual([{ namespace: 'shop', name: 'web', lines: ['in sync'] }]);
  });

  it('of plan with --show-objects: bodies and patches', () => {
    expect(planData(report, { showObjects: true })['changes']).toMatchObject([
      { action: 'create', body: { metadata: { name: 'web-west' } } },
      { action: 'update', patch: { spec: {} } },
      { action: 'delete' },
    ]);
  });

  it('of sync: the plan, the outcomes, and the requests of both clusters together', () => {
    expect(syncData(report, { showObjects: false })).toStrictEqual({
      ...planData(report, { showObjects: false }),
      outcomes: [
        {
          action: 'create',
          kind: 'Service',
          namespace: 'shop',
          name: 'web-west',
          reasons: ['shop/web is exported'],
          result: 'applied',
        },
        {
          action: 'update',
          kind: 'Endpoints',
          namespace: 'shop',
          name: 'api-west',
          reasons: ['addresses: 10.0.0.1 → 10.0.0.2', 'label tier: a → b'],
          result: 'failed',
          message: 'm',
        },
      ],
      requests: { reads: 6, writes: 20, bytes: 4060, leases: 3 },
    });
  });

  it('of sync that saw too little: empty outcomes', () => {
    expect(syncData(aReport({ unobserved: UNOBSERVED }), { showObjects: false })['outcomes']).toStrictEqual(
      [],
    );
  });

  it('as YAML', () => {
    const data = planData(aReport({ changes: CHANGES.slice(0, 1), notes: ['a: b'] }), { showObjects: false });
    expect(toYaml(data)).toBe(`link: west
changes:
  - action: create
    kind: Service
    namespace: shop
    name: web-west
    reasons:
      - shop/web is exported
refusals: []
unobserved: []
notes:
  - "a: b"
`);
  });
});
