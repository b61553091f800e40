// The decision about one headless Service of the target cluster.
import { describe, expect, it } from 'vitest';
import { desiredFor } from '../../lib/desired/decide.ts';
import {
  desiredHeadless,
  desiredPod,
  gatewayView,
  headlessExported,
  podEndpoint,
  sliceEndpoint,
  targetSlice,
} from '../support/model-builders.ts';
import { facts, type GivenFacts } from './facts.ts';

describe('desiredFor, of a headless Service', () => {
  const WAITS =
    'it is headless and has no endpoint yet: the first one tells whether its mirror is headless too';
  const POD = podEndpoint('db-0', '10.1.0.1');
  const db = (given: GivenFacts = {}) =>
    desiredFor(facts({ service: headlessExported(), slices: [targetSlice([POD])], ...given }));

  it('D1: its mirror is headless, with an endpoint mirror for each pod', () => {
    expect(db()).toEqual({
      key: { namespace: 'shop', name: 'db' },
      mirror: { namespace: 'shop', name: 'db-west' },
      mode: 'gateway',
      desired: desiredHeadless([desiredPod('db-0')]),
      protects: true,
      refusals: [],
    });
  });

  it.each<[string, GivenFacts, string]>([
    ['D13: no pod yet', { slices: [], ready: false }, WAITS],
    [
      'E8: the slices could not be read',
      { slices: [], ready: undefined },
      'it is headless, and its EndpointSlices could not be read',
    ],
    [
      'E8: the same where a mirror stands',
      { slices: [], ready: undefined, standing: 'address' },
      'it is headless, and its EndpointSlices could not be read',
    ],
  ])('%s: nothing is written or refused, and what stands there stays', (_name, given, because) => {
    expect(db(given)).toEqual({
      key: { namespace: 'shop', name: 'db' },
      mirror: { namespace: 'shop', name: 'db-west' },
      mode: 'gateway',
      protects: true,
      refusals: [],
      because,
    });
  });

  it('D13: without a pod the shape that stands stays, empty', () => {
    const none = { slices: [], ready: false } as const;
    expect(db({ ...none, standing: 'headless' }).desired).toEqual(desiredHeadless([]));
    const plain = db({ ...none, standing: 'address' }).desired;
    expect(plain?.service.isHeadless).toBe(false);
    expect(plain?.endpoints).toMatchObject({ addresses: [] });
  });

  it('D7: with pods that have no hostname it is mirrored with a ClusterIP, and nothing is refused', () => {
    const decided = db({ slices: [targetSlice([sliceEndpoint('10.1.0.1')])] });
    expect(decided.desired?.service.isHeadless).toBe(false);
    expect(decided.desired?.endpoints).toMatchObject({ addresses: [{ ip: '203.0.113.1' }] });
    expect(decided.refusals).toEqual([]);
  });

  it('D15: a pod that is listed though it is not ready has the gateway behind it', () => {
    const { desired } = db({
      service: headlessExported({ publishNotReadyAddresses: true }),
      slices: [targetSlice([{ ...POD, ready: false }])],
      ready: false,
    });
    expect(desired?.endpoints).toMatchObject({
      pods: [{ isListed: true, endpoints: { addresses: [{ ip: '203.0.113.1' }] } }],
    });
  });

  it.each<[string, GivenFacts]>([
    ['the gateway was not observed', { gateway: 'unobserved' }],
    ['the gateway has addresses but no port', { gateway: gatewayView({ port: undefined }) }],
  ])('%s: the root is kept right, its pods stay as they are', (_name, given) => {
    expect(db(given).desired).toEqual({ ...desiredHeadless([]), endpoints: 'unobserved' });
  });

  it('a pod that cannot be mirrored is refused beside the mirror of the others', () => {
    const decided = db({ slices: [targetSlice([POD, sliceEndpoint('10.1.0.2')])] });
    expect(decided.desired).toEqual(desiredHeadless([desiredPod('db-0')]));
    expect(decided.refusals.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      'InvalidService: 1 of 2 pods have no hostname, so they have no endpoint mirror and are not in the root',
    ]);
  });

  it('more pods than Endpoints can show decline the whole Service', () => {
    const many = Array.from({ length: 1001 }, (_unused, index) =>
      podEndpoint(`db-${index}`, `10.1.0.${index}`),
    );
    const decided = db({ slices: [targetSlice(many)] });
    expect(decided.desired).toBeUndefined();
    expect(decided.protects).toBe(true);
    expect(decided.refusals).toEqual([
      {
        namespace: 'shop',
        name: 'db',
        reason: 'Unsupported',
        message:
          'Service shop/db: 1001 pods: expected at most 1000 in the Endpoints form, as Kubernetes copies only the first 1000 addresses of a subset to EndpointSlices; set endpoints: endpointslices',
      },
    ]);
  });
});
