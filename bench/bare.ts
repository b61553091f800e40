// The yardstick: a bare HTTP client that sends the writes of a plan, same bodies and verbs, over as many connections as we use.
import { Agent, request } from 'undici';
import { keyText } from '../lib/model/keys.ts';
import type { Change, WrittenKind } from '../lib/model/plan.ts';
import type { ServerAccess } from '../test/support/api.ts';
import { waitsForClusterIPs, withClusterIPs } from './placeholders.ts';

const CONNECTIONS = 8;

const PATHS: Readonly<Record<WrittenKind, readonly [string, string]>> = {
  Namespace: ['/api/v1', 'namespaces'],
  Service: ['/api/v1', 'services'],
  Endpoints: ['/api/v1', 'endpoints'],
  EndpointSlice: ['/apis/discovery.k8s.io/v1', 'endpointslices'],
};

export interface BareClient {
  send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<string>;
  /** Sends every change of a plan, those about one Service in order, and those that name ClusterIPs of the others after all of these. */
  apply(changes: readonly Change[]): Promise<void>;
  /** Sends many requests, CONNECTIONS at a time. */
  all<T>(items: readonly T[], send: (item: T) => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

export const collectionPath = (kind: WrittenKind, namespace: string): string => {
  const [group, plural] = PATHS[kind];
  return `${group}/namespaces/${namespace}/${plural}`;
};

/** What is sent in order: a Service and its endpoints. The mirror of a StatefulSet is many of these. */
const serviceOf = (change: Change): string => {
  const { kind, namespace, name, mirror } = change;
  if (kind !== 'EndpointSlice') return keyText({ namespace, name });
  const owner = change.action === 'delete' ? undefined : change.ownedBy;
  return keyText({ namespace, name: owner?.name ?? mirror.name });
};

export const bareClient = ({ url, token, caData }: ServerAccess): BareClient => {
  const dispatcher = new Agent({
    connections: CONNECTIONS,
    connect: caData === undefined ? {} : { ca: caData },
  });
  const send: BareClient['send'] = async (method, path, body) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await request(`${url}${path}`, {
      method,
      dispatcher,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return text;
  };
  const all: BareClient['all'] = async (items, one) => {
    const queue = items.values();
    const worker = async (): Promise<void> => {
      for (const item of queue) await one(item);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  };
  const write = async (change: Change, answers: Map<string, string>): Promise<void> => {
    const path = collectionPath(change.kind, change.namespace);
    if (change.action === 'create') {
      const answer = await send('POST', path, change.body);
      if (change.kind === 'Service') answers.set(keyText(change), answer);
    }
    if (change.action === 'update') {
      const metadata = { ...Object(change.patch['metadata']), resourceVersion: change.resourceVersion };
      await send('PATCH', `${path}/${change.name}`, { ...change.patch, metadata });
    }
    if (change.action === 'delete') await send('DELETE', `${path}/${change.name}`);
  };
  const inGroups = (changes: readonly Change[], answers: Map<string, string>): Promise<void> =>
    all([...Map.groupBy(changes, serviceOf).values()], async (group) => {
      for (const change of group) await write(change, answers);
    });
  return {
    send,
    all,
    apply: async (changes) => {
      const answers = new Map<string, string>();
      const stages = Map.groupBy(changes, waitsForClusterIPs);
      await inGroups(stages.get(false) ?? [], answers);
      const late = stages.get(true) ?? [];
      await inGroups(
        late.map((change) => withClusterIPs(change, answers)),
        answers,
      );
    },
    close: () => dispatcher.close(),
  };
};
