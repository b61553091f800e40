// Keeps what docs say of link fields and commands current: `npm run docs` writes it, `npm run docs:check` fails when it is not.
import { readFileSync, writeFileSync } from 'node:fs';
import { commandHelp } from './docs/commands.ts';
import { fieldTable } from './docs/fields.ts';
import { alarmTable, defaultsIn, metricTable, parameterTable } from './docs/parameters.ts';
import { withSection } from './docs/sections.ts';

const defaults = defaultsIn(readFileSync('serverless.yml', 'utf8'));
const SECTIONS = [
  { file: 'docs/link-document.md', name: 'fields', text: fieldTable() },
  { file: 'docs/cli.md', name: 'commands', text: await commandHelp() },
  { file: 'docs/deploy.md', name: 'parameters', text: parameterTable(defaults) },
  { file: 'docs/deploy.md', name: 'metrics', text: metricTable() },
  { file: 'docs/deploy.md', name: 'alarms', text: alarmTable(defaults) },
];

const isCheck = process.argv.includes('--check');
const stale = SECTIONS.filter(({ file, name, text }) => {
  const present = readFileSync(file, 'utf8');
  const wanted = withSection(present, name, text);
  if (!isCheck && wanted !== present) writeFileSync(file, wanted);
  return wanted !== present;
});

for (const { file } of stale)
  console.log(`${file}: ${isCheck ? 'not current, run "npm run docs"' : 'written'}`);
console.log(
  `docs: looked at ${SECTIONS.length} generated parts; ${stale.length} ${isCheck ? 'not current' : 'written'}`,
);
if (isCheck && stale.length > 0) process.exitCode = 1;
