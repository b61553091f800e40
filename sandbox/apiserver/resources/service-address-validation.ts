// Validation of a Service's cluster IPs and IP families, alone and against what they were.
import type { FieldError } from '../field-errors.ts';
import { duplicate, invalidValue, notSupported, required } from '../field-errors.ts';
import { familyOf, validateLegacyIp } from '../validation/ip.ts';
import { isHeadless } from './service-types.ts';
import type { ServiceSpec } from './service-types.ts';

const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const IPS = 'spec.clusterIPs';

export function validateClusterIpFields(spec: ServiceSpec, old: ServiceSpec | undefined): FieldError[] {
  if (spec.type === 'ExternalName') return [];
  const badIps = badAddresses(spec, old);
  const errors = [...outOfStep(spec), ...badFamilies(spec), ...badPolicy(spec), ...badIps];
  const ips = spec.clusterIPs ?? [];
  if (ips.length > 2) errors.push(invalidValue(IPS, ips, 'may only hold up to 2 values'));
  return badIps.length > 0 ? errors : [...errors, ...sameFamily(ips), ...familyMismatches(spec)];
}

function outOfStep({ clusterIP = '', clusterIPs = [] }: ServiceSpec): FieldError[] {
  if (clusterIP === '') {
    if (clusterIPs.length === 0) return [];
    return [invalidValue(IPS, clusterIPs, 'must be empty when `clusterIP` is not specified')];
  }
  if (clusterIPs.length === 0) return [required(IPS)];
  return clusterIPs[0] === clusterIP
    ? []
    : [invalidValue(IPS, clusterIPs, 'first value must match `clusterIP`')];
}

const badFamilies = ({ ipFamilies = [] }: ServiceSpec): FieldError[] =>
  ipFamilies.flatMap((family, index) => {
    const field = `spec.ipFamilies[${index}]`;
    return [
      ...(FAMILIES.includes(family) ? [] : [notSupported(field, family, FAMILIES)]),
      ...(ipFamilies.indexOf(family) < index ? [duplicate(field, family)] : []),
    ];
  });

const badPolicy = ({ ipFamilyPolicy }: ServiceSpec): FieldError[] =>
  ipFamilyPolicy === undefined || POLICIES.includes(ipFamilyPolicy)
    ? []
    : [notSupported('spec.ipFamilyPolicy', ipFamilyPolicy, POLICIES)];

function badAddresses({ clusterIPs = [] }: ServiceSpec, old: ServiceSpec | undefined): FieldError[] {
  return clusterIPs.flatMap((ip, index) => {
    if (index === 0 && ip === 'None') {
      return clusterIPs.length > 1
        ? [invalidValue(IPS, clusterIPs, "'None' must be the first and only value")]
        : [];
    }
    return old?.clusterIPs?.includes(ip) ? [] : validateLegacyIp(`${IPS}[${index}]`, ip);
  });
}

function sameFamily(ips: readonly string[]): FieldError[] {
  if (ips.length < 2 || new Set(ips.map(familyOf)).size === ips.length) return [];
  return [invalidValue(IPS, ips, 'may specify no more than one IP for each IP family')];
}

function familyMismatches(spec: ServiceSpec): FieldError[] {
  if (isHeadless(spec)) return [];
  return (spec.clusterIPs ?? []).flatMap((ip, index) => {
    const family = spec.ipFamilies?.[index];
    if (family === undefined || family === familyOf(ip)) return [];
    return [
      invalidValue(
        `${IPS}[${index}]`,
        ip,
        `expected an ${family} value as indicated by \`ipFamilies[${index}]\``,
      ),
    ];
  });
}

/** Addresses may be added (second family) and dropped with SingleStack; they never change. */
export function validateClusterIpChange(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') return [];
  if (isHeadless(spec) && isHeadless(old)) return [];
  const [before, after] = [old.clusterIPs ?? [], spec.clusterIPs ?? []];
  const changed = (index: number): FieldError =>
    invalidValue(`${IPS}[${index}]`, after, 'may not change once set');
  if (before.length === after.length) {
    return before.flatMap((ip, index) => (ip === after[index] ? [] : [changed(index)]));
  }
  const errors: FieldError[] = [];
  if (after.length === 0) errors.push(invalidValue(`${IPS}[0]`, after, 'primary clusterIP can not be unset'));
  if (before.length > 0 && after.length > 0 && before[0] !== after[0]) errors.push(changed(0));
  if (before.length > after.length && after.length === 1 && spec.ipFamilyPolicy !== 'SingleStack') {
    errors.push(mustBeSingle(spec, 'clusterIP'));
  }
  return errors;
}

export function validateFamilyChange(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') return [];
  if (isHeadless(spec) || isHeadless(old)) return [];
  const [before, after] = [old.ipFamilies ?? [], spec.ipFamilies ?? []];
  const field = 'spec.ipFamilies[0]';
  if (before.length === after.length) {
    return before.flatMap((family, index) =>
      family === after[index] ? [] : [invalidValue(field, after, 'may not change once set')],
    );
  }
  const errors: FieldError[] = [];
  if (before.length > 0 && after.length > 0 && before[0] !== after[0]) {
    errors.push(invalidValue(field, spec.clusterIPs, 'may not change once set'));
  }
  if (before.length > after.length && after.length === 1 && spec.ipFamilyPolicy !== 'SingleStack') {
    errors.push(mustBeSingle(spec, 'ipFamily'));
  }
  return errors;
}

const mustBeSingle = (spec: ServiceSpec, what: string): FieldError =>
  invalidValue(
    'spec.ipFamilyPolicy',
    spec.ipFamilyPolicy,
    `must be set to 'SingleStack' when releasing the secondary ${what}`,
  );
