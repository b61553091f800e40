// What cluster east should hold at each point of the story.
import { GATEWAY_PORT, LINK, NAMESPACE, SERVICES, type StoryService } from './objects.ts';
import type { Expectation, Mirror } from './mirrors.ts';

export interface Situation {
  readonly addresses: readonly string[]; // of the gateway, sorted
  readonly scaledToZero?: readonly string[]; // names of Services
  readonly unexported?: readonly string[];
}

const mirrorName = ({ name }: StoryService): string => `${NAMESPACE}/${name}-${LINK}`;

export function expectationOf({ addresses, scaledToZero = [], unexported = [] }: Situation): Expectation {
  const isMirrored = ({ name, exported }: StoryService): boolean =>
    exported !== undefined && !unexported.includes(name);
  return {
    mirrors: SERVICES.filter(isMirrored).map((service) =>
      mirrorOf(service, scaledToZero.includes(service.name) ? [] : addresses),
    ),
    absent: SERVICES.filter((service) => !isMirrored(service)).map(mirrorName),
  };
}

function mirrorOf(service: StoryService, addresses: readonly string[]): Mirror {
  const name = mirrorName(service);
  if (service.exported === 'remote-discovery') return { name, addresses: 'elsewhere', ports: [] };
  const ports = addresses.length === 0 ? [] : service.ports.map((port) => `${port.name}:${GATEWAY_PORT}`);
  return { name, addresses, ports };
}
