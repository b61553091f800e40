// What a mirror may be called.

/** Kubernetes' limit for the name of a Service (RFC 1035 label). */
const NAME_LIMIT = 63;

/** Why a mirror cannot have this name for its length; undefined when it can. */
export const tooLong = (name: string): string | undefined =>
  name.length <= NAME_LIMIT
    ? undefined
    : `mirror name ${name}: expected at most ${NAME_LIMIT} characters, got ${name.length}`;
