// Packets on a stream, however the network cuts it.
import { describe, expect, it } from 'vitest';
import { frame, splitFrames } from '../../lib/dns/framing.ts';

const bytes = (...values: readonly number[]): Buffer => Buffer.from(values);

describe('frame', () => {
  it('puts the length before the packet', () => {
    expect(frame(Buffer.alloc(258, 7))).toEqual(Buffer.concat([bytes(1, 2), Buffer.alloc(258, 7)]));
  });
});

describe('splitFrames', () => {
  it.each([
    ['nothing', [], [], []],
    ['half a length', [0], [], [0]],
    ['a length alone', [0, 2], [], [0, 2]],
    ['a part of a packet', [0, 2, 8], [], [0, 2, 8]],
    ['a packet', [0, 2, 8, 9], [[8, 9]], []],
    ['a packet and a part', [0, 2, 8, 9, 0, 1], [[8, 9]], [0, 1]],
    ['two packets', [0, 2, 8, 9, 0, 1, 7], [[8, 9], [7]], []],
    ['an empty packet', [0, 0, 0, 1, 7], [[], [7]], []],
  ])('%s', (_, stream, packets, rest) => {
    expect(splitFrames(bytes(...stream))).toEqual({
      packets: packets.map((packet) => bytes(...packet)),
      rest: bytes(...rest),
    });
  });
});
