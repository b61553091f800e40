// The credentials of a kubeconfig's user, by way of the client library: tokens, token files, certificates, programs, plugins.
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { type Credentials, type KubeConnection, fixed } from './connection.ts';
import { type Entry, isFields, textIn } from './kubeconfig-document.ts';

/**
 * @param user with files read already, but for the token file
 * @returns a function that runs the user's program, or reads its token file, as often as that is needed
 */
export async function credentialsOf(user: Entry): Promise<KubeConnection['credentials']> {
  const kubeConfig = await load(user);
  if (isFixed(user)) return fixed(await ask(kubeConfig));
  let running: Promise<Credentials> | undefined;
  // The library starts a program per caller; requests that begin together are to share one.
  return () => (running ??= askProgram(kubeConfig, user).finally(() => (running = undefined)));
}

const isFixed = ({ fields }: Entry): boolean =>
  !isFields(fields['exec']) && !isFields(fields['auth-provider']) && textIn(fields, 'tokenFile') === '';

async function load({ name, fields }: Entry): Promise<KubeConfig> {
  // Loaded late: only those who have a kubeconfig wait for it.
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const kubeConfig = new KubeConfig();
  const document = {
    clusters: [{ name: 'cluster', cluster: { server: 'https://unused.invalid' } }], // the library asks for one
    users: [{ name, user: forLibrary(fields) }],
    contexts: [{ name: 'context', context: { cluster: 'cluster', user: name } }],
    'current-context': 'context',
  };
  kubeConfig.loadFromString(JSON.stringify(document));
  return kubeConfig;
}

/**
 * What the library is to see. It would read certificates from their files again and again, reads a token file in this form
 * only, and does not know kubectl's `tokenFile`, which wins over `token`.
 */
function forLibrary(fields: Entry['fields']): Entry['fields'] {
  const { tokenFile, token, 'client-certificate': _, 'client-key': __, ...others } = fields;
  if (typeof tokenFile !== 'string' || tokenFile === '') return { ...others, token };
  return { ...others, 'auth-provider': { name: 'tokenFile', config: { tokenFile } } };
}

async function ask(kubeConfig: KubeConfig): Promise<Credentials> {
  const headers: Record<string, string> = {};
  const options: RequestOptions = { headers };
  await kubeConfig.applyToHTTPSOptions(options);
  const { auth } = options;
  if (typeof auth === 'string') headers['Authorization'] = `Basic ${Buffer.from(auth).toString('base64')}`;
  for (const [name, value] of Object.entries(headers)) headers[name] = value.trim(); // token files end with a newline
  const cert = pemText(options.cert);
  const key = pemText(options.key);
  const isWhole = cert !== undefined && key !== undefined;
  return { headers, ...(isWhole && { clientCertificate: { cert, key } }) };
}

const pemText = (value: unknown): string | undefined => {
  if (Buffer.isBuffer(value)) return value.toString('utf8');
  return typeof value === 'string' ? value : undefined;
};

async function askProgram(kubeConfig: KubeConfig, user: Entry): Promise<Credentials> {
  const what = programOf(user);
  const credentials = await ask(kubeConfig).catch((error: unknown) => {
    throw new Error(`${what} failed: ${failureText(error)}`);
  });
  if (credentials.headers['Authorization'] === undefined && credentials.clientCertificate === undefined) {
    throw new Error(`${what} gave neither a token nor a client certificate`);
  }
  return credentials;
}

function programOf({ fields }: Entry): string {
  const { exec, 'auth-provider': provider } = fields;
  if (isFields(exec)) return `the exec plugin ${textIn(exec, 'command')}`;
  return isFields(provider) ? `the auth provider ${textIn(provider, 'name')}` : 'the token file';
}

/** What a program wrote to stderr, or what the system said. A parser's message would quote the credential that it read. */
function failureText(error: unknown): string {
  if (error instanceof SyntaxError || error instanceof TypeError)
    return 'it did not answer with an ExecCredential';
  const text = error instanceof Error ? error.message.trim() : '';
  return text === '' ? 'it said nothing' : text;
}
