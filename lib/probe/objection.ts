// What a probe may not dial, whoever asks for it.
import { isIP } from 'node:net';
import type { ProbeTarget } from '../ports.ts';

const MOST_PORT = 65_535;

/** An address in plain form: no name, nothing that a resolver would have to look at, no zone of an interface. */
const isAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes('%');

const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= MOST_PORT;

/** Why this target is not dialled; undefined when it may be. The filter is asked last, so that it only sees addresses. */
export const objectionTo = (
  { ip, port }: ProbeTarget,
  mayDial: (ip: string) => boolean,
): string | undefined => {
  if (!isAddress(ip)) return 'not an IP address in plain form';
  if (!isPort(port)) return 'not a port from 1 to 65535';
  return mayDial(ip) ? undefined : 'refused by the address filter';
};
