// Cluster IPs and IP families of a Service: filled in from each other, allocated, released.
import type { FieldError } from '../field-errors.ts';
import { invalidValue } from '../field-errors.ts';
import { equal, trusted } from '../json.ts';
import { internalError, invalid } from '../status.ts';
import type { Cluster, ClusterIps, Family, Transaction } from '../types.ts';
import { familyOf } from '../validation/ip.ts';
import { AllocationError } from './cluster-ips.ts';
import { needsClusterIp } from './service-types.ts';
import type { Service, ServiceSpec } from './service-types.ts';
import { validateClusterIpFields } from './service-address-validation.ts';

const SERVICE_KIND = { group: '', name: 'Service' };

const fail = (service: Service, errors: readonly FieldError[]): never => {
  throw invalid(SERVICE_KIND, service.metadata.name, errors);
};

/** clusterIP and clusterIPs[0] say the same; whichever the writer gave or changed wins. */
export function normalizeClusterIps(spec: ServiceSpec, old: ServiceSpec | undefined): void {
  if (old === undefined) {
    if (spec.clusterIP !== undefined && spec.clusterIPs === undefined) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  if (old.clusterIPs !== undefined && spec.clusterIPs === undefined && old.clusterIP === spec.clusterIP) {
    spec.clusterIPs = [...old.clusterIPs];
  }
  if (spec.clusterIP === old.clusterIP || !equal(spec.clusterIPs ?? [], old.clusterIPs ?? [])) return;
  if (spec.clusterIP === undefined) delete spec.clusterIPs;
  else spec.clusterIPs = [spec.clusterIP];
}

/** An update that leaves the addresses out keeps them. */
export function keepAddresses(spec: ServiceSpec, old: ServiceSpec): void {
  if (!needsClusterIp(spec) || !needsClusterIp(old)) return;
  if (spec.clusterIP === undefined && old.clusterIP !== undefined) spec.clusterIP = old.clusterIP;
  if (spec.clusterIPs === undefined && old.clusterIPs !== undefined) spec.clusterIPs = [...old.clusterIPs];
}

/** Fills ipFamilyPolicy and ipFamilies, or refuses what this cluster cannot give. */
export function initFamilies(service: Service, old: Service | undefined, clusterIps: ClusterIps): void {
  const { spec } = service;
  if (spec.type === 'ExternalName' || isUnchangedPreferDual(spec, old?.spec)) return;
  const selectorless = spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.spec.ipFamilyPolicy ?? (selectorless ? 'RequireDualStack' : 'SingleStack');
  const invalidFields = validateClusterIpFields(spec, old?.spec);
  if (invalidFields.length > 0) fail(service, invalidFields);
  const errors = [
    ...(old === undefined ? [] : reduceToSingle(spec, old.spec)),
    ...singleStackProblems(spec),
    ...inferFamilies(spec, clusterIps),
  ];
  if (errors.length > 0) fail(service, errors);
  if (selectorless) completeFamilies(spec, clusterIps.families, true);
  else {
    const unconfigured = familyProblems(spec, clusterIps);
    if (unconfigured.length > 0) fail(service, unconfigured);
    completeFamilies(spec, clusterIps.families, clusterIps.families.length === 2);
  }
}

/** A PreferDualStack Service does not follow the cluster when nothing about its addresses changes. */
function isUnchangedPreferDual(spec: ServiceSpec, old: ServiceSpec | undefined): boolean {
  if (old === undefined || spec.ipFamilyPolicy !== 'PreferDualStack' || spec.type !== old.type) return false;
  if (old.ipFamilyPolicy !== undefined && old.ipFamilyPolicy !== 'PreferDualStack') return false;
  return equal(spec.clusterIPs, old.clusterIPs) && equal(spec.ipFamilies, old.ipFamilies);
}

function reduceToSingle(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  const shorter = (key: 'clusterIPs' | 'ipFamilies'): boolean =>
    (spec[key]?.length ?? 0) > 0 && (spec[key]?.length ?? 0) < (old[key]?.length ?? 0);
  if (spec.ipFamilyPolicy === 'SingleStack') {
    for (const key of ['clusterIPs', 'ipFamilies'] as const) {
      const values = spec[key] ?? [];
      if (values.length > 1 && equal(values, old[key])) spec[key] = values.slice(0, 1);
    }
    return [];
  }
  const problem = (what: string): FieldError =>
    invalidValue(
      'spec.ipFamilyPolicy',
      spec.ipFamilyPolicy,
      `must be 'SingleStack' to release the secondary ${what}`,
    );
  return [
    ...(shorter('clusterIPs') ? [problem('cluster IP')] : []),
    ...(shorter('ipFamilies') ? [problem('IP family')] : []),
  ];
}

function singleStackProblems(spec: ServiceSpec): FieldError[] {
  if (spec.ipFamilyPolicy !== 'SingleStack') return [];
  const problem = (what: string): FieldError =>
    invalidValue(
      'spec.ipFamilyPolicy',
      spec.ipFamilyPolicy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    );
  return [
    ...(spec.clusterIPs?.length === 2 ? [problem('cluster IPs')] : []),
    ...(spec.ipFamilies?.length === 2 ? [problem('IP families')] : []),
  ];
}

function inferFamilies(spec: ServiceSpec, clusterIps: ClusterIps): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === 'None') break;
    const family = familyOf(ip);
    if (family === undefined || index < (spec.ipFamilies?.length ?? 0)) continue;
    if (clusterIps.families.includes(family)) spec.ipFamilies = [...(spec.ipFamilies ?? []), family];
    else {
      const field = `spec.clusterIPs[${index}]`;
      errors.push(invalidValue(field, spec.clusterIPs, `${family} is not configured on this cluster`));
    }
  }
  return errors;
}

function familyProblems(spec: ServiceSpec, { families }: ClusterIps): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.ipFamilyPolicy === 'RequireDualStack' && families.length < 2) {
    const problem = 'this cluster is not configured for dual-stack services';
    errors.push(invalidValue('spec.ipFamilyPolicy', spec.ipFamilyPolicy, problem));
  }
  for (const [index, family] of (spec.ipFamilies ?? []).entries()) {
    if (families.some((configured) => configured === family)) continue;
    errors.push(invalidValue(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'));
  }
  return errors;
}

function completeFamilies(spec: ServiceSpec, configured: readonly Family[], dual: boolean): void {
  const [first = configured[0] ?? 'IPv4', ...others] = spec.ipFamilies ?? [];
  const missing = dual && others.length === 0 && spec.ipFamilyPolicy !== 'SingleStack';
  spec.ipFamilies = missing ? [first, first === 'IPv4' ? 'IPv6' : 'IPv4'] : [first, ...others];
}

/** Takes the addresses that a Service asks for or lacks. */
export function allocateClusterIps(
  cluster: Cluster,
  service: Service,
  old: Service | undefined,
): Transaction {
  const taken: string[] = [];
  const revert = (): void => {
    for (const ip of taken) cluster.clusterIps.release(ip);
  };
  try {
    taken.push(...missingAddresses(cluster.clusterIps, service, old));
  } catch (error) {
    revert();
    throw error;
  }
  const released = old === undefined ? [] : releasedAddresses(service.spec, old.spec);
  return {
    revert,
    commit: () => {
      for (const ip of released) cluster.clusterIps.release(ip);
    },
  };
}

/** The addresses of a Service that came out of the ranges. */
export const allocatedIps = ({ type, clusterIPs = [] }: ServiceSpec): string[] =>
  type === 'ExternalName' ? [] : clusterIPs.filter((ip) => ip !== 'None');

function releasedAddresses(spec: ServiceSpec, old: ServiceSpec): string[] {
  const kept = new Set(allocatedIps(spec));
  return allocatedIps(old).filter((ip) => !kept.has(ip));
}

function missingAddresses(clusterIps: ClusterIps, service: Service, old: Service | undefined): string[] {
  const { spec } = service;
  if (spec.type === 'ExternalName' || spec.clusterIPs?.[0] === 'None') return [];
  const before = old === undefined || old.spec.type === 'ExternalName' ? undefined : old.spec;
  if (before?.clusterIPs?.[0] === 'None' || isUnchangedPreferDual(spec, old?.spec)) return [];
  const from = before === undefined ? 0 : (before.ipFamilies?.length ?? 0);
  return (spec.ipFamilies ?? []).slice(from).map((family, index) => {
    const position = from + index;
    const ip = allocateOne(clusterIps, service, { family: trusted<Family>(family), position });
    spec.clusterIPs = [...(spec.clusterIPs ?? [])];
    spec.clusterIPs[position] = ip;
    if (position === 0) spec.clusterIP = ip;
    return ip;
  });
}

function allocateOne(
  clusterIps: ClusterIps,
  service: Service,
  { family, position }: { family: Family; position: number },
): string {
  const wanted = service.spec.clusterIPs?.[position];
  try {
    if (wanted === undefined) return clusterIps.next(family);
    clusterIps.take(wanted);
    return wanted;
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    if (error.full) throw internalError(`failed to allocate a serviceIP: ${error.message}`);
    const shown = wanted === undefined ? '' : ` ${wanted}`;
    const problem = `failed to allocate IP${shown}: ${error.message}`;
    return fail(service, [invalidValue('spec.clusterIPs', service.spec.clusterIPs, problem)]);
  }
}
