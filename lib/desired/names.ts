// What a mirror may be called.

/** Kubernetes' limit for the name of a Service (RFC 1035 label). */
export const NAME_LIMIT = 63;
