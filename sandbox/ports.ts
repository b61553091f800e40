// Which port each part of the sandbox listens on, and a clear word when one is taken.

/** In the order of their ports from `--port-base` on. */
export const PARTS = [
  'API server of east',
  'API server of west',
  'DNS server',
  'DynamoDB stand-in',
  'SQS stand-in',
  'EKS and STS stand-in',
  'Lambda stand-in',
  'status function URL',
  'Runtime API',
] as const;
export type Part = (typeof PARTS)[number];

class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

export interface Ports {
  /** @throws PortTaken */
  open<T>(part: Part, start: (port: number) => Promise<T>): Promise<T>;
}

/** @param base undefined: every part gets a free port */
export const portsFrom = (base: number | undefined): Ports => ({
  async open(part, start) {
    const port = base === undefined ? 0 : base + PARTS.indexOf(part);
    try {
      return await start(port);
    } catch (error) {
      if (!isTaken(error)) throw error;
      throw new PortTaken(
        `port ${port} is taken, and the ${part} was to have it: end what uses it, or choose another --port-base`,
      );
    }
  },
});

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
