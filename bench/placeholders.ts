// What a plan says in place of a ClusterIP that no server gave yet, and how the bare client fills it in from the answers it got.
import { isIPv6 } from 'node:net';
import { keyText, type ObjectKey } from '../lib/model/keys.ts';
import type { Family } from '../lib/model/objects.ts';
import type { Change } from '../lib/model/plan.ts';

interface Placeholder {
  readonly clusterIPOf: ObjectKey;
  readonly family: Family;
}

interface CreatedService {
  readonly spec: { readonly clusterIPs: readonly string[] };
}

const isPlaceholder = (value: unknown): value is Placeholder =>
  typeof value === 'object' && value !== null && 'clusterIPOf' in value;

/** Whether a change names a ClusterIP that an earlier one brings about. */
export const waitsForClusterIPs = (change: Change): boolean =>
  JSON.stringify(change).includes('"clusterIPOf":');

/** The Services that were created, as the server answered: read only when their ClusterIPs are asked for. */
export type Answers = ReadonlyMap<string, string>;

const clusterIP = (answers: Answers, { clusterIPOf, family }: Placeholder): string => {
  const answer = answers.get(keyText(clusterIPOf));
  if (answer === undefined) throw new Error(`no Service ${keyText(clusterIPOf)} was created`);
  const service: CreatedService = JSON.parse(answer);
  const found = service.spec.clusterIPs.find((ip) => isIPv6(ip) === (family === 'IPv6'));
  if (found === undefined) throw new Error(`Service ${keyText(clusterIPOf)} has no ClusterIP of ${family}`);
  return found;
};

/** The change with every ClusterIP in its place. */
export const withClusterIPs = (change: Change, answers: Answers): Change =>
  JSON.parse(
    JSON.stringify(change, (_name, value: unknown) =>
      isPlaceholder(value) ? clusterIP(answers, value) : value,
    ),
  );
