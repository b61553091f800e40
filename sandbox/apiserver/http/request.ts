// A request and its answer, between the HTTP side and the verbs.
import type { WatchSink } from '../verbs/watch.ts';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly user: string;
  /** '' when absent. */
  readonly contentType: string;
  readonly accept: string | undefined;
  /** '' when absent. */
  readonly userAgent: string;
  readonly body: string;
  /** Sent back as a Warning header. */
  readonly warn: (message: string) => void;
}

export type Answer =
  | {
      readonly kind: 'body';
      readonly code: number;
      readonly contentType: string;
      readonly body: string;
      /** Seconds. */
      readonly retryAfter?: number;
    }
  | { readonly kind: 'watch'; readonly start: (sink: WatchSink) => () => void };
