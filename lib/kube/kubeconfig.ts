// From a kubeconfig to a connection: the operator's own file with all that the client library supports, a stored one with little.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { InputError } from '../errors.ts';
import type { KubeConnection } from './connection.ts';
import {
  type Chosen,
  type Found,
  type Kubeconfig,
  choose,
  readKubeconfig,
  textIn,
} from './kubeconfig-document.ts';
import { inlinedCluster, inlinedUser, unreadable } from './kubeconfig-files.ts';
import { type Trust, clusterMistakes, userMistakes } from './kubeconfig-rules.ts';
import { credentialsOf } from './kubeconfig-user.ts';

export type KubeconfigSource = {
  /** Names the cluster in messages. */
  readonly name: KubeConnection['name'];
  /** Absent: the document's current-context. */
  readonly context?: string;
} & (
  | { readonly trust: 'file'; readonly path: string }
  | { readonly trust: Trust; readonly text: string } // relative paths start at the working directory
);

/**
 * The connection of one context.
 *
 * Trust `file` is for a file that the operator named on their own computer: `exec` plugins run (at the first request, and when
 * their token has expired), the files that it names are read (once; a token file every minute), proxies are used.
 * Trust `stored` is for every other origin: an https server, inline authorities and an inline token or client certificate are
 * all that it may hold, in any of its entries.
 *
 * Throws InputError with every mistake. No message holds a credential.
 */
export async function connectionFromKubeconfig(source: KubeconfigSource): Promise<KubeConnection> {
  const result = chosenIn(source);
  if ('mistakes' in result)
    throw new InputError(result.mistakes.map((line) => `${source.name} kubeconfig: ${line}`));
  const { cluster, user } = result.found;
  const caData = textIn(cluster.fields, 'certificate-authority-data');
  const tlsServerName = textIn(cluster.fields, 'tls-server-name');
  const proxyUrl = textIn(cluster.fields, 'proxy-url');
  return {
    name: source.name,
    server: textIn(cluster.fields, 'server'),
    credentials: await credentialsOf(user),
    ...(caData !== '' && { caData: Buffer.from(caData, 'base64').toString('utf8') }),
    ...(tlsServerName !== '' && { tlsServerName }),
    ...(proxyUrl !== '' && { proxyUrl }),
    ...(cluster.fields['insecure-skip-tls-verify'] === true && { skipVerification: true }),
  };
}

function chosenIn(source: KubeconfigSource): Found<Chosen> {
  const text = textOf(source);
  if ('mistakes' in text) return text;
  const kubeconfig = readKubeconfig(text.found);
  if ('mistakes' in kubeconfig) return kubeconfig;
  const choice = choose(kubeconfig.found, source.context);
  if (source.trust === 'stored') return checkedStored(kubeconfig.found, choice);
  const folder = 'path' in source ? dirname(resolve(source.path)) : '.';
  return 'mistakes' in choice ? choice : checkedOwn(choice.found, folder);
}

function textOf(source: KubeconfigSource): Found<string> {
  if ('text' in source) return { found: source.text };
  const why = unreadable(source.path);
  return why === undefined ? { found: readFileSync(source.path, 'utf8') } : { mistakes: [why] };
}

/** Every entry of a stored kubeconfig is checked: none has a right to be there that the chosen ones have not. */
function checkedStored({ clusters, users }: Kubeconfig, choice: Found<Chosen>): Found<Chosen> {
  const mistakes = [
    ...('mistakes' in choice ? choice.mistakes : []),
    ...clusters.flatMap((entry) => clusterMistakes(entry, 'stored')),
    ...users.flatMap((entry) => userMistakes(entry, 'stored')),
  ];
  return mistakes.length > 0 ? { mistakes } : choice;
}

/** Of the operator's own file only the chosen entries matter; the files that they name become part of them. */
function checkedOwn({ context, ...entries }: Chosen, folder: string): Found<Chosen> {
  const cluster = inlinedCluster(entries.cluster, folder);
  const user = inlinedUser(entries.user, folder);
  const mistakes = [
    ...cluster.mistakes,
    ...clusterMistakes(cluster.entry, 'file'),
    ...user.mistakes,
    ...userMistakes(user.entry, 'file'),
  ];
  return mistakes.length > 0
    ? { mistakes }
    : { found: { context, cluster: cluster.entry, user: user.entry } };
}
