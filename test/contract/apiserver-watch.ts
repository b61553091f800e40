// Contract of Kubernetes API servers: watches.
import { beforeAll, describe, expect, it } from 'vitest';
import { failure, pathsIn } from './apiserver-client.ts';
import type { Client, Paths, WatchEvent } from './apiserver-client.ts';

const brief = (events: readonly WatchEvent[]): string[] =>
  events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`.trimEnd());

export function watchContract(use: () => Client): void {
  describe('watches', () => {
    eventContract(use);
    describe.concurrent('in their own time', () => {
      timedContract(use);
    });
    refusalContract(use);
  });
}

/** Creates ConfigMaps for a watch; returns the resourceVersion. */
const creator =
  (use: () => Client, paths: () => Paths) =>
  async (name: string, labels: object = {}): Promise<string> => {
    const { body } = await use().create(paths().configMaps(), { metadata: { name, labels } });
    return body.metadata.resourceVersion;
  };

function eventContract(use: () => Client): void {
  let paths: Paths;
  beforeAll(async () => {
    paths = pathsIn(await use().namespace('watches'));
  });
  const create = creator(use, () => paths);

  /** The events before that of the object `last`: what a watch has to say up to there, without waiting for its end. */
  const eventsBefore = async (last: string, path: string, query: string): Promise<WatchEvent[]> => {
    const open = await use().openWatch(path, `timeoutSeconds=60&${query}`);
    const events: WatchEvent[] = [];
    for (;;) {
      const [event] = await open.next(1);
      if (event === undefined || event.object.metadata.name === last) break;
      events.push(event);
    }
    await open.stop();
    return events;
  };

  it('tell what happened since a resourceVersion, in order, with whole objects', async () => {
    const version = await create('history');
    await use().merge(paths.configMaps('history'), { data: { a: '1' } });
    await create('history-2');
    await use().remove(paths.configMaps('history'));
    await create('history-end');
    const events = await eventsBefore('history-end', paths.configMaps(), `resourceVersion=${version}`);
    expect(brief(events)).toEqual(['MODIFIED history', 'ADDED history-2', 'DELETED history']);
    expect(events[0]?.object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { a: '1' } });
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual(versions.toSorted((left, right) => left - right));
    expect(versions[0]).toBeGreaterThan(Number(version));
    expect(events[2]?.object.data).toEqual({ a: '1' });
  });

  it('are told what happens while they are open', async () => {
    const version = await create('live');
    const open = await use().openWatch(paths.configMaps(), `resourceVersion=${version}&timeoutSeconds=60`);
    await create('live-2');
    expect(brief(await open.next(1))).toEqual(['ADDED live-2']);
    await use().remove(paths.configMaps('live-2'));
    await use().remove(paths.configMaps('live'));
    expect(brief(await open.next(2))).toEqual(['DELETED live-2', 'DELETED live']);
    await open.stop();
  });

  it.each(['', 'resourceVersion=0'])('begin with what is there, for "%s"', async (query) => {
    const other = pathsIn(await use().namespace(`watches-${query.length}`));
    await use().create(other.configMaps(), { metadata: { name: 'b' } });
    await use().create(other.configMaps(), { metadata: { name: 'a' } });
    const open = await use().openWatch(other.configMaps(), `timeoutSeconds=60&${query}`);
    expect(brief(await open.next(2)).toSorted()).toEqual(['ADDED a', 'ADDED b']);
    await use().remove(other.configMaps('a'));
    expect(brief(await open.next(1))).toEqual(['DELETED a']);
    await open.stop();
  });

  it('of a selector see objects come into it and leave it', async () => {
    const version = await create('in-and-out', { on: 'no' });
    const path = paths.configMaps('in-and-out');
    await use().merge(path, { metadata: { labels: { on: 'yes' } } });
    await use().merge(path, { data: { a: '1' } });
    const left = await use().merge(path, { metadata: { labels: { on: 'no' } }, data: { a: '2' } });
    await use().merge(path, { data: { a: '3' } });
    await use().remove(path);
    await create('in-and-out-end', { on: 'yes' });
    const query = `resourceVersion=${version}&labelSelector=on%3Dyes`;
    const events = await eventsBefore('in-and-out-end', paths.configMaps(), query);
    expect(brief(events)).toEqual(['ADDED in-and-out', 'MODIFIED in-and-out', 'DELETED in-and-out']);
    // Its last state within the selector, under the version of the change that took it out.
    expect(events[2]?.object).toMatchObject({
      data: { a: '1' },
      metadata: { labels: { on: 'yes' }, resourceVersion: left.body.metadata.resourceVersion },
    });
  });

  it('of one name see that one only', async () => {
    const version = await create('named');
    await create('named-2');
    await use().merge(paths.configMaps('named'), { data: { a: '1' } });
    const query = `timeoutSeconds=60&resourceVersion=${version}&fieldSelector=metadata.name%3Dnamed`;
    const open = await use().openWatch(paths.configMaps(), query);
    await use().remove(paths.configMaps('named'));
    expect(brief(await open.next(2))).toEqual(['MODIFIED named', 'DELETED named']);
    await open.stop();
  });

  it('of one namespace see that one only, and of all see all', async () => {
    const other = pathsIn(await use().namespace('watches-other'));
    const version = await create('here');
    await use().create(other.configMaps(), { metadata: { name: 'there' } });
    await create('here-end');
    const query = `resourceVersion=${version}`;
    expect(brief(await eventsBefore('here-end', paths.configMaps(), query))).toEqual([]);
    expect(brief(await eventsBefore('here-end', '/api/v1/configmaps', query))).toEqual(['ADDED there']);
  });

  it('carry metadata only, when asked', async () => {
    const version = await create('partial');
    await use().merge(paths.configMaps('partial'), { data: { a: '1' } });
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const query = `watch=true&timeoutSeconds=1&resourceVersion=${version}`;
    const { text } = await use().get(`${paths.configMaps()}?${query}`, { accept });
    const event: WatchEvent = JSON.parse(text);
    expect(event.object).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' });
    expect(event.object).not.toHaveProperty('data');
  });
}

/** What needs a watch to run to its end. Each in a namespace and on a kind of its own, as they run side by side. */
function timedContract(use: () => Client): void {
  it('say nothing at all, in 0 bytes, when nothing happened', async () => {
    const paths = pathsIn(await use().namespace('watches-quiet'));
    const version = await creator(use, () => paths)('quiet');
    const query = `watch=true&timeoutSeconds=1&resourceVersion=${version}`;
    const { status, text } = await use().get(`${paths.configMaps()}?${query}`);
    expect({ status, text }).toEqual({ status: 200, text: '' });
  });

  it('wait in silence for a resourceVersion from the future', async () => {
    const paths = pathsIn(await use().namespace('watches-future'));
    expect(await use().watch(paths.configMaps(), 'timeoutSeconds=1&resourceVersion=99999999')).toEqual([]);
  });

  it('mark the end of what was there, when asked for it', async () => {
    const paths = pathsIn(await use().namespace('watches-initial'));
    await creator(use, () => paths)('a');
    const events = await use().watch(
      paths.configMaps(),
      'timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
    );
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']);
    expect(events[1]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
  });

  it('get a bookmark before they end, when something happened meanwhile', async () => {
    const paths = pathsIn(await use().namespace('watches-marked'));
    const { body } = await use().get(paths.services());
    const open = await use().openWatch(
      paths.services(),
      `resourceVersion=${body.metadata.resourceVersion}&timeoutSeconds=4&allowWatchBookmarks=true`,
    );
    const service = { metadata: { name: 'event' }, spec: { ports: [{ port: 80 }] } };
    const created = await use().create(paths.services(), service);
    const [added, bookmark] = await open.next(2);
    await open.stop();
    expect(added?.type).toBe('ADDED');
    expect(bookmark).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'Service',
        apiVersion: 'v1',
        metadata: { resourceVersion: created.body.metadata.resourceVersion },
        spec: {},
        status: { loadBalancer: {} },
      },
    });
  });

  it('get no bookmark when their kind did not change', async () => {
    const paths = pathsIn(await use().namespace('watches-unmarked'));
    const { body } = await use().create(paths.secrets(), { metadata: { name: 'unmarked' } });
    const query = `resourceVersion=${body.metadata.resourceVersion}&timeoutSeconds=3&allowWatchBookmarks=true`;
    expect(await use().watch(paths.secrets(), query)).toEqual([]);
  });

  it('get no bookmark when they do not ask for one', async () => {
    const paths = pathsIn(await use().namespace('watches-unasked'));
    const version = await creator(use, () => paths)('before');
    const open = await use().openWatch(paths.configMaps(), `resourceVersion=${version}&timeoutSeconds=3`);
    await creator(use, () => paths)('after');
    expect(brief(await open.next(1))).toEqual(['ADDED after']);
    await expect(open.next(1)).rejects.toThrow('the watch ended after 0 of 1 events');
  });
}

function refusalContract(use: () => Client): void {
  // A real server keeps the recent events of a kind in memory. Of Links it does so only from when their CRD is there, so that
  // revision 1 is too old for it.
  it('end with an ERROR event, 410, when their resourceVersion is too old', async () => {
    const events = await use().watch(pathsIn('watches').linksV3(), 'timeoutSeconds=5&resourceVersion=1');
    expect(events).toEqual([
      {
        type: 'ERROR',
        object: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: expect.stringMatching(/^too old resource version: 1 \(\d+\)$/),
          reason: 'Expired',
          code: 410,
        },
      },
    ]);
  });

  it.each([
    ['a resourceVersion that is no number', 'resourceVersion=x', 500],
    ['a selector that cannot be parsed', 'labelSelector=a%20b', 400],
    ['initial events without a match', 'sendInitialEvents=true', 422],
    ['a match without initial events', 'resourceVersionMatch=NotOlderThan&resourceVersion=1', 422],
  ])('are refused for %s', async (_, query, code) => {
    const path = pathsIn('watches').configMaps();
    expect(await use().get(`${path}?watch=true&timeoutSeconds=1&${query}`)).toMatchObject(failure({ code }));
  });
}
