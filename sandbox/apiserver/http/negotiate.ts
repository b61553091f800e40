// Content negotiation: which form of an object or list a client accepts.
import { formNotAcceptable, notAcceptable } from '../status.ts';

/** `metadata`: PartialObjectMetadata or its list, instead of whole objects. */
export type Form = 'object' | 'metadata';

/** What a real API server says it has. */
const SERVED = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
];

type Range = readonly [type: string, ...parameters: string[]];

const rangesOf = (accept: string | undefined): Range[] =>
  (accept ?? '*/*').split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    return [type, ...parameters];
  });

const isJson = ([type]: Range): boolean => ['application/json', 'application/*', '*/*'].includes(type);

/** @throws StatusError 406 when the client wants no JSON at all */
export function checkAccept(accept: string | undefined): void {
  if (!rangesOf(accept).some(isJson)) throw notAcceptable(SERVED);
}

/**
 * The first form on the Accept header that is served here. Tables and protobuf are passed over: every client that asks for them
 * asks for JSON too. @throws StatusError 406
 */
export function formOf(accept: string | undefined): Form {
  for (const [, ...parameters] of rangesOf(accept).filter(isJson)) {
    const as = parameters.find((parameter) => parameter.startsWith('as='))?.slice(3);
    if (as === undefined) return 'object';
    if (as === 'PartialObjectMetadataList' || as === 'PartialObjectMetadata') return 'metadata';
  }
  throw formNotAcceptable(SERVED.slice(0, 3));
}
