// Endpoints: defaults, validation and warnings.
import type { FieldError } from '../field-errors.ts';
import { invalidValue, notSupported, required } from '../field-errors.ts';
import { equal, trusted } from '../json.ts';
import type { KubeObject, Strategy } from '../types.ts';
import { validateEndpointIp, validateLegacyIp, warningsForIp } from '../validation/ip.ts';
import { validateBuiltInMetadata, validateMetadataUpdate } from '../validation/metadata.ts';
import { isDns1123Label, isDns1123Subdomain, isPortNumber, isQualifiedName } from '../validation/names.ts';
import { baseStrategy } from './base.ts';

export interface EndpointAddress {
  ip: string;
  hostname?: string;
  nodeName?: string;
  targetRef?: Record<string, string>;
}

export interface EndpointPort {
  name?: string;
  port: number;
  protocol?: string;
  appProtocol?: string;
}

export interface EndpointSubset {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: EndpointPort[];
}

export interface Endpoints extends KubeObject {
  subsets?: EndpointSubset[];
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const asEndpoints = (object: KubeObject): Endpoints => trusted(object);

export const endpointsStrategy: Strategy = {
  ...baseStrategy,
  allowCreateOnUpdate: true,
  setDefaults(object) {
    for (const { ports = [] } of asEndpoints(object).subsets ?? []) {
      for (const port of ports) port.protocol ??= 'TCP';
    }
  },
  validateCreate: (object) => [
    ...validateBuiltInMetadata(object.metadata, true, isDns1123Subdomain),
    ...validateSubsets(asEndpoints(object)),
  ],
  validateUpdate({ object, old }) {
    // What was stored once stays valid while it does not change.
    const subsets = equal(asEndpoints(object).subsets, asEndpoints(old).subsets)
      ? []
      : validateSubsets(asEndpoints(object));
    return [
      ...validateMetadataUpdate(object.metadata, old.metadata),
      ...validateBuiltInMetadata(object.metadata, true, isDns1123Subdomain),
      ...subsets,
    ];
  },
  warnings: (object) =>
    (asEndpoints(object).subsets ?? []).flatMap((subset, index) =>
      (['addresses', 'notReadyAddresses'] as const).flatMap((key) =>
        (subset[key] ?? []).flatMap(({ ip }, position) =>
          warningsForIp(`subsets[${index}].${key}[${position}].ip`, ip),
        ),
      ),
    ),
};

const validateSubsets = ({ subsets = [] }: Endpoints): FieldError[] =>
  subsets.flatMap((subset, index) => validateSubset(subset, `subsets[${index}]`));

function validateSubset(
  { addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset,
  field: string,
): FieldError[] {
  const empty = addresses.length === 0 && notReadyAddresses.length === 0;
  return [
    ...(empty ? [required(field, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...addresses.flatMap((address, index) => validateAddress(address, `${field}.addresses[${index}]`)),
    ...notReadyAddresses.flatMap((address, index) =>
      validateAddress(address, `${field}.notReadyAddresses[${index}]`),
    ),
    ...ports.flatMap((port, index) => validatePort(port, `${field}.ports[${index}]`, ports.length > 1)),
  ];
}

function validateAddress({ ip, hostname = '', nodeName }: EndpointAddress, field: string): FieldError[] {
  const nameProblems = hostname === '' ? [] : isDns1123Label(hostname);
  const nodeProblems = nodeName === undefined ? [] : isDns1123Subdomain(nodeName);
  return [
    ...validateLegacyIp(`${field}.ip`, ip),
    ...nameProblems.map((problem) => invalidValue(`${field}.hostname`, hostname, problem)),
    ...nodeProblems.map((problem) => invalidValue(`${field}.nodeName`, nodeName, problem)),
    ...validateEndpointIp(`${field}.ip`, ip),
  ];
}

function validatePort(
  { name = '', port, protocol = '', appProtocol }: EndpointPort,
  field: string,
  named: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  if (name === '' && named) errors.push(required(`${field}.name`));
  if (name !== '')
    errors.push(...isDns1123Label(name).map((problem) => invalidValue(`${field}.name`, name, problem)));
  errors.push(...isPortNumber(port).map((problem) => invalidValue(`${field}.port`, port, problem)));
  if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${field}.protocol`, protocol, PROTOCOLS));
  if (appProtocol === undefined) return errors;
  const problems = isQualifiedName(appProtocol);
  return [
    ...errors,
    ...problems.map((problem) => invalidValue(`${field}.appProtocol`, appProtocol, problem)),
  ];
}
