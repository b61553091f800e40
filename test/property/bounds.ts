// How many random cases a property is tried on. A failure prints its seed and path: hand both to fc.assert to see it again.

/** Ends the search for a smaller counterexample before the test runner's own limit, which would hide the seed. ms */
const LIMIT = { interruptAfterTimeLimit: 15_000 };

/** Properties of pure functions. */
export const PURE = { numRuns: 300, ...LIMIT };

/** Properties that start API servers for every case. */
export const ON_SERVERS = { numRuns: 20, ...LIMIT };
