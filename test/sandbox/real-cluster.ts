// A real cluster as a program: NAME SERVICE_RANGE. Prints how it is reached as one line of JSON; ends with its standard input.
import { startControlPlane } from '../cluster/control-plane.ts';

const [name = 'real', serviceRange = '10.96.0.0/16'] = process.argv.slice(2);
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {}); // whoever started it says when it ends
try {
  const controllers = ['endpointslice-mirroring-controller', 'namespace-controller'];
  const plane = await startControlPlane({ name, serviceRange, controllers });
  process.stdout.write(`${JSON.stringify({ url: plane.url, ca: plane.caData, token: plane.adminToken })}\n`);
  process.stdin.resume().on('end', () => {
    void plane.stop();
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
