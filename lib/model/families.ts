// Which family an address is of.
import type { Family } from './objects.ts';

/** @param address an address or CIDR that the API server gave: nothing else is told apart here */
export const familyOf = (address: string): Family => (address.includes(':') ? 'IPv6' : 'IPv4');
