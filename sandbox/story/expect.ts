// What cluster east should hold at each point of the story.
import { GATEWAY_PORT, LINK, NAMESPACE, SERVICES, type StoryService } from './objects.ts';
import type { Expectation, Mirror } from './mirrors.ts';

export interface Situation {
  readonly addresses: readonly string[]; // of the gateway, sorted
  /** Hostnames of the pods of headless Services, by the Service's name. */
  readonly pods: Readonly<Record<string, readonly string[]>>;
  readonly gone?: readonly string[]; // hostnames of pods that have just gone
  readonly scaledToZero?: readonly string[]; // names of Services
  readonly unexported?: readonly string[];
}

export const mirrorName = (name: string): string => `${NAMESPACE}/${name}-${LINK}`;

export function expectationOf(situation: Situation): Expectation {
  const { unexported = [], gone = [] } = situation;
  const isMirrored = ({ name, exported }: StoryService): boolean =>
    exported !== undefined && !unexported.includes(name);
  const never = SERVICES.filter(({ exported }) => exported === undefined).map(({ name }) => name);
  return {
    mirrors: SERVICES.filter(isMirrored).flatMap((service) => mirrorsOf(service, situation)),
    absent: [...unexported, ...gone, ...never].map(mirrorName),
  };
}

function mirrorsOf(
  service: StoryService,
  { addresses, pods, scaledToZero = [] }: Situation,
): readonly Mirror[] {
  const { name, exported, ports } = service;
  if (exported === 'remote-discovery') return [{ name: mirrorName(name), addresses: 'elsewhere', ports: [] }];
  const hostnames = pods[name];
  if (hostnames === undefined)
    return [gatewayMirror(service, name, scaledToZero.includes(name) ? [] : addresses)];
  return [
    {
      name: mirrorName(name),
      addresses: { pods: hostnames.map((hostname) => ({ hostname, mirror: mirrorName(hostname) })) },
      ports: ports.map((port) => `${port.name}:${port.port}`), // of the pods
    },
    ...hostnames.map((hostname) => gatewayMirror(service, hostname, addresses)),
  ];
}

/** A mirror of the Service, or of one of its pods, behind the gateway. */
const gatewayMirror = ({ ports }: StoryService, name: string, addresses: readonly string[]): Mirror => ({
  name: mirrorName(name),
  addresses,
  ports: addresses.length === 0 ? [] : ports.map((port) => `${port.name}:${GATEWAY_PORT}`),
});
