// Plays the namespace controller: empties a namespace that is going away, then lets it go.
import { asNamespace, KUBERNETES_FINALIZER } from './resources/namespace.ts';
import { RESOURCES } from './resources/registry.ts';
import type { Core } from './core.ts';
import { keyOf } from './storage/entry.ts';
import { deleteObject } from './verbs/delete.ts';
import type { KubeObject } from './types.ts';

/** Works at once on every namespace that turns Terminating. */
export function startNamespaceController(core: Core): void {
  core.store.subscribe('namespaces', ({ type, entry }) => {
    if (type === 'DELETED' || asNamespace(entry.object).status.phase !== 'Terminating') return;
    finish(core, entry.object);
  });
}

function finish(core: Core, namespace: KubeObject): void {
  const { name } = namespace.metadata;
  const current = core.store.get('namespaces', keyOf(namespace))?.object;
  if (current === undefined || !(asNamespace(current).spec.finalizers ?? []).includes(KUBERNETES_FINALIZER))
    return;
  empty(core, name);
  if (RESOURCES.some((type) => type.namespaced && core.store.list(type.resource, name).length > 0)) return;
  const { spec } = asNamespace(current);
  const finalizers = (spec.finalizers ?? []).filter((finalizer) => finalizer !== KUBERNETES_FINALIZER);
  const held = finalizers.length > 0 || (current.metadata.finalizers ?? []).length > 0;
  core.store.put('namespaces', { ...current, spec: finalizers.length > 0 ? { finalizers } : {} });
  if (!held) core.store.remove('namespaces', keyOf(current));
}

function empty(core: Core, namespace: string): void {
  for (const type of RESOURCES) {
    if (!type.namespaced) continue;
    for (const { object } of core.store.list(type.resource, namespace)) {
      const { name } = object.metadata;
      // An earlier deletion may have taken this one along (a Service its Endpoints).
      if (core.store.get(type.resource, { namespace, name }) === undefined) continue;
      deleteObject(
        core,
        { type, version: type.versions[0] ?? '', namespace, name, subresource: '' },
        { dryRun: false },
      );
    }
  }
}
