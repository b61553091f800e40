// How long SQS keeps a message back.

/** Seconds; of SendMessage (API reference of SQS). */
const LONGEST_DELAY = 900;

/** Whole seconds, rounded up so that no message comes early. @throws RangeError outside of what SQS takes */
export function wholeDelay(seconds: number): number {
  if (!(seconds >= 0 && seconds <= LONGEST_DELAY)) {
    throw new RangeError(`delaySeconds: expected 0 to ${LONGEST_DELAY}, got ${seconds}`);
  }
  return Math.ceil(seconds);
}
