// What is wrong with a gateway's names and addresses, one line each.
import { printable } from './paint.ts';

/** Of a report here, or of an answer. */
export interface ShownName {
  readonly hostname: string;
  readonly family: string;
  readonly state: string;
  readonly since?: string | undefined;
  readonly lastError?: string | undefined;
  readonly departedSince?: string | undefined;
}

export interface ShownLiveness {
  readonly state: string;
  readonly since?: string | undefined;
  readonly why?: string | undefined;
}

const sinceText = (since: string | undefined): string => (since === undefined ? '' : ` since ${since}`);

/** Nothing of a name that is as it should be. */
const nameLines = (name: ShownName): readonly string[] => {
  const { hostname, family, state, since, lastError = 'not looked up yet', departedSince } = name;
  const who = `${hostname} (${family})`;
  if (departedSince !== undefined) {
    return [`${who}: left the status at ${departedSince}; its addresses are a last resort`];
  }
  return state === 'FRESH' ? [] : [`${who}: ${state}${sinceText(since)}: ${lastError}`];
};

const deadLines = (ip: string, { state, since, why }: ShownLiveness): readonly string[] =>
  state === 'dead' ? [`${ip}: dead${sinceText(since)}${why === undefined ? '' : `: ${why}`}`] : [];

/** Names that are not FRESH with their last error, and dead addresses with the last failure. */
export const troubleLines = (gateway: {
  readonly names: readonly ShownName[];
  readonly addresses: readonly { readonly ip: string; readonly liveness: ShownLiveness }[];
}): readonly string[] =>
  [
    ...gateway.names.flatMap(nameLines),
    ...gateway.addresses.flatMap(({ ip, liveness }) => deadLines(ip, liveness)),
  ].map(printable);
