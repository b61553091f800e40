// The log of requests, for tests that count them.

export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** 0 while there is no answer. */
  readonly status: number;
  /** Of the answer's body. */
  readonly bytes: number;
  /** Of the request's body. */
  readonly sent: number;
}

export interface RequestLog {
  /** In the order of arrival. */
  readonly all: readonly LoggedRequest[];
  reset(): void;
}

type Open = { -readonly [Key in keyof LoggedRequest]: LoggedRequest[Key] };

export interface WritableRequestLog extends RequestLog {
  /** The record of a new request, to be filled in later. */
  open(method: string, url: URL): Open;
}

export function createRequestLog(): WritableRequestLog {
  const all: Open[] = [];
  return {
    all,
    reset: () => {
      all.length = 0;
    },
    open(method, url) {
      const query = Object.fromEntries(url.searchParams);
      const request = { method, path: url.pathname, query, status: 0, bytes: 0, sent: 0 };
      all.push(request);
      return request;
    },
  };
}
