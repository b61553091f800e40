// Lines in a pipe and on a terminal.
import { describe, expect, it } from 'vitest';
import { columns } from '../../sandbox/view/columns.ts';
import type { Finding, PresentMirror } from '../../sandbox/story/mirrors.ts';
import { watchMirrors } from '../../sandbox/view/live.ts';
import { findingLines } from '../../sandbox/view/mirror-lines.ts';
import { plainView, terminalView, type View } from '../../sandbox/view/view.ts';
import { testClock } from '../support/clock.ts';

interface Recorded {
  readonly view: View;
  readonly text: () => string;
}

function recorded(
  open: (output: { isTTY: boolean; columns: number; write: (part: string) => void }) => View,
): Recorded {
  let text = '';
  const view = open({ isTTY: true, columns: 12, write: (part) => (text += part) });
  return { view, text: () => text };
}

const ESCAPE = '\u001B';
const CODES = new RegExp(`${ESCAPE}\\[(\\d+)F|(${ESCAPE}\\[J)|([^${ESCAPE}]+)`, 'g');

/** What a terminal shows after this text: it knows the two codes that are used to go back. */
function shown(text: string): readonly string[] {
  const lines: string[] = [''];
  for (const [, up, clear, chars] of text.matchAll(CODES)) {
    if (up !== undefined) lines.splice(lines.length - 1 - Number(up), Number(up) + 1, '');
    if (clear === undefined && chars !== undefined) {
      const [first = '', ...rest] = chars.split('\n');
      lines[lines.length - 1] += first;
      lines.push(...rest);
    }
  }
  return lines;
}

describe('a terminal', () => {
  it('replaces the lines that are shown and keeps those that are said', () => {
    const { view, text } = recorded((output) => terminalView(output, false));
    view.say('one');
    view.show(['a', 'b']);
    view.show(['c']);
    view.say('two', 'three');
    view.show(['d']);
    view.show([]);
    view.show(['e']);
    expect(shown(text())).toStrictEqual(['one', 'two', 'three', 'e', '']);
  });

  it('writes nothing when nothing has changed', () => {
    const { view, text } = recorded((output) => terminalView(output, false));
    view.show(['a']);
    const before = text();
    view.show(['a']);
    expect(text()).toBe(before);
    view.show(['b']);
    expect(text()).not.toBe(before);
  });

  it('cuts what would wrap', () => {
    const { view, text } = recorded((output) => terminalView(output, true));
    view.show([
      '123456789012',
      '1234567890123',
      view.paint('good', '123456789012'),
      view.paint('good', '1234567890123'),
    ]);
    const painted = '\u001B[32m123456789012\u001B[0m';
    expect(text()).toBe(`\u001B[J123456789012\n12345678901…\n${painted}\n12345678901…\n`);
  });

  it('has colour unless it is not wanted', () => {
    expect(recorded((output) => terminalView(output, true)).view.paint('bad', 'x')).toBe(
      '\u001B[31mx\u001B[0m',
    );
    expect(recorded((output) => terminalView(output, false)).view.paint('bad', 'x')).toBe('x');
  });
});

it('a pipe gets what is said and nothing else', () => {
  const { view, text } = recorded(plainView);
  view.show(['a']);
  view.say('one', view.paint('good', 'two'));
  view.show(['b']);
  expect(text()).toBe('one\ntwo\n');
});

it('columns are as wide as their widest cell', () => {
  expect(columns([['a', 'bb', ''], ['ccc', 'd', 'e'], ['f']])).toStrictEqual(['a    bb', 'ccc  d   e', 'f']);
});

const MIRRORS: readonly PresentMirror[] = [
  {
    name: 'shop/a-west',
    addresses: ['192.0.2.1', '192.0.2.2'],
    ports: ['http:4143', 'grpc:4143'],
    clusterIP: '10.96.0.9',
    version: '1',
  },
  { name: 'shop/b-west', addresses: 'elsewhere', ports: [], clusterIP: '10.96.0.8', version: '1' },
  { name: 'shop/c-west', addresses: [], ports: [], clusterIP: '10.96.0.7', version: '1' },
];

describe('findings', () => {
  const pods = ['db-0', 'db-1'].map((hostname) => ({ hostname, mirror: `shop/${hostname}-west` }));
  const four = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'];

  it('have a line for each pod, and for two addresses of the gateway', () => {
    const there = { ports: [], version: '1' };
    const findings: readonly Finding[] = [
      {
        name: 'shop/db-west',
        kind: 'ok',
        expected: { name: 'shop/db-west', addresses: { pods }, ports: [] },
        present: {
          ...there,
          name: 'shop/db-west',
          addresses: ['db-0=10.96.0.7', 'db-1=10.96.0.8'],
          clusterIP: 'None',
        },
      },
      {
        name: 'shop/db-0-west',
        kind: 'stale',
        expected: { name: 'shop/db-0-west', addresses: four, ports: [] },
        present: { ...there, name: 'shop/db-0-west', addresses: four.slice(0, 1), clusterIP: '10.96.0.7' },
        why: 'other addresses',
      },
      {
        name: 'shop/db-1-west',
        kind: 'missing',
        expected: { name: 'shop/db-1-west', addresses: [], ports: [] },
        present: undefined,
      },
    ];
    expect(findingLines(findings, { paint: (_, text) => text })).toStrictEqual([
      '     mirror          cluster IP  expected             there',
      '   ✓ shop/db-west    None        db-0=db-0-west       db-0=10.96.0.7',
      '                                 db-1=db-1-west       db-1=10.96.0.8',
      '   ✗ shop/db-0-west  10.96.0.7   192.0.2.1 192.0.2.2  192.0.2.1',
      '                                 192.0.2.3 192.0.2.4',
      '   ✗ shop/db-1-west              no address           no mirror',
    ]);
  });
});

describe('mirrors without a story', () => {
  /** Lets them be watched as long as there are states, then ends it. */
  async function watched(
    open: Parameters<typeof recorded>[0],
    states: readonly (readonly PresentMirror[])[],
  ): Promise<string> {
    const { view, text } = recorded(open);
    const left = [...states];
    const end = new AbortController();
    const clock = testClock();
    const read = (): Promise<readonly PresentMirror[]> => Promise.resolve(left.shift() ?? []);
    const sleep = (): Promise<void> =>
      left.length > 0 ? Promise.resolve() : Promise.reject(new Error('ended'));
    await expect(
      watchMirrors({ view, read, signal: end.signal, clock: { ...clock, sleep } }),
    ).rejects.toThrow('ended');
    return text();
  }

  it('are a table on a terminal', async () => {
    const text = await watched(
      (output) => terminalView({ ...output, columns: 80 }, false),
      [MIRRORS.slice(1), MIRRORS],
    );
    expect(shown(text)).toStrictEqual([
      '   mirror       cluster IP  addresses                ports',
      '   shop/a-west  10.96.0.9   192.0.2.1 192.0.2.2      http:4143 grpc:4143',
      '   shop/b-west  10.96.0.8   none (remote discovery)',
      '   shop/c-west  10.96.0.7   no address',
      '',
    ]);
  });

  it('are a line for each change in a pipe', async () => {
    const [a, ...others] = MIRRORS;
    const changed = others.map((mirror) => ({ ...mirror, clusterIP: '10.96.0.6' })).slice(1);
    expect(await watched(plainView, [MIRRORS, others, others, changed])).toBe(`\
   shop/a-west  10.96.0.9  192.0.2.1 192.0.2.2  http:4143 grpc:4143
   shop/b-west  10.96.0.8  none (remote discovery)
   shop/c-west  10.96.0.7  no address
   ${a?.name} is gone
   shop/c-west  10.96.0.6  no address
   shop/b-west is gone
`);
  });
});
