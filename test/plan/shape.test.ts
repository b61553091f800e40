// Whether a mirror Service has the shape that it should have.
import { describe, expect, it } from 'vitest';
import { lostWords, misshapen } from '../../lib/plan/shape.ts';
import { NOTHING_STANDS, type Standing } from '../../lib/plan/standing.ts';
import {
  copiedSlice,
  desiredService,
  mirrorEndpoints,
  mirrorService,
  ourSlice,
  podEndpoint,
  rootEndpoints,
  rootService,
  subset,
} from '../support/model-builders.ts';

const HEADLESS = desiredService({ isHeadless: true });
const ADDRESS = desiredService();
const BOTH_FAMILIES = mirrorService({ clusterIPs: ['10.96.0.1', 'fd00:10::1'] });
const NAMED_SLICE = ourSlice({ endpoints: [podEndpoint('db-0', '10.96.0.10')] });

describe('misshapen', () => {
  it.each<[string, Parameters<typeof misshapen>[0], Partial<Standing>, ReturnType<typeof misshapen>]>([
    ['nothing stands, headless is wanted', HEADLESS, {}, undefined],
    ['nothing stands, an address is wanted', ADDRESS, {}, undefined],
    ['a root as it should be', HEADLESS, { service: rootService() }, undefined],
    ['a Service with an address as it should be', ADDRESS, { service: mirrorService() }, undefined],
    [
      'D14: an address instead of none',
      HEADLESS,
      { service: mirrorService() },
      { service: mirrorService(), lost: ['10.96.0.1'], words: 'ClusterIP → headless' },
    ],
    [
      'D14: two addresses instead of none',
      HEADLESS,
      { service: BOTH_FAMILIES },
      { service: BOTH_FAMILIES, lost: ['10.96.0.1', 'fd00:10::1'], words: 'ClusterIP → headless' },
    ],
    [
      'D14: none instead of an address: nothing is lost',
      ADDRESS,
      { service: rootService() },
      { service: rootService(), lost: [], words: 'headless → ClusterIP' },
    ],
    [
      'the list of the other shape beside the right Service is a change of content, no more',
      HEADLESS,
      { service: rootService(), endpoints: mirrorEndpoints() },
      undefined,
    ],
    [
      'D14: the Service is gone, and left the list of a root',
      ADDRESS,
      { endpoints: rootEndpoints({ 'db-0': '10.96.0.10' }) },
      { service: undefined, lost: [], words: 'headless → ClusterIP' },
    ],
    [
      'D14: the Service is gone, and left slices of a root',
      ADDRESS,
      { ownSlices: [NAMED_SLICE] },
      { service: undefined, lost: [], words: 'headless → ClusterIP' },
    ],
    [
      'D14: the Service is gone, and left the gateway',
      HEADLESS,
      { endpoints: mirrorEndpoints() },
      { service: undefined, lost: [], words: 'ClusterIP → headless' },
    ],
    [
      'D14: the Service is gone, and left a gateway that is down',
      HEADLESS,
      { endpoints: mirrorEndpoints({ subsets: [subset([], ['203.0.113.1'])] }) },
      { service: undefined, lost: [], words: 'ClusterIP → headless' },
    ],
    [
      'C6: the Service is gone, its list has the right shape',
      ADDRESS,
      { endpoints: mirrorEndpoints() },
      undefined,
    ],
    [
      'C6: the root is gone, its list has the right shape',
      HEADLESS,
      { endpoints: rootEndpoints({ 'db-0': '10.96.0.10' }) },
      undefined,
    ],
    ['the Service is gone, its list is empty', HEADLESS, { endpoints: rootEndpoints({}) }, undefined],
    ['copies of a list that is gone are not ours', HEADLESS, { copiedSlices: [copiedSlice()] }, undefined],
  ])('%s', (_name, desired, standing, expected) => {
    expect(misshapen(desired, { ...NOTHING_STANDS, ...standing })).toEqual(expected);
  });
});

describe('lostWords', () => {
  it.each([
    [[], ''],
    [['10.96.0.7'], 'the ClusterIP 10.96.0.7 is lost'],
    [['10.96.0.7', 'fd00:10::7'], 'the ClusterIP 10.96.0.7 and fd00:10::7 is lost'],
  ])('%j', (lost, expected) => {
    expect(lostWords(lost)).toBe(expected);
  });
});
