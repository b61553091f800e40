// What a document changes of a stored link, field by field, and what its owner should know about that. Pure.
import { pathText, type Path } from '../lib/mistakes.ts';
import { linkSchema, type Access, type Link } from '../lib/model/link.ts';

export interface FieldChange {
  readonly field: string; // `gateway.port`
  readonly before?: unknown; // absent: there was nothing
  readonly after?: unknown; // absent: there is nothing any more
}

/** Every field that differs, in the order of the document; of a new link those that are not as by default. */
export function changesOf(link: Link, stored: Link | undefined): readonly FieldChange[] {
  if (stored !== undefined) return differences(stored, link);
  const { name, ...defaults } = linkSchema.parse({ name: link.name });
  return differences(defaults, { ...link, name: undefined }).map(({ field, after }) => ({ field, after }));
}

type Leaf = readonly [field: string, value: unknown];

function differences(before: object, after: object): FieldChange[] {
  const [old, now] = [new Map(leavesOf(before)), new Map(leavesOf(after))];
  const fields = [...now.keys(), ...[...old.keys()].filter((field) => !now.has(field))];
  return fields
    .filter((field) => JSON.stringify(old.get(field)) !== JSON.stringify(now.get(field)))
    .map((field) => ({
      field,
      ...(old.has(field) && { before: old.get(field) }),
      ...(now.has(field) && { after: now.get(field) }),
    }));
}

/** Lists are one value: what their order or length means is the field's business. */
function leavesOf(value: unknown, path: Path = []): readonly Leaf[] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[pathText(path), value]];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

/** What follows from a document that its owner may not expect. @param seen addresses at which its gateway is known to be */
export function notesOn(link: Link, stored: Link | undefined, seen: readonly string[]): readonly string[] {
  return [
    ...(stored !== undefined && leadsElsewhere(stored.source, link.source)
      ? ['source: mirrors that are in the former source cluster stay there; "unlink" first removes them']
      : []),
    ...(stored !== undefined && leadsElsewhere(stored.target, link.target)
      ? [
          'target: another cluster than before is refused as WrongCluster; "unlink" first, or use another name',
        ]
      : []),
    ...(link.allowedCIDRs.length === 0
      ? [
          `allowedCIDRs is empty: whatever the target names as its gateway is mirrored, but for the deny list${proposal(seen)}`,
        ]
      : []),
  ];
}

/** What would narrow a link to where its gateway is known to be. */
const proposal = (seen: readonly string[]): string =>
  seen.length === 0
    ? ''
    : `; now it is at ${seen.join(', ')}: ${seen.map((ip) => `--allowed-cidr ${ip}/${ip.includes(':') ? 128 : 32}`).join(' ')}, or the subnets of its load balancer`;

/** Whether two accesses may lead to different clusters: another role for the same one does not. */
function leadsElsewhere(before: Access | undefined, after: Access | undefined): boolean {
  const [old, now] = [placeOf(before), placeOf(after)];
  return old !== undefined && now !== undefined && old !== now;
}

function placeOf(access: Access | undefined): string | undefined {
  if (access === undefined) return undefined;
  if ('eks' in access) return access.eks;
  return 'secret' in access ? access.secret : access.kubeconfig;
}
