// The difference of labels and annotations.
import { describe, expect, it } from 'vitest';
import { diffMap, diffMetadata, withoutEmpty } from '../../lib/plan/metadata.ts';
import { meta } from '../support/model-builders.ts';

interface Row {
  readonly name: string;
  readonly map: Record<string, string>;
  readonly droppable?: readonly string[];
  readonly wished: Record<string, string>;
  readonly ignored?: readonly string[];
  readonly patch: Record<string, string | null>;
  readonly reasons: readonly string[];
}

describe('diffMap', () => {
  it.each<Row>([
    { name: 'equal maps', map: { a: '1' }, droppable: ['a'], wished: { a: '1' }, patch: {}, reasons: [] },
    {
      name: 'a missing key is set',
      map: {},
      wished: { a: '1' },
      patch: { a: '1' },
      reasons: ['label a: (none) → 1'],
    },
    {
      name: 'C7: a changed value is set',
      map: { a: '1' },
      wished: { a: '2' },
      patch: { a: '2' },
      reasons: ['label a: 1 → 2'],
    },
    {
      name: 'G4: a key that is not wished and is ours is dropped',
      map: { a: '1' },
      droppable: ['a'],
      wished: {},
      patch: { a: null },
      reasons: ['label a: 1 → (none)'],
    },
    {
      name: 'G7: a key that is not wished and is not ours stays',
      map: { scrape: 'yes' },
      droppable: [],
      wished: {},
      patch: {},
      reasons: [],
    },
    {
      name: 'G7: a wished key is set even when somebody else wrote it last',
      map: { a: 'theirs' },
      droppable: [],
      wished: { a: 'ours' },
      patch: { a: 'ours' },
      reasons: ['label a: theirs → ours'],
    },
    {
      name: 'an ignored key is not dropped',
      map: { rv: '5' },
      droppable: ['rv'],
      wished: {},
      ignored: ['rv'],
      patch: {},
      reasons: [],
    },
    {
      name: 'a key that managedFields still names but the object has not is left alone',
      map: {},
      droppable: ['a'],
      wished: {},
      patch: {},
      reasons: [],
    },
    {
      name: 'an empty value is a value',
      map: {},
      wished: { a: '' },
      patch: { a: '' },
      reasons: ['label a: (none) → '],
    },
    {
      name: 'reasons are sorted by key, set ones first',
      map: { z: '1', b: '1' },
      droppable: ['z', 'y'],
      wished: { c: '1', a: '1' },
      patch: { a: '1', c: '1', z: null },
      reasons: ['label a: (none) → 1', 'label c: (none) → 1', 'label z: 1 → (none)'],
    },
  ])('$name', ({ map, droppable = [], wished, ignored, patch, reasons }) => {
    expect(diffMap('label', { map, droppable }, wished, ignored)).toEqual({ patch, reasons });
  });
});

describe('patches hold only what differs', () => {
  it('metadata', () => {
    const wished = { labels: { team: 'a' }, annotations: {} };
    const droppable = { labels: ['old'], annotations: [] };
    expect(diffMetadata(meta({ labels: { team: 'a' } }), wished)).toEqual({ patch: {}, reasons: [] });
    expect(diffMetadata(meta({ labels: { team: 'a', old: 'x' }, droppable }), wished)).toEqual({
      patch: { labels: { old: null } },
      reasons: ['label old: x → (none)'],
    });
    expect(diffMetadata(meta({ labels: { team: 'a' } }), { ...wished, annotations: { b: '1' } })).toEqual({
      patch: { annotations: { b: '1' } },
      reasons: ['annotation b: (none) → 1'],
    });
  });

  it('an empty list is content, an empty map and nothing at all are not', () => {
    expect(withoutEmpty({ subsets: [], metadata: {}, spec: undefined, ports: [{ port: 1 }] })).toEqual({
      subsets: [],
      ports: [{ port: 1 }],
    });
  });
});
