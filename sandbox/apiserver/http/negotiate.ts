// Content negotiation: which form of an object or list a client accepts.
import { notAcceptable } from '../status.ts';

/** `metadata`: PartialObjectMetadata or its list, instead of whole objects. */
export type Form = 'object' | 'metadata';

const SERVED = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/**
 * The first form on the Accept header that is served here. Tables and protobuf are passed over: every client that asks for them
 * asks for JSON too. @throws StatusError 406
 */
export function formOf(accept: string | undefined): Form {
  const ranges = (accept ?? '*/*').split(',').map((range) => range.split(';').map((part) => part.trim()));
  for (const [type = '', ...parameters] of ranges) {
    if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') continue;
    const as = parameters.find((parameter) => parameter.startsWith('as='))?.slice(3);
    if (as === undefined) return 'object';
    if (as === 'PartialObjectMetadataList' || as === 'PartialObjectMetadata') return 'metadata';
  }
  throw notAcceptable(SERVED);
}
