// What the functions measure, as CloudWatch reads it from their output.
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type * as Telemetry from '../../functions/telemetry.ts';
import type { PublishedAddress } from '../../lib/model/gateway.ts';
import type { Refusal } from '../../lib/model/plan.ts';
import { aReport } from '../cli/cli.ts';

let telemetry: typeof Telemetry;
const printed: string[] = [];

beforeAll(async () => {
  vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'eks-service-mirror-test');
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'eks-service-mirror');
  vi.stubEnv('POWERTOOLS_DEV', 'true'); // metrics go to the console of the test …
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false'); // … but only when told so
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line));
  telemetry = await import('../../functions/telemetry.ts');
  return () => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  };
});
afterEach(() => {
  printed.length = 0;
});

interface Line {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
    }[];
  };
}

/** Each line by its dimensions: metrics with their values. */
const measured = (): readonly (readonly [string, Readonly<Record<string, unknown>>])[] =>
  printed.map((text) => {
    const line: Line & Readonly<Record<string, unknown>> = JSON.parse(text);
    const { _aws: emf } = line;
    const [found] = emf.CloudWatchMetrics;
    const dimensions = found?.Dimensions.flat().map((name) => `${name}=${String(line[name])}`) ?? [];
    const values = (found?.Metrics ?? []).map(({ Name, Unit }) => [
      `${found?.Namespace} ${Name} ${Unit}`,
      line[Name],
    ]);
    return [dimensions.join(' '), Object.fromEntries(values)];
  });

const OWN = 'eks-service-mirror';

describe('a run', () => {
  const addresses: readonly PublishedAddress[] = [
    { ip: '10.0.0.1', family: 'IPv4', state: 'ready' },
    { ip: '10.0.0.2', family: 'IPv4', state: 'down' },
    { ip: '10.0.0.3', family: 'IPv4', state: 'draining' },
  ];
  const dead = { state: 'dead', failures: 3, since: 1, lastProbeAt: 1 } as const;
  const gateway = {
    view: { addresses, resolved: addresses, port: 4143, probePort: 4191, identity: '' },
    state: { schema: 1, records: [], literals: {}, liveness: { '10.0.0.2': dead } },
  } as const;
  const LINK = {
    [`${OWN} ExportedServices Count`]: 0,
    [`${OWN} RefusedServices Count`]: 0,
    [`${OWN} Changes Count`]: 0,
    [`${OWN} FailedChanges Count`]: 0,
    [`${OWN} Unobserved Count`]: 0,
    [`${OWN} RunSeconds Seconds`]: 1.5,
  };
  const DIMENSIONS = 'service=eks-service-mirror-test link=west';

  it('measures the addresses of its gateway', () => {
    telemetry.measureRun(aReport({ gateway }), 1.5);
    expect(measured()).toStrictEqual([
      [
        DIMENSIONS,
        {
          ...LINK,
          [`${OWN} GatewayAddressesReady Count`]: 1,
          [`${OWN} GatewayAddressesDead Count`]: 1,
        },
      ],
    ]);
  });

  it.each([
    ['that saw no gateway', {}],
    ['of a gateway that could not be read', { gateway: { view: 'unobserved' } }],
    ['of a link without one', { gateway: { view: 'none' } }],
  ] as const)('%s says nothing of its addresses', (_, given) => {
    telemetry.measureRun(aReport(given), 1.5);
    expect(measured()).toStrictEqual([[DIMENSIONS, LINK]]);
  });

  it('measures what the filter refuses, of all links together', () => {
    const refusal = (reason: Refusal['reason']): Refusal => ({
      namespace: 'a',
      name: 'b',
      reason,
      message: '',
    });
    const refusals = [refusal('AddressRefused'), refusal('NotOwned'), refusal('AddressRefused')];
    telemetry.measureRun(aReport({ refusals }), 1.5);
    expect(measured()[1]).toStrictEqual([
      'service=eks-service-mirror-test',
      { [`${OWN} RejectedAddresses Count`]: 2 },
    ]);
  });
});

describe('checks of names', () => {
  it('are published together, with the age of what is known', () => {
    telemetry.measureCheck({ kind: 'asked', answer: 'addresses', changed: { west: 'followed' }, age: 0 });
    telemetry.measureCheck({ kind: 'asked', answer: 'unknown', changed: {}, age: 4000 });
    telemetry.publishChecks();
    expect(measured()).toStrictEqual([
      [
        'service=eks-service-mirror-test',
        {
          [`${OWN} AgeOfLastGoodAnswer Seconds`]: [0, 4000],
          [`${OWN} AnswersUnknown Count`]: [0, 1],
          [`${OWN} AddressChanges Count`]: [1, 0],
        },
      ],
    ]);
  });

  it('that did not happen print nothing', () => {
    telemetry.measureCheck({ kind: 'idle' });
    telemetry.publishChecks();
    expect(printed).toStrictEqual([]);
  });

  it('of a name that no link uses any more have no age', () => {
    telemetry.measureCheck({ kind: 'asked', answer: 'addresses', changed: {} });
    telemetry.publishChecks();
    expect(measured()[0]?.[1]).not.toHaveProperty(`${OWN} AgeOfLastGoodAnswer Seconds`);
  });
});
