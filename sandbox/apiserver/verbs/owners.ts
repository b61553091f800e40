// Owner references that are named twice count once, and the writer is warned.
import { equal } from '../json.ts';
import type { KubeObject, OwnerReference } from '../types.ts';
import type { WriteOptions } from './target.ts';

/** @param when what the warning says of the moment: nothing for a whole object, that of admission for a patch */
export function dropRepeatedOwners({ metadata }: KubeObject, options: WriteOptions, when = ''): void {
  const owners = metadata.ownerReferences ?? [];
  const repeated = owners.filter((owner, index) => owners.findIndex((other) => equal(other, owner)) < index);
  if (repeated.length === 0) return;
  const kept: OwnerReference[] = owners.filter((owner) => !repeated.includes(owner));
  metadata.ownerReferences = kept;
  const uids = repeated.map(({ uid }) => uid).join(', ');
  options.warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
  );
}
