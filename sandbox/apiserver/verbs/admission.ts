// Admission: no objects in namespaces that are missing or going away, no deletion of the permanent ones.
import type { Core } from '../core.ts';
import { PERMANENT_NAMESPACES, asNamespace } from '../resources/namespace.ts';
import { forbidden, notFound } from '../status.ts';
import { resourceOf } from './target.ts';
import type { Target } from './target.ts';

const NAMESPACES = { group: '', name: 'namespaces' };

export function admitCreate(core: Core, target: Target, name: string): void {
  const { namespace, type } = target;
  if (!type.namespaced) return;
  const entry = core.store.get('namespaces', { namespace: '', name: namespace });
  if (entry === undefined) throw notFound(NAMESPACES, namespace);
  if (asNamespace(entry.object).status.phase !== 'Terminating') return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(resourceOf(target), name, why, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]);
}

export function admitDelete(target: Target): void {
  if (target.type.resource !== 'namespaces' || !PERMANENT_NAMESPACES.includes(target.name)) return;
  throw forbidden(NAMESPACES, target.name, 'this namespace may not be deleted');
}
