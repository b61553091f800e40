// What every Prober must do, whatever it probes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Prober, ProbeResult, ProbeTarget } from '../../lib/ports.ts';
import type { TargetBehaviour } from '../../sandbox/probe-target.ts';

/** A prober, and the gateway addresses that it can probe. */
export interface ProberWorld {
  readonly prober: Prober;
  /** Makes IPV4 or IPV6 behave so from now on. */
  set(ip: string, behaviour: TargetBehaviour): Promise<void>;
  /** How often anything was dialled so far. */
  dials(): number;
  close(): Promise<void>;
}

export const IPV4 = '192.0.2.10';
export const IPV6 = '2001:db8::10';

const LONG = 20_000; // ms; generous, because a busy machine must not fail a probe
const SHORT = 150; // ms; for what never answers

const anyone = (): boolean => true;

const aTarget = (target: Partial<ProbeTarget> = {}): ProbeTarget => ({
  ip: IPV4,
  port: 4191,
  path: '/ready',
  timeoutMs: LONG,
  anyAnswer: true,
  ...target,
});

/** A result without what a clock has measured. */
const told = (result: ProbeResult): string =>
  result.kind === 'alive' ? `alive ${result.status}` : `${result.kind}: ${result.why}`;

export const proberContract = (title: string, start: () => Promise<ProberWorld>): void => {
  describe(`Prober contract: ${title}`, () => {
    let world: ProberWorld;
    beforeAll(async () => {
      world = await start();
    });
    afterAll(() => world.close());

    const probing = async (behaviour: TargetBehaviour, target: Partial<ProbeTarget> = {}) => {
      await world.set(target.ip ?? IPV4, behaviour);
      return told(await world.prober.probe(aTarget(target), anyone));
    };

    const answers: readonly (readonly [behaviour: TargetBehaviour, any: string, strict: string])[] = [
      [200, 'alive 200', 'alive 200'],
      [204, 'alive 204', 'failed: HTTP 204'],
      [302, 'alive 302', 'failed: HTTP 302'],
      [403, 'alive 403', 'failed: HTTP 403'],
      [404, 'alive 404', 'failed: HTTP 404'],
      [500, 'alive 500', 'failed: HTTP 500'],
      [503, 'alive 503', 'failed: HTTP 503'],
      ['upgrade', 'alive 101', 'failed: HTTP 101'],
      ['endlessBody', 'alive 200', 'alive 200'],
      ['bigHeaders', 'alive 200', 'alive 200'],
    ];
    it.each(answers)('an answer: %s', async (behaviour, any, strict) => {
      expect(await probing(behaviour)).toBe(any);
      expect(await probing(behaviour, { anyAnswer: false })).toBe(strict);
    });

    const troubles: readonly (readonly [behaviour: TargetBehaviour, why: string])[] = [
      ['refused', 'connection refused'],
      ['hangUp', 'connection closed without an answer'],
      ['garbage', 'no HTTP answer'],
      ['hugeHeaders', 'headers of more than 16 KB'],
    ];
    it.each(troubles)('no answer: %s', async (behaviour, why) => {
      expect(await probing(behaviour)).toBe(`failed: ${why}`);
    });

    it.each(['silent', 'slowHeaders'] as const)('B5: no answer in time: %s', async (behaviour) => {
      expect(await probing(behaviour, { timeoutMs: SHORT })).toBe('failed: no answer within 0.15 s');
    });

    it('an IPv6 address', async () => {
      expect(await probing(200, { ip: IPV6 })).toBe('alive 200');
      expect(await probing('refused', { ip: IPV6 })).toBe('failed: connection refused');
    });

    it('one that comes back is found', async () => {
      expect(await probing('refused')).toBe('failed: connection refused');
      expect(await probing(200)).toBe('alive 200');
    });

    it('tells how long the answer took', async () => {
      await world.set(IPV4, 200);
      const result = await world.prober.probe(aTarget(), anyone);
      expect(result).toEqual({ kind: 'alive', status: 200, ms: expect.any(Number) });
    });

    it.each([
      ['refused by the filter', {}, () => false, 'refused by the address filter'],
      [
        'refused by the filter, among others',
        {},
        (ip: string) => ip !== IPV4,
        'refused by the address filter',
      ],
      ['a name', { ip: 'gateway.example.test' }, anyone, 'not an IP address in plain form'],
      ['localhost', { ip: 'localhost' }, anyone, 'not an IP address in plain form'],
      ['no text', { ip: '' }, anyone, 'not an IP address in plain form'],
      ['a short form', { ip: '127.1' }, anyone, 'not an IP address in plain form'],
      ['leading zeros', { ip: '192.0.2.010' }, anyone, 'not an IP address in plain form'],
      ['an address with a zone', { ip: 'fe80::1%lo' }, anyone, 'not an IP address in plain form'],
      ['port 0', { port: 0 }, anyone, 'not a port from 1 to 65535'],
      ['port 65536', { port: 65_536 }, anyone, 'not a port from 1 to 65535'],
    ])('never dialled: %s', async (_situation, target, mayDial, why) => {
      await world.set(IPV4, 200);
      const before = world.dials();
      const result = await world.prober.probe(aTarget(target), mayDial);
      expect(result).toEqual({ kind: 'unknown', why });
      expect(world.dials()).toBe(before);
      await world.prober.probe(aTarget(), anyone);
      expect(world.dials()).toBe(before + 1);
    });
  });
};
