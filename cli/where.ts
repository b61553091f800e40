// Whether `plan`, `sync`, `status` and `gateways` work on two clusters from here, or on a deployed link.
import type { FlagName } from './flag-rows.ts';
import { flagText, isGiven, type GivenFlags } from './flags.ts';

/** Flags that lead to clusters: with any of them, the work is done here. */
const LEADING = [
  'source-kubeconfig',
  'source-context',
  'target-kubeconfig',
  'target-context',
  'link-file',
] as const satisfies readonly FlagName[];

/** Flags for two clusters from here, beside those that lead to them. A deployed link has all this stored, or in its functions. */
const ONLY_HERE = [
  'dns',
  'endpoints',
  'gateway-address',
  'gateway-port',
  'allowed-cidr',
  'allowed-hostname',
  'state',
  'show-objects',
] as const satisfies readonly FlagName[];

const ONLY_DEPLOYED = ['stage', 'region', 'url'] as const satisfies readonly FlagName[];

export type Where =
  | { readonly kind: 'here'; readonly mistakes: readonly string[] }
  | { readonly kind: 'deployed'; readonly mistakes: readonly string[] };

/** @param alsoHere flags of this command that only make sense on two clusters */
export function whereOf(flags: GivenFlags, alsoHere: readonly FlagName[] = []): Where {
  const leading = LEADING.find((name) => isGiven(flags, name));
  if (leading !== undefined) {
    const text = `only for a deployed link, not beside ${flagText(leading)}`;
    return { kind: 'here', mistakes: misplaced(flags, ONLY_DEPLOYED, text) };
  }
  const text = 'only beside --source-kubeconfig and --target-kubeconfig, not for a deployed link';
  return { kind: 'deployed', mistakes: misplaced(flags, [...ONLY_HERE, ...alsoHere], text) };
}

const misplaced = (flags: GivenFlags, names: readonly FlagName[], text: string): string[] =>
  names.filter((name) => isGiven(flags, name)).map((name) => `${flagText(name)}: ${text}`);
