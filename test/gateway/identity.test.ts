// Which identity mirrors carry, by what is declared, what was accepted before and what the owner pinned.
import { describe, expect, it } from 'vitest';
import { identityDecision } from '../../lib/gateway/identity.ts';
import { KEY, aLink } from './support.ts';

const ONE = 'gw-1.linkerd.cluster.local';
const TWO = 'gw-2.linkerd.cluster.local';
const FOREIGN = 'gw.evil.test';
const SUBJECT =
  'gateway Service linkerd-multicluster/linkerd-gateway, annotation mirror.linkerd.io/gateway-identity';

describe('A7: the gateway identity', () => {
  it.each([
    ['first sight', ONE, undefined, ONE],
    ['unchanged', ONE, ONE, ONE],
    ['changed', TWO, ONE, TWO],
    ['never any', '', undefined, ''],
    ['never any, remembered as such', '', '', ''],
  ])('%s', (_title, declared, former, identity) => {
    expect(identityDecision(aLink(), declared, former)).toEqual({ identity });
  });

  it('emptied by the target: the former one stays', () => {
    expect(identityDecision(aLink(), '', ONE)).toEqual({
      identity: ONE,
      refusal: {
        ...KEY,
        reason: 'IdentityChanged',
        message: `${SUBJECT}: expected an identity, found none; ${ONE} stays`,
      },
    });
  });

  it.each([
    ['another one', 'gw-9.linkerd.cluster.local'],
    ['none', ''],
  ])('pinned by the owner: %s', (_title, identity) => {
    const link = aLink({ gateway: { identity, identitySuffix: 'linkerd.cluster.local' } });
    for (const declared of [ONE, '', FOREIGN]) {
      expect(identityDecision(link, declared, ONE)).toEqual({ identity });
      expect(identityDecision(link, declared, undefined)).toEqual({ identity });
    }
  });
});

describe('identitySuffix', () => {
  const link = aLink({ gateway: { identitySuffix: 'linkerd.cluster.local' } });

  it.each([
    ['inside', TWO, ONE, TWO],
    ['the suffix itself', 'linkerd.cluster.local', ONE, 'linkerd.cluster.local'],
  ])('%s is followed', (_title, declared, former, identity) => {
    expect(identityDecision(link, declared, former)).toEqual({ identity });
  });

  it.each([
    { title: 'moved outside', declared: FOREIGN, former: ONE, stays: ONE },
    { title: 'a longer last label', declared: 'gw.evillinkerd.cluster.local', former: ONE, stays: ONE },
    {
      title: 'inside only by its beginning',
      declared: 'linkerd.cluster.local.evil.test',
      former: ONE,
      stays: ONE,
    },
    { title: 'first sight outside', declared: FOREIGN, former: undefined, stays: 'none is written' },
    { title: 'the owner narrowed it', declared: FOREIGN, former: FOREIGN, stays: FOREIGN },
  ])('$title is refused', ({ declared, former, stays }) => {
    const ending = former === undefined ? stays : `${stays} stays`;
    expect(identityDecision(link, declared, former)).toEqual({
      identity: former ?? '',
      refusal: {
        ...KEY,
        reason: 'IdentityChanged',
        message: `${SUBJECT}: expected one inside linkerd.cluster.local, found ${declared}; ${ending}`,
      },
    });
  });

  it('may be written with a dot in front', () => {
    const dotted = aLink({ gateway: { identitySuffix: '.linkerd.cluster.local' } });
    expect(identityDecision(dotted, TWO, ONE)).toEqual({ identity: TWO });
    expect(identityDecision(dotted, 'gw.evillinkerd.cluster.local', ONE).identity).toBe(ONE);
  });
});

it('a link without a gateway is a mistake of the caller', () => {
  expect(() => identityDecision(aLink({ gateway: 'none' }), ONE, ONE)).toThrow(TypeError);
});
