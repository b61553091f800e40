// `plan`: what a sync would do; writes nothing.
import type { Command } from '../command.ts';
import { exitCodeOf } from '../exit.ts';
import { isGiven } from '../flags.ts';
import { planData } from '../../lib/runs/report-data.ts';
import { planText } from '../render/report.ts';
import { LINK_FLAGS, runOnce, type Views } from './run.ts';

export const plan: Command = {
  name: 'plan',
  summary: 'show what a sync would change, and write nothing',
  description:
    'Reads both clusters and shows what a sync of the link would create, update and delete in the source cluster, and what it refuses.',
  flags: [
    ...LINK_FLAGS,
    'namespace',
    'service',
    'force-deletes',
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
  ],
  async run(flags, io, services) {
    const showObjects = isGiven(flags, 'show-objects');
    const views: Views = {
      data: (report) => planData(report, { showObjects }),
      text: (report, _, paint) => planText(report, paint),
    };
    const report = await runOnce({ flags, io, services, dryRun: true, views });
    return exitCodeOf(report, isGiven(flags, 'exit-code'));
  },
};
