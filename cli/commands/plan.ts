// `plan`: what a sync would do; writes nothing.
import { planData } from '../../lib/runs/report-data.ts';
import type { Command } from '../command.ts';
import { exitCodeOf } from '../exit.ts';
import { isGiven } from '../flags.ts';
import { print } from '../print.ts';
import { planText } from '../render/report.ts';
import { STACK_FLAGS } from '../stack-input.ts';
import { whereOf } from '../where.ts';
import { readResyncInput, resyncOne, shownReport, type Terms } from './deployed.ts';
import { LINK_FLAGS, runOnce, type Views } from './run.ts';

export const plan: Command = {
  name: 'plan',
  summary: 'show what a sync would change, and write nothing',
  description:
    'Reads both clusters and shows what a sync of the link would create, update and delete in the source cluster, and what it refuses. With kubeconfigs or a link file it does so from here; with the name of a deployed link alone, its deployment does.',
  flags: [
    ...LINK_FLAGS,
    'namespace',
    'service',
    'force-deletes',
    ...STACK_FLAGS,
    'exit-code',
    'show-objects',
    'output',
    'debug',
  ],
  examples: [
    {
      about: 'What would be mirrored from west?',
      words: 'plan --link west --source-kubeconfig east.yaml --target-kubeconfig west.yaml',
    },
    {
      about: 'Why is one Service mirrored as it is?',
      words: 'plan --link-file west-link.yaml --service shop/web',
    },
    {
      about: 'In a script: exit 3 when something would change',
      words: 'plan --link-file west-link.yaml --exit-code -o json',
    },
    { about: 'The same of the link that is deployed', words: 'plan --link west --exit-code -o json' },
  ],
  async run(flags, io, services) {
    const { kind, mistakes } = whereOf(flags);
    const terms = { flags, io, services, mistakes };
    if (kind === 'deployed') return planDeployed(terms);
    const showObjects = isGiven(flags, 'show-objects');
    const views: Views = {
      data: (report) => planData(report, { showObjects }),
      text: (report, _, paint) => planText(report, paint),
    };
    const { report } = await runOnce({ ...terms, dryRun: true, views });
    return exitCodeOf(report, isGiven(flags, 'exit-code'));
  },
};

async function planDeployed(terms: Terms): Promise<number> {
  const input = readResyncInput(terms, { dryRun: true, needsLink: true });
  const report = await resyncOne(terms, input);
  const text = shownReport(report);
  print(terms.io, input.format, { data: () => report, text: (paint) => planText(text, paint) });
  return exitCodeOf(report, isGiven(terms.flags, 'exit-code'));
}
