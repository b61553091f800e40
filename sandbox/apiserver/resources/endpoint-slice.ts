// EndpointSlices: defaults, generation, validation and warnings.
import type { FieldError } from '../field-errors.ts';
import { duplicate, invalidValue, notSupported, required, tooMany } from '../field-errors.ts';
import { equal, trusted } from '../json.ts';
import type { KubeObject, Strategy } from '../types.ts';
import {
  familyOf,
  validateEndpointIp,
  validateLegacyIp,
  validateStrictIp,
  warningsForIp,
} from '../validation/ip.ts';
import { validateBuiltInMetadata } from '../validation/metadata.ts';
import { isDns1123Label, isDns1123Subdomain, isLabelValue, isQualifiedName } from '../validation/names.ts';
import { baseStrategy } from './base.ts';

export interface SliceEndpoint {
  addresses: string[] | null;
  conditions: { ready?: boolean; serving?: boolean; terminating?: boolean };
  hostname?: string;
  nodeName?: string;
  zone?: string;
  targetRef?: Record<string, string>;
  deprecatedTopology?: Record<string, string>;
  hints?: { forZones?: { name: string }[]; forNodes?: { name: string }[] };
}

export interface SlicePort {
  name?: string;
  protocol?: string;
  port?: number;
  appProtocol?: string;
}

export interface EndpointSlice extends KubeObject {
  addressType: string;
  endpoints: SliceEndpoint[] | null;
  ports: SlicePort[] | null;
}

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const MOST_ENDPOINTS = 1000;
const MOST_ADDRESSES = 100;
const MOST_PORTS = 20_000;
const MOST_HINTS = 8;

const asSlice = (object: KubeObject): EndpointSlice => trusted(object);

export const endpointSliceStrategy: Strategy = {
  ...baseStrategy,
  setDefaults(object) {
    for (const port of asSlice(object).ports ?? []) {
      port.name ??= '';
      port.protocol ??= 'TCP';
    }
  },
  prepareForCreate(object) {
    object.metadata.generation = 1;
    dropTopology(asSlice(object));
  },
  prepareForUpdate({ object, old }) {
    const changed =
      !equal(contentOf(asSlice(object)), contentOf(asSlice(old))) ||
      !equal(object.metadata.labels, old.metadata.labels);
    if (changed) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    if (!equal(asSlice(object).endpoints, asSlice(old).endpoints)) dropTopology(asSlice(object));
  },
  // The real one's storage knows no empty list.
  canonicalize(object) {
    const slice = asSlice(object);
    if (slice.endpoints?.length === 0) slice.endpoints = null;
    if (slice.ports?.length === 0) slice.ports = null;
  },
  validateCreate: (object) => validateSlice(asSlice(object), undefined),
  validateUpdate: ({ object, old }) => [
    ...validateSlice(asSlice(object), asSlice(old)),
    ...(asSlice(object).addressType === asSlice(old).addressType
      ? []
      : [invalidValue('addressType', asSlice(object).addressType, 'field is immutable')]),
  ],
  warnings(object, old) {
    const { addressType, endpoints } = asSlice(object);
    const deprecated = addressType === 'FQDN' && old === undefined;
    return [
      ...(deprecated ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
      ...(endpoints ?? []).flatMap(({ addresses }, index) =>
        (addresses ?? []).flatMap((address, position) =>
          warningsForIp(`endpoints[${index}].addresses[${position}]`, address),
        ),
      ),
    ];
  },
};

/** What a generation counts; an empty list is as good as none. */
const contentOf = ({ addressType, endpoints, ports }: EndpointSlice): object => ({
  addressType,
  endpoints: endpoints ?? [],
  ports: ports ?? [],
});

/** A v1 writer cannot set this field. */
function dropTopology(slice: EndpointSlice): void {
  for (const endpoint of slice.endpoints ?? []) delete endpoint.deprecatedTopology;
}

function validateSlice(slice: EndpointSlice, old: EndpointSlice | undefined): FieldError[] {
  const { addressType, endpoints } = slice;
  const unchanged = old !== undefined && equal(endpoints, old.endpoints);
  return [
    ...validateBuiltInMetadata(slice.metadata, true, isDns1123Subdomain),
    ...validateAddressType(addressType),
    ...validatePorts(slice.ports ?? []),
    ...(unchanged ? [] : validateEndpoints(endpoints ?? [], addressType)),
  ];
}

function validateAddressType(addressType: string): FieldError[] {
  if (addressType === '') return [required('addressType')];
  return ADDRESS_TYPES.includes(addressType) ? [] : [notSupported('addressType', addressType, ADDRESS_TYPES)];
}

function validatePorts(ports: readonly SlicePort[]): FieldError[] {
  if (ports.length > MOST_PORTS) return [tooMany('ports', ports.length, MOST_PORTS)];
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const errors = validatePort(port, `ports[${index}]`, names);
    names.add(port.name ?? '');
    return errors;
  });
}

function validatePort(
  { name = '', protocol = '', appProtocol }: SlicePort,
  field: string,
  names: ReadonlySet<string>,
): FieldError[] {
  const problems = name === '' ? [] : isDns1123Label(name);
  const errors = problems.map((problem) => invalidValue(`${field}.name`, name, problem));
  if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
  if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${field}.protocol`, protocol, PROTOCOLS));
  if (appProtocol === undefined) return errors;
  const appProblems = isQualifiedName(appProtocol);
  return [
    ...errors,
    ...appProblems.map((problem) => invalidValue(`${field}.appProtocol`, appProtocol, problem)),
  ];
}

function validateEndpoints(endpoints: readonly SliceEndpoint[], addressType: string): FieldError[] {
  if (endpoints.length > MOST_ENDPOINTS) return [tooMany('endpoints', endpoints.length, MOST_ENDPOINTS)];
  return endpoints.flatMap((endpoint, index) =>
    validateEndpoint(endpoint, `endpoints[${index}]`, addressType),
  );
}

function validateEndpoint(endpoint: SliceEndpoint, field: string, addressType: string): FieldError[] {
  const { hostname, nodeName, hints } = endpoint;
  const nodeProblems = nodeName === undefined ? [] : isDns1123Subdomain(nodeName);
  const nameProblems = hostname === undefined ? [] : isDns1123Label(hostname);
  return [
    ...validateAddresses(endpoint.addresses ?? [], `${field}.addresses`, addressType),
    ...nodeProblems.map((problem) => invalidValue(`${field}.nodeName`, nodeName, problem)),
    ...nameProblems.map((problem) => invalidValue(`${field}.hostname`, hostname, problem)),
    ...validateHints(hints?.forZones ?? [], `${field}.hints.forZones`, isLabelValue),
    ...validateHints(hints?.forNodes ?? [], `${field}.hints.forNodes`, isDns1123Subdomain),
  ];
}

function validateAddresses(addresses: readonly string[], field: string, addressType: string): FieldError[] {
  const errors: FieldError[] = [];
  if (addresses.length === 0) errors.push(required(field, 'must contain at least 1 address'));
  if (addresses.length > MOST_ADDRESSES) errors.push(tooMany(field, addresses.length, MOST_ADDRESSES));
  return addresses.reduce<FieldError[]>((all, address, index) => {
    const at = `${field}[${index}]`;
    if (addressType === 'FQDN') return [...all, ...validateFqdn(at, address)];
    if (addressType !== 'IPv4' && addressType !== 'IPv6') return all;
    return [...all, ...validateIp({ address, at, field, addressType })];
  }, errors);
}

interface AddressAt {
  readonly address: string;
  readonly at: string;
  readonly field: string;
  readonly addressType: 'IPv4' | 'IPv6';
}

function validateIp({ address, at, field, addressType }: AddressAt): FieldError[] {
  const errors = addressType === 'IPv4' ? validateLegacyIp(at, address) : validateStrictIp(at, address);
  if (errors.length > 0) return errors;
  const wrongFamily = familyOf(address) !== addressType;
  return [
    ...(wrongFamily ? [invalidValue(field, address, `must be an ${addressType} address`)] : []),
    ...validateEndpointIp(at, address),
  ];
}

function validateFqdn(field: string, address: string): FieldError[] {
  if (address === '') return [required(field)];
  const name = address.replace(/\.$/, '');
  const problems = isDns1123Subdomain(name);
  if (problems.length > 0) return [invalidValue(field, name, problems.join(','))];
  const labels = name.split('.');
  if (labels.length < 2) {
    return [invalidValue(field, name, 'should be a domain with at least two segments separated by dots')];
  }
  const bad = labels.find((label) => isDns1123Label(label).length > 0);
  return bad === undefined ? [] : [invalidValue(field, bad, isDns1123Label(bad).join(','))];
}

function validateHints(
  hints: readonly { name: string }[],
  field: string,
  rule: (name: string) => string[],
): FieldError[] {
  if (hints.length > MOST_HINTS) return [tooMany(field, hints.length, MOST_HINTS)];
  const names = hints.map(({ name }) => name);
  return names.flatMap((name, index) => [
    ...(names.indexOf(name) < index ? [duplicate(`${field}[${index}].name`, name)] : []),
    ...rule(name).map((problem) => invalidValue(`${field}[${index}].name`, name, problem)),
  ]);
}
