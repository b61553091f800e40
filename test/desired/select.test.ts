// Which Services a link selects, and in which mode.
import { describe, expect, it } from 'vitest';
import { exportMode, isFederatedMember, isMirror, selects } from '../../lib/desired/select.ts';
import type { LabelSelector } from '../../lib/model/link.ts';
import type { StringMap } from '../../lib/model/objects.ts';
import { linkOf } from '../support/lab.ts';
import { exported } from '../support/model-builders.ts';

const NOTHING: LabelSelector = { matchLabels: {}, matchExpressions: [] };

interface Row {
  readonly name: string;
  readonly selector: Partial<LabelSelector>;
  readonly labels: StringMap;
  readonly expected: boolean;
}

const row = (name: string, selector: Partial<LabelSelector>, labels: StringMap, expected: boolean): Row => ({
  name,
  selector,
  labels,
  expected,
});

const needs = (
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist',
  values: string[] = [],
): Partial<LabelSelector> => ({ matchExpressions: [{ key: 'k', operator, values }] });

describe('selects', () => {
  it.each<Row>([
    row('F2: an empty selector selects nothing', {}, { k: 'a' }, false),
    row('F2: an empty selector selects nothing, not even without labels', {}, {}, false),
    row('F1: the value has to be equal', { matchLabels: { k: 'a' } }, { k: 'a' }, true),
    row('F1: another value is not selected', { matchLabels: { k: 'true' } }, { k: 'false' }, false),
    row('a missing label is not selected', { matchLabels: { k: 'a' } }, {}, false),
    row('an empty value is a value', { matchLabels: { k: '' } }, { k: '' }, true),
    row('an empty value is not a missing label', { matchLabels: { k: '' } }, {}, false),
    row('all labels have to match', { matchLabels: { k: 'a', m: 'b' } }, { k: 'a', m: 'c' }, false),
    row('more labels than asked for do no harm', { matchLabels: { k: 'a' } }, { k: 'a', m: 'c' }, true),
    row('In: one of the values', needs('In', ['a', 'b']), { k: 'b' }, true),
    row('In: none of the values', needs('In', ['a', 'b']), { k: 'c' }, false),
    row('In: no such label', needs('In', ['a']), {}, false),
    row('NotIn: none of the values', needs('NotIn', ['a']), { k: 'b' }, true),
    row('NotIn: one of the values', needs('NotIn', ['a']), { k: 'a' }, false),
    row('NotIn: no such label', needs('NotIn', ['a']), {}, true),
    row('Exists: whatever the value', needs('Exists'), { k: '' }, true),
    row('Exists: no such label', needs('Exists'), { m: 'a' }, false),
    row('DoesNotExist: no such label', needs('DoesNotExist'), { m: 'a' }, true),
    row('DoesNotExist: the label is there', needs('DoesNotExist'), { k: 'a' }, false),
    row(
      'labels and expressions both have to match',
      { matchLabels: { m: 'x' }, ...needs('Exists') },
      { k: 'a' },
      false,
    ),
    row(
      'a name that every JavaScript object has is no label',
      { matchExpressions: [{ key: 'constructor', operator: 'Exists', values: [] }] },
      {},
      false,
    ),
  ])('$name', ({ selector, labels, expected }) => {
    expect(selects({ ...NOTHING, ...selector }, labels)).toBe(expected);
  });
});

const withLabels = (labels: StringMap) => exported({ meta: { labels } });

describe('exportMode', () => {
  it.each<[string, StringMap, 'gateway' | 'remote-discovery' | undefined]>([
    ['F1: exported=true is gateway mode', { 'mirror.linkerd.io/exported': 'true' }, 'gateway'],
    [
      'F4: exported=remote-discovery is remote discovery',
      { 'mirror.linkerd.io/exported': 'remote-discovery' },
      'remote-discovery',
    ],
    ['F1: exported=false is not exported', { 'mirror.linkerd.io/exported': 'false' }, undefined],
    ['no label is not exported', {}, undefined],
    [
      'E6: a mirror is not exported whatever else it is labelled',
      { 'mirror.linkerd.io/exported': 'true', 'mirror.linkerd.io/mirrored-service': 'true' },
      undefined,
    ],
    [
      'E6: nor is what carries a cluster name',
      { 'mirror.linkerd.io/exported': 'true', 'mirror.linkerd.io/cluster-name': 'east' },
      undefined,
    ],
  ])('%s', (_name, labels, expected) => {
    expect(exportMode(linkOf(), withLabels(labels))).toBe(expected);
  });

  it('where both selectors match, remote discovery wins', () => {
    const link = linkOf({
      selector: { matchLabels: { expose: 'yes' } },
      remoteDiscoverySelector: { matchLabels: { tier: 'front' } },
    });
    expect(exportMode(link, withLabels({ expose: 'yes', tier: 'front' }))).toBe('remote-discovery');
    expect(exportMode(link, withLabels({ expose: 'yes' }))).toBe('gateway');
  });

  it('F2: a link whose selectors are empty exports nothing', () => {
    const link = linkOf({ selector: {}, remoteDiscoverySelector: {} });
    expect(exportMode(link, exported())).toBeUndefined();
  });
});

describe('isMirror and isFederatedMember', () => {
  it.each<[string, StringMap, boolean, boolean]>([
    ['an ordinary Service', { tier: 'front' }, false, false],
    ['a member of a federated Service', { 'mirror.linkerd.io/federated': 'member' }, false, true],
    ['another value of that label', { 'mirror.linkerd.io/federated': 'no' }, false, false],
    [
      'E6: a mirror that carries the label of members',
      { 'mirror.linkerd.io/federated': 'member', 'mirror.linkerd.io/mirrored-service': 'true' },
      true,
      false,
    ],
    ['a federated Service itself', { 'mirror.linkerd.io/mirrored-service': 'true' }, true, false],
    ['a mirror with a false mark', { 'mirror.linkerd.io/mirrored-service': 'false' }, true, false],
  ])('%s', (_name, labels, mirror, member) => {
    expect(isMirror(withLabels(labels))).toBe(mirror);
    expect(isFederatedMember(linkOf(), withLabels(labels))).toBe(member);
  });

  it('F2: an empty federated selector makes nobody a member', () => {
    const link = linkOf({ federatedServiceSelector: {} });
    expect(isFederatedMember(link, withLabels({ 'mirror.linkerd.io/federated': 'member' }))).toBe(false);
  });
});
