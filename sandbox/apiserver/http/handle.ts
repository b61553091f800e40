// One request to one answer: routing, authorisation, and the verb that does the work.
import type { Core } from '../core.ts';
import { applyPatch, checkPatchType } from '../patch/apply.ts';
import { RESOURCES } from '../resources/registry.ts';
import {
  methodNotAllowed,
  noSuchResource,
  notFound,
  plainError,
  resourceVersionTooLarge,
} from '../status.ts';
import type { Entry } from '../storage/entry.ts';
import { createObject } from '../verbs/create.ts';
import { decodeBody, decodePatched } from '../verbs/decode-body.ts';
import { deleteObject } from '../verbs/delete.ts';
import type { Deleted } from '../verbs/delete.ts';
import { listObjects, parseRevision } from '../verbs/list.ts';
import { checkWriteOptions } from '../verbs/options.ts';
import { keyOfTarget, resourceOf } from '../verbs/target.ts';
import type { Target } from '../verbs/target.ts';
import { patchObject, replaceObject } from '../verbs/update.ts';
import { watchObjects } from '../verbs/watch.ts';
import { authorizePath, authorizeResource } from './auth.ts';
import type { Authorize } from './auth.ts';
import { discover } from './discovery.ts';
import { checkAccept, formOf } from './negotiate.ts';
import type { Form } from './negotiate.ts';
import { routeOf } from './paths.ts';
import { printEntry, printPage } from './print.ts';
import type { Answer, Request } from './request.ts';
import { checkContentType, deleteOptions, mediaType, writeOptions } from './request-options.ts';

const JSON_TYPE = 'application/json';
const PLAIN = 'text/plain; charset=utf-8';
/** Paths outside the API are answered by a plain web server. */
const notServed = (): Answer => ({
  kind: 'body',
  code: 404,
  contentType: PLAIN,
  body: '404 page not found\n',
});
const json = (code: number, body: string): Answer => ({ kind: 'body', code, contentType: JSON_TYPE, body });

/** @throws StatusError for every answer that is none of success */
export function handle(core: Core, request: Request, authorize: Authorize | undefined): Answer {
  const { method, path } = request;
  if (/^\/(healthz|livez|readyz)$/.test(path))
    return { kind: 'body', code: 200, contentType: PLAIN, body: 'ok' };
  const route = routeOf(path);
  if (route === undefined) {
    authorizePath(request.user, path);
    const document = discover(path);
    if (document === undefined) return notServed();
    if (method !== 'GET') throw methodNotAllowed();
    return json(200, `${JSON.stringify(document)}\n`);
  }
  if (route.kind === 'unknown') {
    if (RESOURCES.every(({ group }) => group !== route.group)) return notServed();
    throw noSuchResource();
  }
  const { target } = route;
  const verb = verbOf(request, target);
  authorizeResource(request.user, verb, target, authorize);
  checkAccept(request.accept);
  if (target.type.deprecation !== undefined) request.warn(target.type.deprecation);
  const form = formOf(request.accept);
  return VERBS[verb]({ core, request, target, form });
}

const VERB_NAMES = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
] as const;
type Verb = (typeof VERB_NAMES)[number];

function verbOf({ method, query }: Request, { name, subresource, type, namespace }: Target): Verb {
  const collection = name === '';
  switch (method) {
    case 'GET':
      if (collection) return isTrue(query.get('watch')) ? 'watch' : 'list';
      return 'get';
    case 'POST':
      if (collection && (namespace !== '' || !type.namespaced)) return 'create';
      break;
    case 'PUT':
      if (!collection) return 'update';
      break;
    case 'PATCH':
      if (!collection) return 'patch';
      break;
    case 'DELETE':
      if (collection && (namespace !== '' || !type.namespaced)) return 'deletecollection';
      if (!collection && subresource === '') return 'delete';
      break;
  }
  throw methodNotAllowed();
}

const isTrue = (value: string | null): boolean => value === 'true' || value === '1';

interface Call {
  readonly core: Core;
  readonly request: Request;
  readonly target: Target;
  readonly form: Form;
}

const entryAnswer = (code: number, entry: Entry, { target, form }: Call): Answer =>
  json(code, `${printEntry(entry, target, form)}\n`);

const VERBS: Readonly<Record<Verb, (call: Call) => Answer>> = {
  get(call) {
    const { core, request, target } = call;
    const asked = parseRevision(request.query.get('resourceVersion') ?? '', plainError);
    if (asked > core.store.revision) throw resourceVersionTooLarge(asked, core.store.revision);
    const entry = core.store.get(target.type.resource, keyOfTarget(target));
    if (entry === undefined) throw notFound(resourceOf(target), target.name);
    return entryAnswer(200, entry, call);
  },
  list: ({ core, request, target, form }) =>
    json(200, printPage(listObjects(core, target, request.query), target, form)),
  watch({ core, request, target, form }) {
    const print = (entry: Entry): string => printEntry(entry, target, form);
    return { kind: 'watch', start: watchObjects({ core, target, query: request.query, print }) };
  },
  create(call) {
    const { core, request, target } = call;
    checkContentType(request);
    checkWriteOptions('CreateOptions', request.query);
    const options = writeOptions(request);
    const object = decodeBody(target, request.body, options);
    return entryAnswer(201, createObject(core, target, object, options), call);
  },
  update(call) {
    const { core, request, target } = call;
    checkContentType(request);
    checkWriteOptions('UpdateOptions', request.query);
    const options = writeOptions(request);
    const object = decodeBody(target, request.body, options);
    const { entry, created } = replaceObject(core, target, object, options);
    return entryAnswer(created ? 201 : 200, entry, call);
  },
  patch(call) {
    const { core, request, target } = call;
    const contentType = mediaType(request.contentType);
    checkPatchType(target.type, contentType);
    checkWriteOptions('PatchOptions', request.query);
    const options = writeOptions(request);
    const patch = (live: Entry): ReturnType<typeof decodePatched> => {
      const current: unknown = JSON.parse(live.json(target.version));
      return decodePatched(
        target,
        applyPatch(target.type, current, { contentType, body: request.body }),
        options,
      );
    };
    return entryAnswer(200, patchObject(core, target, patch, options).entry, call);
  },
  delete(call) {
    const { core, request, target } = call;
    return deletedAnswer(deleteObject(core, target, deleteOptions(request)), call);
  },
  deletecollection({ core, request, target, form }) {
    const page = listObjects(core, target, request.query);
    const options = deleteOptions(request);
    for (const { object } of page.entries) {
      deleteObject(core, { ...target, name: object.metadata.name }, options);
    }
    return json(200, printPage(page, target, form));
  },
};

const deletedAnswer = (deleted: Deleted, call: Call): Answer =>
  'entry' in deleted
    ? entryAnswer(200, deleted.entry, call)
    : json(200, `${JSON.stringify(deleted.status)}\n`);
