// Whether a request to a stand-in carries a signature of AWS (Signature Version 4). Nobody here could check it.
import type { IncomingMessage } from 'node:http';

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=[^/,]+\/\d{8}\/[^/]+\/[^/]+\/aws4_request, ?SignedHeaders=[^,]+, ?Signature=[0-9a-f]{64}$/;

export const isSigned = ({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): boolean =>
  AUTHORIZATION.test(headers.authorization ?? '') || /[?&]X-Amz-Signature=[0-9a-f]{64}(&|$)/.test(url);
