// Contract of Kubernetes API servers: lists, selectors, pages, resourceVersions.
import { beforeAll, describe, expect, it } from 'vitest';
import { failure, pathsIn } from './apiserver-client.ts';
import type { Answer, Client, Paths, ServerUnderTest } from './apiserver-client.ts';

const namesOf = ({ body }: Answer): string[] =>
  body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);

export function listContract(use: () => Client, server: () => ServerUnderTest): void {
  selectorContract(use);
  pageContract(use, server);
  versionContract(use);
}

function selectorContract(use: () => Client): void {
  describe('selectors', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('selectors'));
      const objects: [string, object][] = [
        ['a1', { app: 'a', n: '1' }],
        ['a2', { app: 'a', n: '2', tier: 'x' }],
        ['b1', { app: 'b', n: '3' }],
        ['c1', { app: '', 'x.y/z': 'q' }],
        ['d1', {}],
      ];
      for (const [name, labels] of objects)
        await use().create(paths.configMaps(), { metadata: { name, labels } });
    });

    it.each([
      ['app=a', ['a1', 'a2']],
      ['app==a', ['a1', 'a2']],
      ['app = a', ['a1', 'a2']],
      ['app!=a', ['b1', 'c1', 'd1']],
      ['app in (a,b)', ['a1', 'a2', 'b1']],
      ['app in ()', ['c1']],
      ['app in (a,)', ['a1', 'a2', 'c1']],
      ['app notin (a,b)', ['c1', 'd1']],
      ['app', ['a1', 'a2', 'b1', 'c1']],
      ['!app', ['d1']],
      ['app=', ['c1']],
      ['app=a,tier=x', ['a2']],
      ['app in (a,b),!tier', ['a1', 'b1']],
      ['x.y/z=q', ['c1']],
      ['n>1', ['a2', 'b1']],
      ['n<3', ['a1', 'a2']],
      ['', ['a1', 'a2', 'b1', 'c1', 'd1']],
    ])('labels: %s', async (selector, expected) => {
      const answer = await use().get(`${paths.configMaps()}?labelSelector=${encodeURIComponent(selector)}`);
      expect(namesOf(answer)).toEqual(expected);
    });

    it.each([
      ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
      ['=x', "found '=', expected: !, identifier, or 'end of string'"],
      ['app=a b', "found 'b', expected: ',' or 'end of string'"],
      ['app in (a', "unable to parse requirement: found '', expected: ',' or ')'"],
      ['app in a', "unable to parse requirement: found 'a' expected: '('"],
      ['app,', "found '', expected: identifier after ','"],
    ])('labels: 400 for %s', async (selector, message) => {
      const answer = await use().get(`${paths.configMaps()}?labelSelector=${encodeURIComponent(selector)}`);
      expect(answer).toMatchObject(failure({ code: 400, reason: 'BadRequest', message }));
    });

    it.each([
      ['metadata.name=a1', ['a1']],
      ['metadata.name==a1', ['a1']],
      ['metadata.name!=a1', ['a2', 'b1', 'c1', 'd1']],
      ['metadata.namespace=selectors', ['a1', 'a2', 'b1', 'c1', 'd1']],
      ['metadata.namespace=other', []],
      ['metadata.name=a1,metadata.namespace=selectors', ['a1']],
    ])('fields: %s', async (selector, expected) => {
      const answer = await use().get(`${paths.configMaps()}?fieldSelector=${encodeURIComponent(selector)}`);
      expect(namesOf(answer)).toEqual(expected);
    });

    it('fields: 400 for one that cannot be selected by', async () => {
      expect(await use().get(`${paths.configMaps()}?fieldSelector=metadata.uid%3D1`)).toMatchObject(
        failure({
          code: 400,
          reason: 'BadRequest',
          message: '"metadata.uid" is not a known field selector: only "metadata.name", "metadata.namespace"',
        }),
      );
      expect(await use().get(`${paths.services()}?fieldSelector=spec.x%3D1`)).toMatchObject(
        failure({
          code: 400,
          message: 'field label not supported: spec.x',
        }),
      );
    });

    it('fields: Services by type', async () => {
      await use().create(paths.services(), {
        metadata: { name: 'external' },
        spec: { type: 'ExternalName', externalName: 'a.example.com' },
      });
      const { body } = await use().get(`${paths.services()}?fieldSelector=spec.type%3DExternalName`);
      expect(body.items).toHaveLength(1);
    });
  });
}

function pageContract(use: () => Client, server: () => ServerUnderTest): void {
  describe('pages', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('pages'));
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        await use().create(paths.configMaps(), {
          metadata: { name, labels: name < 'c' ? { early: '' } : {} },
        });
      }
    });
    const page = (query: string) => use().get(`${paths.configMaps()}?${query}`);

    it('hold as many as asked for, and say how many remain', async () => {
      const first = await page('limit=2');
      expect(namesOf(first)).toEqual(['a', 'b']);
      expect(first.body.metadata.remainingItemCount).toBe(3);
      const second = await page(`limit=2&continue=${first.body.metadata.continue}`);
      expect(namesOf(second)).toEqual(['c', 'd']);
      expect(second.body.metadata.remainingItemCount).toBe(1);
      const last = await page(`limit=2&continue=${second.body.metadata.continue}`);
      expect(namesOf(last)).toEqual(['e']);
      expect(last.body.metadata).not.toHaveProperty('continue');
      expect(last.body.metadata).not.toHaveProperty('remainingItemCount');
    });

    it('show one state, however it changes between them', async () => {
      const first = await page('limit=2');
      await use().merge(paths.configMaps('c'), { data: { changed: 'yes' } });
      await use().remove(paths.configMaps('d'));
      await use().create(paths.configMaps(), { metadata: { name: 'cc' } });
      const rest = await page(`limit=9&continue=${first.body.metadata.continue}`);
      expect(namesOf(rest)).toEqual(['c', 'd', 'e']);
      expect(rest.body.items[0]).not.toHaveProperty('data');
      expect(rest.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
      expect(namesOf(await page('limit=9'))).toEqual(['a', 'b', 'c', 'cc', 'e']);
      await use().remove(paths.configMaps('cc'));
      await use().create(paths.configMaps(), { metadata: { name: 'd' } });
    });

    it('may end with an empty one when a selector is used, and count nothing then', async () => {
      const first = await page('limit=2&labelSelector=early');
      expect(namesOf(first)).toEqual(['a', 'b']);
      expect(first.body.metadata).not.toHaveProperty('remainingItemCount');
      const last = await page(`limit=2&labelSelector=early&continue=${first.body.metadata.continue}`);
      expect(namesOf(last)).toEqual([]);
      expect(last.body.metadata).not.toHaveProperty('continue');
    });

    it('go over all namespaces in order', async () => {
      const other = pathsIn(await use().namespace('pages-more'));
      await use().create(other.leases(), { metadata: { name: 'y' }, spec: {} });
      await use().create(paths.leases(), { metadata: { name: 'z' }, spec: {} });
      const names: string[] = [];
      let token = '';
      do {
        const answer = await use().get(`/apis/coordination.k8s.io/v1/leases?limit=1&continue=${token}`);
        names.push(
          ...answer.body.items.map(
            ({ metadata }: Answer['body']) => `${metadata.namespace}/${metadata.name}`,
          ),
        );
        token = answer.body.metadata.continue ?? '';
      } while (token !== '');
      expect(names.filter((name) => name.startsWith('pages'))).toEqual(['pages-more/y', 'pages/z']);
    });

    it('are not cut when any version will do', async () => {
      expect(namesOf(await page('limit=2&resourceVersion=0'))).toHaveLength(5);
    });

    const token = (fields: object): string => Buffer.from(JSON.stringify(fields)).toString('base64url');
    const VERSION = 'meta.k8s.io/v1';
    it.each([
      ['no base64', 'a!b', 'illegal base64 data at input byte 1'],
      [
        'no version',
        token({ v: 'x', rv: 1, start: 'a' }),
        'server does not recognize this encoded version x',
      ],
      [
        'revision 0',
        token({ v: VERSION, rv: 0, start: 'a' }),
        `incorrect encoded start resourceVersion (version ${VERSION})`,
      ],
      ['no start', token({ v: VERSION, rv: 1, start: '' }), `encoded start key empty (version ${VERSION})`],
      ['a start elsewhere', token({ v: VERSION, rv: 1, start: '../x' }), '../x'],
    ])('400 for a continue token with %s', async (_, text, why) => {
      expect(await page(`limit=1&continue=${text}`)).toMatchObject(
        failure({
          code: 400,
          reason: 'BadRequest',
          message: `invalid continue token: continue key is not valid: ${why}`,
        }),
      );
    });

    it('400 for a continue token together with a resourceVersion', async () => {
      const { body } = await page('limit=1');
      expect(await page(`limit=1&resourceVersion=5&continue=${body.metadata.continue}`)).toMatchObject(
        failure({
          code: 400,
          reason: 'BadRequest',
        }),
      );
    });

    // A real server keeps the recent states of a kind in memory, and asks its storage for older ones. Links are a kind that it
    // begins to keep only when their CRD is there, so that revision 1 is the storage's to answer, which has forgotten it.
    it('410 for a continue token of a state that is forgotten, with another one to go on without it', async () => {
      const { linksV3 } = pathsIn('pages');
      for (const name of ['a', 'b', 'c']) {
        const link = { apiVersion: 'multicluster.linkerd.io/v1alpha3', kind: 'Link', metadata: { name } };
        await use().create(linksV3(), link);
      }
      await server().capabilities.compact();
      const forgotten = token({ v: VERSION, rv: 1, start: 'a\0' });
      const answer = await use().get(`${linksV3()}?limit=2&continue=${forgotten}`);
      expect(answer).toMatchObject(failure({ code: 410, reason: 'Expired' }));
      expect(answer.body.message).toMatch(
        /^The provided continue parameter is too old to display a consistent list result\. You can start a new list without the continue parameter, or use the continue token in this response /,
      );
      const rest = await use().get(`${linksV3()}?limit=2&continue=${answer.body.metadata.continue}`);
      expect(namesOf(rest)).toEqual(['b', 'c']);
    });
  });
}

function versionContract(use: () => Client): void {
  describe('resourceVersions', () => {
    let paths: Paths;
    beforeAll(async () => {
      paths = pathsIn(await use().namespace('versions'));
    });
    const create = async (name: string): Promise<string> =>
      (await use().create(paths.configMaps(), { metadata: { name } })).body.metadata.resourceVersion;

    it('of a list is not older than its newest object', async () => {
      const version = await create('newest');
      const { body } = await use().get(paths.configMaps());
      expect(Number(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(version));
    });

    it('Exact shows that very state, NotOlderThan at least that', async () => {
      const version = await create('before');
      await create('after');
      const exact = await use().get(
        `${paths.configMaps()}?resourceVersionMatch=Exact&resourceVersion=${version}`,
      );
      expect(namesOf(exact)).toContain('before');
      expect(namesOf(exact)).not.toContain('after');
      expect(exact.body.metadata.resourceVersion).toBe(version);
      const later = await use().get(`${paths.configMaps()}?resourceVersion=${version}`);
      expect(namesOf(later)).toContain('after');
    });

    it.each([
      ['a list', '', ''],
      ['an object', '/newest', ''],
      ['a page', '', '&limit=1&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OTk5OTk5OTksInN0YXJ0IjoiYSJ9'],
    ])('504 for %s from the future', async (_, name, query) => {
      const version = query === '' ? 'resourceVersion=99999999' : '';
      const answer = await use().get(`${paths.configMaps()}${name}?${version}${query}`);
      expect(answer).toMatchObject(
        failure({
          code: 504,
          reason: 'Timeout',
          details: {
            causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
            retryAfterSeconds: 1,
          },
        }),
      );
      expect(answer.body.message).toMatch(/^Timeout: Too large resource version: 99999999, current: \d+$/);
      expect(answer.headers.get('retry-after')).toBe('1');
    });

    it.each([
      ['a resourceVersion that is no number', 'resourceVersion=x', 400],
      ['a limit that is no number', 'limit=x', 400],
      ['a match without version', 'resourceVersionMatch=Exact', 422],
      ['an unknown match', 'resourceVersionMatch=X&resourceVersion=1', 422],
      ['initial events of a list', 'sendInitialEvents=true', 422],
    ])('%s is refused', async (_, query, code) => {
      expect(await use().get(`${paths.configMaps()}?${query}`)).toMatchObject(
        failure({
          code,
          reason: code === 400 ? 'BadRequest' : 'Invalid',
        }),
      );
    });
  });
}
