// What a request is about, and how it wants a write to be done.
import { groupVersion } from '../storage/entry.ts';
import type { Key, ResourceType, Subresource } from '../types.ts';
import type { Qualified } from '../status.ts';

export interface Target {
  readonly type: ResourceType;
  readonly version: string;
  /** '' for kinds without one, and for lists of all namespaces. */
  readonly namespace: string;
  /** '' for collections. */
  readonly name: string;
  readonly subresource: Subresource;
}

export interface WriteOptions {
  readonly manager: string;
  readonly dryRun: boolean;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  /** Sent back as a Warning header. */
  readonly warn: (message: string) => void;
}

export const resourceOf = ({ type }: Target): Qualified => ({ group: type.group, name: type.resource });
export const kindOf = ({ type }: Target): Qualified => ({ group: type.group, name: type.kind });
export const apiVersionOf = ({ type, version }: Target): string => groupVersion(type, version);
export const keyOfTarget = ({ namespace, name }: Target): Key => ({ namespace, name });
