// Holds the import directions of the project: `npm run directions`.
import { checkTree } from './directions/check.ts';
import { readTree } from './directions/tree.ts';

const tree = readTree(process.cwd());
const { modules, imports, violations } = checkTree(tree);
for (const { path, line, message } of violations)
  console.error(`${line === undefined ? path : `${path}:${line}`} ${message}`);
const seen = `${modules} modules and ${imports} imports in ${tree.folders.join(', ')}`;
console.log(`directions: looked at ${seen}; ${violations.length} against the rules`);
if (violations.length > 0) process.exitCode = 1;
