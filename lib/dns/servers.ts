// Reads the texts that name DNS servers.
import { isIP } from 'node:net';
import { InputError } from '../errors.ts';

export interface DnsServer {
  readonly host: string; // an IP address
  readonly port: number;
  readonly family: 4 | 6;
}

const DNS_PORT = 53;
const BRACKETED = /^\[([^\]]+)\](?::(\d{1,5}))?$/; // [::1]:53
const PLAIN = /^([^:[\]]+)(?::(\d{1,5}))?$/; // 127.0.0.1:53
const EXPECTED = 'an IP address with or without a port, like 127.0.0.1:53 or [::1]:53';

/**
 * Servers in the order given; without a port it is 53, and `localhost` is 127.0.0.1. An IPv6 address with a port stands in
 * brackets. Throws InputError with every mistake, named `dns[0]` and so on.
 */
export function parseServers(texts: readonly string[]): readonly DnsServer[] {
  const parsed = texts.map((text) => ({ text, server: parseServer(text.trim()) }));
  const mistakes = parsed.flatMap(({ text, server }, index) =>
    server ? [] : [`dns[${index}]: expected ${EXPECTED}, got "${text}"`],
  );
  if (texts.length === 0) mistakes.push(`dns: expected at least one server, got none`);
  if (mistakes.length > 0) throw new InputError(mistakes);
  return parsed.flatMap(({ server }) => server ?? []);
}

function parseServer(text: string): DnsServer | undefined {
  if (isIP(text) === 6) return { host: text, port: DNS_PORT, family: 6 };
  const bracketed = BRACKETED.exec(text);
  const [, host = '', portText] = bracketed ?? PLAIN.exec(text) ?? [];
  const address = host === 'localhost' ? '127.0.0.1' : host;
  const port = portText === undefined ? DNS_PORT : Number(portText);
  const family = bracketed ? 6 : 4;
  return isIP(address) === family && port >= 1 && port <= 65_535
    ? { host: address, port, family }
    : undefined;
}
