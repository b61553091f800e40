// How the gateway is probed: annotations in every text form, the link's overrides, defaults and bounds.
import { describe, expect, it } from 'vitest';
import { parseSeconds, readProbe, type ProbeSettings } from '../../lib/gateway/probe.ts';
import type { LinkDocument } from '../../lib/model/link.ts';
import { aGatewayService, aLink } from './support.ts';

const PREFIX = 'mirror.linkerd.io/probe-';
const DEFAULTS: ProbeSettings = {
  off: false,
  anyAnswer: true,
  path: '/ready',
  port: 4191,
  period: 3,
  timeout: 5,
  failureThreshold: 3,
  notes: [],
};

const probeOf = (
  annotations: Readonly<Record<string, string>>,
  document: Partial<LinkDocument> = {},
): ProbeSettings => {
  const named = Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [PREFIX + name, value]),
  );
  return readProbe(aLink(document), aGatewayService({ annotations: named }));
};

describe('B5: durations', () => {
  it.each([
    ['3', 3],
    ['"3"', 3],
    ['3s', 3],
    ['"3s"', 3],
    ['1m', 60],
    ['1m30s', 90],
    ['1.5s', 1.5],
    ['500ms', 0.5],
    ['1h', 3_600],
    [' 3s ', 3],
    ['', undefined],
    ['3 s', undefined],
    ['s', undefined],
    ['-3', undefined],
    ['3x', undefined],
    ['three', undefined],
    ['1e3', undefined],
    ['NaN', undefined],
    ['3s!', undefined],
  ])('%j is %s', (text, seconds) => {
    expect(parseSeconds(text)).toBe(seconds);
  });
});

describe('the annotations of the gateway Service', () => {
  it('left out are the defaults', () => {
    expect(probeOf({})).toEqual(DEFAULTS);
  });

  it('B5: are read in their newer and older forms alike', () => {
    const read = { ...DEFAULTS, path: '/live', period: 7, timeout: 2, failureThreshold: 5 };
    expect(probeOf({ path: '/live', period: '7s', timeout: '2s', 'failure-threshold': '5' })).toEqual(read);
    expect(probeOf({ path: '/live', period: '7', timeout: '"2"', 'failure-threshold': '"5"' })).toEqual(read);
  });

  it.each([
    ['period', 'often', 'taking 3'],
    ['period', '0', 'taking 3'],
    ['timeout', 'long', 'taking 5'],
    ['timeout', '0s', 'taking 5'],
    ['failure-threshold', 'some', 'taking 3'],
    ['failure-threshold', '0', 'taking 3'],
    ['failure-threshold', '2.5', 'taking 3'],
    ['failure-threshold', '3s', 'taking 3'],
    ['path', 'ready', 'taking /ready'],
    ['path', '/a b', 'taking /ready'],
    ['path', '/a\r\nHost: x', 'taking /ready'],
  ])('B5: an unreadable %s (%j) is the default and a note, never no probe', (name, text, ending) => {
    expect(probeOf({ [name]: text })).toEqual({
      ...DEFAULTS,
      notes: [`${PREFIX}${name}: cannot read ${JSON.stringify(text)}, ${ending}`],
    });
  });

  it("an unreadable one that the link overrides is nobody's business", () => {
    expect(probeOf({ period: 'often' }, { probe: { period: 4 } })).toEqual({ ...DEFAULTS, period: 4 });
  });

  it.each([
    ['period', '200ms', { period: 1, notes: ['probe period: expected 1 to 30 s, found 0.2 s, taking 1 s'] }],
    ['period', '1m', { period: 30, notes: ['probe period: expected 1 to 30 s, found 60 s, taking 30 s'] }],
    ['period', '30', { period: 30 }],
    ['timeout', '30s', { timeout: 5 }], // Linkerd's default: not worth a note on every gateway
    ['timeout', '1ms', { timeout: 0.1 }],
  ])('B5: %s %s is kept in bounds', (name, text, expected) => {
    expect(probeOf({ [name]: text })).toEqual({ ...DEFAULTS, ...expected });
  });
});

describe('the link', () => {
  it('overrides each of them', () => {
    const probe = {
      path: '/x',
      port: 1234,
      period: 9,
      timeout: 1,
      failureThreshold: 2,
      off: true,
      anyAnswer: false,
    };
    expect(
      probeOf({ path: '/live', period: '7s', timeout: '2s', 'failure-threshold': '5' }, { probe }),
    ).toEqual({
      ...probe,
      notes: [],
    });
  });

  it('is kept in bounds as well', () => {
    expect(probeOf({}, { probe: { period: 100, timeout: 100 } })).toEqual({
      ...DEFAULTS,
      period: 30,
      notes: ['probe period: expected 1 to 30 s, found 100 s, taking 30 s'],
    });
  });
});

describe('A7: the probe port', () => {
  const bare = { ports: [] };
  const note = 'no port named mc-probe is declared and none is pinned: the gateway is not probed';

  it("is a node's own for type NodePort", () => {
    expect(readProbe(aLink(), aGatewayService({ type: 'NodePort' })).port).toBe(30_191);
  });

  it.each([
    ['pinned for the probe', { probe: { port: 1 }, gateway: { probePort: 2 } }, 1],
    ['pinned for the gateway', { gateway: { probePort: 2 } }, 2],
  ])('%s', (_title, document, port) => {
    expect(readProbe(aLink(document), aGatewayService())).toEqual({ ...DEFAULTS, port });
    expect(readProbe(aLink(document), undefined)).toEqual({ ...DEFAULTS, port });
  });

  it('neither declared nor pinned is a note, unless probing is off', () => {
    expect(readProbe(aLink(), aGatewayService(bare))).toEqual({
      ...DEFAULTS,
      port: undefined,
      notes: [note],
    });
    expect(readProbe(aLink(), undefined)).toEqual({ ...DEFAULTS, port: undefined, notes: [note] });
    expect(readProbe(aLink({ probe: { off: true } }), aGatewayService(bare)).notes).toEqual([]);
  });
});
