// Makes what is deployed, one file per function in dist/: `npm run build`.
import { bundleAll } from './bundle/bundle-all.ts';

const { table, mistakes } = await bundleAll(process.cwd());
console.log(table);
for (const mistake of mistakes) console.error(mistake);
if (mistakes.length > 0) process.exitCode = 1;
