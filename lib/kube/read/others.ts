// The small kinds: v1 Namespace, coordination.k8s.io/v1 Lease, networking.k8s.io/v1 ServiceCIDR.
import type { Lease, Namespace, ServiceRange } from '../../model/objects.ts';
import { timeOf } from '../../model/microtime.ts';
import { type Raw, listOf } from './json.ts';
import { type RawObject, readMeta } from './meta.ts';

interface RawNamespace extends RawObject {
  readonly status?: Raw<{ readonly phase: string }> | null;
}

export function readNamespace(raw: RawNamespace): Namespace {
  const meta = readMeta(raw);
  return { meta, terminating: meta.deleting || raw.status?.phase === 'Terminating' };
}

interface RawLease extends RawObject {
  readonly spec?: Raw<{
    readonly holderIdentity: string;
    readonly renewTime: string;
    readonly leaseDurationSeconds: number;
    readonly leaseTransitions: number;
  }> | null;
}

export const readLease = (raw: RawLease): Lease => ({
  meta: readMeta(raw),
  holder: raw.spec?.holderIdentity ?? '',
  renewedAt: timeOf(raw.spec?.renewTime),
  durationSeconds: raw.spec?.leaseDurationSeconds ?? 0,
  transitions: raw.spec?.leaseTransitions ?? 0,
});

interface RawServiceCIDR extends RawObject {
  readonly spec?: Raw<{ readonly cidrs: readonly string[] }> | null;
}

export const readServiceRange = (raw: RawServiceCIDR): ServiceRange => ({
  meta: readMeta(raw),
  cidrs: listOf(raw.spec?.cidrs),
});
