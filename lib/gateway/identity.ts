// Whose mTLS identity mirrors carry. Only the link's owner can drop it: without it proxies would talk to the gateway unauthenticated.
//
//   declared             former      written     refusal
//   pinned (also "")     any         the pin     –
//   none                 none        none        –
//   none                 X           X           IdentityChanged
//   inside the suffix    any         declared    –
//   outside the suffix   X           X           IdentityChanged
//   outside the suffix   none        none        IdentityChanged
import { keyText } from '../model/keys.ts';
import { GATEWAY_IDENTITY } from '../model/labels.ts';
import type { Link } from '../model/link.ts';
import type { Refusal } from '../model/plan.ts';
import { gatewayKey, gatewayOf } from './gateway-link.ts';

export interface IdentityDecision {
  readonly identity: string; // '' = write no annotation
  readonly refusal?: Refusal;
}

/** Whole labels only: `evilcluster.local` is not inside `cluster.local`. */
const isInside = (identity: string, suffix: string | undefined): boolean => {
  if (suffix === undefined) return true;
  const bare = suffix.replace(/^\./, '');
  return identity === bare || identity.endsWith(`.${bare}`);
};

/**
 * @param declared of the gateway Service, '' when it declares none
 * @param former the identity that was accepted last, '' or undefined when there was none
 * @throws TypeError for a link without a gateway
 */
export const identityDecision = (
  link: Link,
  declared: string,
  former: string | undefined,
): IdentityDecision => {
  const gateway = gatewayOf(link);
  const { identity: pin, identitySuffix } = gateway;
  const kept = former ?? '';
  if (pin !== undefined) return { identity: pin };
  if (declared === '' && kept === '') return { identity: '' };
  if (declared !== '' && isInside(declared, identitySuffix)) return { identity: declared };
  const expected = declared === '' ? 'an identity' : `one inside ${identitySuffix}`;
  const found = declared === '' ? 'none' : declared;
  const stays = kept === '' ? 'none is written' : `${kept} stays`;
  const what = `gateway Service ${keyText(gateway)}, annotation ${GATEWAY_IDENTITY}`;
  const message = `${what}: expected ${expected}, found ${found}; ${stays}`;
  return { identity: kept, refusal: { ...gatewayKey(gateway), reason: 'IdentityChanged', message } };
};
