// Which objects have to be read again for a mirror.
import { keyText, type ObjectKey } from '../model/keys.ts';
import type { Applied } from './apply.ts';

/** The mirror itself, its parts, and every other Service or Endpoints that its changes name. */
export const namesOf = (mirror: ObjectKey, members: readonly Applied[]): readonly ObjectKey[] => {
  const named = members.flatMap(({ change: { kind, namespace, name, part } }) => [
    ...(part === undefined ? [] : [part]), // the only name that tells whose a slice is
    ...(kind === 'Service' || kind === 'Endpoints' ? [{ namespace, name }] : []),
  ]);
  return [...new Map([mirror, ...named].map((key) => [keyText(key), key])).values()];
};
