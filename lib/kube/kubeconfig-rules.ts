// What a kubeconfig may hold: everything that the client library supports in the operator's own file, little in a stored one.
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { type Entry, textIn } from './kubeconfig-document.ts';

export type Trust = 'file' | 'stored';

/** Fields that hold text where they are set at all. */
const TEXT_OF_CLUSTER = [
  'server',
  'certificate-authority',
  'certificate-authority-data',
  'proxy-url',
  'tls-server-name',
];
const TEXT_OF_USER = [
  'token',
  'tokenFile',
  'token-file',
  'client-certificate',
  'client-certificate-data',
  'client-key',
  'client-key-data',
  'username',
  'password',
  'as',
];

/** All that a stored kubeconfig may say; `extensions` holds notes of tools and is not read. */
const STORED_CLUSTER = new Set(['server', 'certificate-authority-data', 'disable-compression', 'extensions']);
const STORED_USER = new Set(['token', 'client-certificate-data', 'client-key-data', 'extensions']);

/** Impersonation that the client library would leave out in silence: requests would then be made as somebody else. */
const UNSUPPORTED_OF_USER = ['as-uid', 'as-groups', 'as-user-extra'];

/** Why a stored kubeconfig may not say it. */
const MEANINGS: Readonly<Record<string, string>> = {
  exec: 'a program to run',
  'auth-provider': 'an authentication plugin',
  tokenFile: 'a file to read',
  'token-file': 'a file to read',
  'client-certificate': 'a file to read',
  'client-key': 'a file to read',
  'certificate-authority': 'a file to read',
  username: 'a user name',
  password: 'a password',
  as: 'another user to act as',
  'proxy-url': 'a proxy',
  'tls-server-name': 'another name to verify',
  'insecure-skip-tls-verify': 'verification switched off',
};

const PROXIES = new Set(['http:', 'https:', 'socks5:']);

/** One line per mistake of a cluster's entry: `clusters[west].server: expected …, got …`. Never a value that may be secret. */
export function clusterMistakes({ name, fields }: Entry, trust: Trust): string[] {
  const at = `clusters[${name}]`;
  const stored = trust === 'stored' ? notAmong(fields, STORED_CLUSTER) : [];
  return [
    ...stored.map(
      (key) => `${at}.${key}: expected an https server and inline authorities alone, got ${meaning(key)}`,
    ),
    ...notText(fields, TEXT_OF_CLUSTER).map((key) => `${at}.${key}: expected text, got another value`),
    ...serverMistakes(fields['server'], trust).map((text) => `${at}.server: ${text}`),
    ...proxyMistakes(textIn(fields, 'proxy-url')).map((text) => `${at}.proxy-url: ${text}`),
    ...dataMistakes(fields, 'certificate-authority-data', parseCertificates).map((text) => `${at}.${text}`),
  ];
}

/** The same of a user's entry. */
export function userMistakes({ name, fields }: Entry, trust: Trust): string[] {
  const at = `users[${name}]`;
  const stored = trust === 'stored' ? notAmong(fields, STORED_USER) : [];
  const unsupported = UNSUPPORTED_OF_USER.filter((key) => isSet(fields[key]) && !stored.includes(key));
  return [
    ...stored.map(
      (key) => `${at}.${key}: expected an inline token or client certificate, got ${meaning(key)}`,
    ),
    ...unsupported.map(
      (key) => `${at}.${key}: expected \`as\` alone, got an impersonation that is not supported`,
    ),
    ...notText(fields, TEXT_OF_USER).map((key) => `${at}.${key}: expected text, got another value`),
    ...dataMistakes(fields, 'client-certificate-data', parseCertificates).map((text) => `${at}.${text}`),
    ...dataMistakes(fields, 'client-key-data', createPrivateKey).map((text) => `${at}.${text}`),
    ...certificateMistakes(fields, trust).map((text) => `${at}: ${text}`),
  ];
}

type Fields = Entry['fields'];

/** What kubectl writes for "not set" counts as absent. */
const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && value !== false;

const notAmong = (fields: Fields, allowed: ReadonlySet<string>): string[] =>
  Object.keys(fields).filter((key) => isSet(fields[key]) && !allowed.has(key));

const meaning = (key: string): string => MEANINGS[key] ?? 'a field that is not known';

const notText = (fields: Fields, keys: readonly string[]): string[] =>
  keys.filter((key) => isSet(fields[key]) && typeof fields[key] !== 'string');

function serverMistakes(value: unknown, trust: Trust): string[] {
  if (isSet(value) && typeof value !== 'string') return []; // said already
  const server = typeof value === 'string' ? value : '';
  const schemes = trust === 'stored' ? ['https:'] : ['https:', 'http:'];
  const expected = `expected ${trust === 'stored' ? 'https://…' : 'https://… or http://…'}`;
  if (!URL.canParse(server)) return [`${expected}, got ${server === '' ? 'nothing' : 'no URL'}`];
  const url = new URL(server);
  if (!schemes.includes(url.protocol)) return [`${expected}, got ${url.protocol}//…`];
  const extra = url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '';
  return extra ? ['expected a host, port and path alone, got a user name, query or fragment'] : [];
}

function proxyMistakes(proxy: string): string[] {
  if (proxy === '') return [];
  const scheme = URL.canParse(proxy) ? new URL(proxy).protocol : 'no URL';
  return PROXIES.has(scheme) ? [] : [`expected http://…, https://… or socks5://…, got ${scheme}`];
}

/** Inline data is base64 of PEM; `parse` throws when that is not what it holds. */
function dataMistakes(fields: Fields, key: string, parse: (pem: Buffer) => unknown): string[] {
  const data = textIn(fields, key);
  if (data === '') return [];
  try {
    parse(Buffer.from(data, 'base64'));
    return [];
  } catch {
    return [`${key}: expected base64 of PEM, got something else`];
  }
}

const parseCertificates = (pem: Buffer): X509Certificate => new X509Certificate(pem);

function certificateMistakes(fields: Fields, trust: Trust): string[] {
  const has = (name: string): boolean => isSet(fields[name]) || isSet(fields[`${name}-data`]);
  const certificate = has('client-certificate');
  const key = has('client-key');
  if (certificate !== key) {
    return [`expected a client certificate and its key, got the ${key ? 'key' : 'certificate'} alone`];
  }
  const isMissing = !certificate && !isSet(fields['token']) && notAmong(fields, STORED_USER).length === 0;
  return trust === 'stored' && isMissing
    ? ['expected an inline token or client certificate, got nothing']
    : [];
}
