#!/usr/bin/env node
// Starts the command line on a Node that runs TypeScript: this one when it is new enough, else the one among the project's own
// packages. Plain JavaScript that old versions of Node understand.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const OLDEST = 24; // runs TypeScript as it is, and knows `await using`
const ownNode = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));

if (Number(process.versions.node.split('.')[0]) >= OLDEST) {
  const { main } = await import('./main.ts');
  await main();
} else if (existsSync(ownNode)) {
  startAgain();
} else {
  console.error(
    `error: expected Node ${OLDEST} or newer, got ${process.version}; "npm ci" in the project brings one along`,
  );
  process.exitCode = 1;
}

/** The same call on the project's own Node, with our streams, its exit code, and every signal passed on. */
function startAgain() {
  const child = spawn(ownNode, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`error: ${ownNode} does not start: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
