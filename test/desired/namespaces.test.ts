// Which namespaces a link may write to.
import { describe, expect, it } from 'vitest';
import { namespaceDenial } from '../../lib/desired/namespaces.ts';
import type { LinkDocument } from '../../lib/model/link.ts';
import { linkOf } from '../support/lab.ts';

type Rules = NonNullable<LinkDocument['namespaces']>;

describe('namespaceDenial', () => {
  it.each<[string, Rules | undefined, string, string | undefined]>([
    ['by default an ordinary one is allowed', undefined, 'shop', undefined],
    ['by default kube-system is denied', undefined, 'kube-system', 'namespaces.deny has "kube-*"'],
    ['a pattern needs what stands before its star', undefined, 'kube', undefined],
    ['a pattern begins at the beginning', undefined, 'my-kube-system', undefined],
    ['by default linkerd is denied', undefined, 'linkerd', 'namespaces.deny has "linkerd*"'],
    ['by default linkerd-viz is denied', undefined, 'linkerd-viz', 'namespaces.deny has "linkerd*"'],
    ['an emptied deny list denies nothing', { deny: [] }, 'kube-system', undefined],
    ['an exact name', { deny: ['shop'] }, 'shop', 'namespaces.deny has "shop"'],
    ['an exact name is not a prefix', { deny: ['shop'] }, 'shop-2', undefined],
    ['an allow list allows what it has', { allow: ['shop', 'pay-*'] }, 'pay-eu', undefined],
    [
      'an allow list denies the rest',
      { allow: ['shop', 'pay-*'] },
      'other',
      'namespaces.allow has only "shop", "pay-*"',
    ],
    [
      'deny wins over allow',
      { allow: ['shop-*'], deny: ['shop-secret'] },
      'shop-secret',
      'namespaces.deny has "shop-secret"',
    ],
    ['a star in the middle', { deny: ['a*z'] }, 'a-to-z', 'namespaces.deny has "a*z"'],
    ['a star alone', { deny: ['*'] }, 'anything', 'namespaces.deny has "*"'],
  ])('%s', (_name, namespaces, name, expected) => {
    expect(namespaceDenial(linkOf(namespaces === undefined ? {} : { namespaces }), name)).toBe(expected);
  });
});
