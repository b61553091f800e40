// httpProber against scripted targets: the contract, what is on the wire, and what is left behind.
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import type { Clock, Prober, ProbeResult, ProbeTarget } from '../../lib/ports.ts';
import { httpProber } from '../../lib/probe/http.ts';
import {
  dialling,
  startProbeTarget,
  type ScriptedTarget,
  type ScriptedTargetOptions,
} from '../../sandbox/probe-target.ts';
import { IPV4, IPV6, proberContract } from '../contract/prober.contract.ts';
import { until } from '../support/until.ts';
import { memoryProber } from './memory-prober.ts';
import { timeline } from './timeline.ts';

proberContract('httpProber and scripted targets', async () => {
  const targets = new Map([
    [IPV4, await startProbeTarget()],
    [IPV6, await startProbeTarget({ host: '::1' })],
  ]);
  const way = dialling(targets);
  let dials = 0;
  return {
    prober: httpProber({
      clock: systemClock,
      connectTo: (ip) => {
        dials += 1;
        return way(ip);
      },
    }),
    set: async (ip, behaviour) => targets.get(ip)?.set(behaviour),
    dials: () => dials,
    close: async () => {
      await Promise.all([...targets.values()].map((target) => target.close()));
    },
  };
});

proberContract('memoryProber', async () => {
  const prober = memoryProber(timeline());
  return {
    prober,
    set: async (ip, behaviour) => prober.set(ip, behaviour),
    dials: () => prober.dialled.length,
    close: async () => {},
  };
});

const started: ScriptedTarget[] = [];

/** A target that lives until the end of the test. */
const aScriptedTarget = async (options: ScriptedTargetOptions = {}): Promise<ScriptedTarget> => {
  const target = await startProbeTarget(options);
  started.push(target);
  return target;
};

afterEach(async () => {
  await Promise.all(started.splice(0).map((target) => target.close()));
});

/** Probes a target itself, without a detour; the filter lets loopback through here. */
const probe = (
  prober: Prober,
  { host, port }: ScriptedTarget,
  more: Partial<ProbeTarget> = {},
): Promise<ProbeResult> =>
  prober.probe(
    { ip: host, port, path: '/ready', timeoutMs: 20_000, anyAnswer: true, ...more },
    (ip) => ip === host,
  );

const direct = httpProber({ clock: systemClock });

const isLeft = (target: ScriptedTarget) =>
  until('the prober to leave', async () => target.connections().open === 0);

describe('on the wire', () => {
  it('is one GET of the path, and nothing else', async () => {
    const target = await aScriptedTarget();
    await probe(direct, target, { path: '/ready?verbose=1' });
    expect(target.requests).toEqual([
      {
        method: 'GET',
        path: '/ready?verbose=1',
        headers: {
          host: `127.0.0.1:${target.port}`,
          'user-agent': 'eks-service-mirror',
          connection: 'close',
        },
      },
    ]);
  });

  it('an IPv6 address stands in brackets', async () => {
    const target = await aScriptedTarget({ host: '::1' });
    expect(await probe(direct, target)).toMatchObject({ kind: 'alive', status: 200 });
    expect(target.requests[0]?.headers['host']).toBe(`[::1]:${target.port}`);
  });

  it('the host header can be chosen', async () => {
    const target = await aScriptedTarget();
    await probe(direct, target, { host: 'gateway.example.test' });
    expect(target.requests[0]?.headers['host']).toBe('gateway.example.test');
  });

  it('names the address that is meant, wherever it is dialled', async () => {
    const target = await aScriptedTarget();
    const prober = httpProber({ clock: systemClock, connectTo: dialling(new Map([[IPV4, target]])) });
    await prober.probe(
      { ip: IPV4, port: 4191, path: '/ready', timeoutMs: 20_000, anyAnswer: true },
      () => true,
    );
    expect(target.requests[0]?.headers['host']).toBe('192.0.2.10:4191');
  });

  it('follows no redirect', async () => {
    const target = await aScriptedTarget({ behaviour: 302 });
    expect(await probe(direct, target)).toMatchObject({ kind: 'alive', status: 302 });
    await isLeft(target);
    expect(target.requests.map(({ path }) => path)).toEqual(['/ready']);
  });

  it('every probe has a connection of its own', async () => {
    const target = await aScriptedTarget();
    for (let count = 0; count < 3; count += 1) await probe(direct, target);
    expect(target.connections().taken).toBe(3);
    await isLeft(target);
  });
});

describe('nothing is left behind', () => {
  it.each([200, 500, 'endlessBody', 'hugeHeaders', 'upgrade', 'garbage'] as const)(
    'after %s',
    async (behaviour) => {
      const target = await aScriptedTarget({ behaviour });
      await probe(direct, target);
      await isLeft(target);
      expect(target.connections().taken).toBe(1);
    },
  );

  it.each(['silent', 'slowHeaders', 'endlessBody'] as const)('B5: after a timeout, %s', async (behaviour) => {
    const target = await aScriptedTarget({ behaviour });
    await probe(direct, target, { timeoutMs: 100 });
    await isLeft(target);
    expect(target.connections().taken).toBe(1);
  });
});

describe('the time limit', () => {
  it('is handed to the clock once, for all of a probe, and its sleep ends with the probe', async () => {
    const target = await aScriptedTarget();
    const slept: { ms: number; ended: () => boolean }[] = [];
    const clock: Clock = {
      now: () => 0,
      sleep: (ms, signal) => {
        slept.push({ ms, ended: () => signal?.aborted ?? false });
        return new Promise(() => {});
      },
    };
    expect(await probe(httpProber({ clock }), target, { timeoutMs: 1_234 })).toEqual({
      kind: 'alive',
      status: 200,
      ms: 0,
    });
    expect(slept.map(({ ms, ended }) => [ms, ended()])).toEqual([[1_234, true]]);
  });

  it('holds before there is a connection', async () => {
    const target = await aScriptedTarget();
    const clock: Clock = { now: () => 0, sleep: () => Promise.resolve() };
    expect(await probe(httpProber({ clock }), target, { timeoutMs: 500 })).toEqual({
      kind: 'failed',
      why: 'no answer within 0.5 s',
    });
    await isLeft(target);
    expect(target.requests).toEqual([]);
  });
});

describe('what could not be asked is no failure of the gateway', () => {
  it.each<[string, Partial<ProbeTarget>, string]>([
    ['a path that fits no request line', { path: '/a b' }, 'ERR_UNESCAPED_CHARACTERS'],
    ['a path in another script', { path: '/готов' }, 'ERR_UNESCAPED_CHARACTERS'],
    ['a host with a line break', { host: 'a\r\nx: y' }, 'ERR_INVALID_CHAR'],
  ])('%s', async (_situation, more, code) => {
    const target = await aScriptedTarget();
    expect(await probe(direct, target, more)).toEqual({
      kind: 'unknown',
      why: `could not be asked: ${code}`,
    });
    expect(target.connections().taken).toBe(0);
  });

  it('an address that nobody stands for', async () => {
    const prober = httpProber({ clock: systemClock, connectTo: () => undefined });
    expect(await probe(prober, await aScriptedTarget())).toEqual({
      kind: 'unknown',
      why: 'cannot be reached from here',
    });
  });
});
