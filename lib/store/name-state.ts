// The stored form of a DNS name's state: plain JSON, checked when it is read back. Shared by every store.
import * as z from 'zod';
import { StateError } from '../errors.ts';
import { mistakeLine, mistakesOf } from '../mistakes.ts';
import type { NameState } from '../model/names.ts';
import type { Stored } from '../ports.ts';
import { recordSchema } from './gateway-state.ts';

const item = z.object({
  schema: z.literal(1),
  version: z.int('expected a whole number').min(1),
  nextCheckAt: z.number('expected seconds since the epoch'),
  record: recordSchema,
  links: z.array(z.string()),
  quiet: z.boolean(),
});

/**
 * @param where names the place in messages
 * @throws StateError naming every field that is not as it should be
 */
export function nameStateFrom(stored: unknown, where: string): Stored<NameState> {
  const parsed = item.safeParse(stored);
  if (!parsed.success) {
    const lines = mistakesOf(parsed.error.issues, item, stored).map(mistakeLine);
    throw new StateError(`${where}: ${lines.join('; ')}`);
  }
  const { version, ...value } = parsed.data;
  return { value, version };
}
