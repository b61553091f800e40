// Which objects have to be read again for a mirror.
import { keyText, type ObjectKey } from '../model/keys.ts';
import type { Applied } from './apply.ts';

/** The mirror itself, and every other Service or Endpoints that its changes name. */
export const namesOf = (mirror: ObjectKey, members: readonly Applied[]): readonly ObjectKey[] => {
  const named = members
    .map(({ change }) => change)
    .filter(({ kind }) => kind === 'Service' || kind === 'Endpoints')
    .map(({ namespace, name }) => ({ namespace, name }));
  return [...new Map([mirror, ...named].map((key) => [keyText(key), key])).values()];
};
