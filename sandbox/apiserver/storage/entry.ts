// One stored version of an object, with its JSON made once for every answer that carries it.
import type { Key, KubeObject, ResourceType } from '../types.ts';

export const keyOf = ({ metadata }: KubeObject): Key => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});

/** Sorts as the keys of etcd do: namespace and name as one string. */
export const keyText = ({ namespace, name }: Key): string =>
  namespace === '' ? name : `${namespace}/${name}`;

export class Entry {
  readonly type: ResourceType;
  readonly key: string;
  readonly namespace: string;
  /** Never changed: whoever wants to change it works on a copy. */
  readonly object: KubeObject;
  readonly revision: number;
  #body: string | undefined;
  #metadata: string | undefined;

  constructor(type: ResourceType, object: KubeObject, revision: number) {
    const { namespace = '', name } = object.metadata;
    this.type = type;
    this.namespace = namespace;
    this.key = keyText({ namespace, name });
    this.object = object;
    this.revision = revision;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.object.metadata.labels ?? {};
  }

  /** The object's JSON without kind and apiVersion and without its opening brace. */
  get #open(): string {
    this.#body ??= JSON.stringify(this.object).slice(1);
    return this.#body;
  }

  json(version: string): string {
    return `{"kind":"${this.type.kind}","apiVersion":"${groupVersion(this.type, version)}",${this.#open}`;
  }

  /** As an item of a list: built-in kinds leave kind and apiVersion out, custom resources do not. */
  itemJson(version: string): string {
    return this.type.custom ? this.json(version) : `{${this.#open}`;
  }

  /** As meta.k8s.io/v1 PartialObjectMetadata. */
  get metadataJson(): string {
    this.#metadata ??= JSON.stringify({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: this.object.metadata,
    });
    return this.#metadata;
  }
}

/** apiVersion of a version of a kind. */
export const groupVersion = ({ group }: { readonly group: string }, version: string): string =>
  group === '' ? version : `${group}/${version}`;
