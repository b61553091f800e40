// `sync`: brings the mirrors of one link up to date, from this computer.
import type { Command } from '../command.ts';
import { exitCodeOf } from '../exit.ts';
import { isGiven } from '../flags.ts';
import { syncData } from '../../lib/runs/report-data.ts';
import { syncText } from '../render/report.ts';
import { LINK_FLAGS, runOnce, type Views } from './run.ts';

export const sync: Command = {
  name: 'sync',
  summary: 'bring the mirrors of a link up to date',
  description:
    'Does what plan shows: creates, updates and deletes the mirrors of the link in the source cluster, once, and tells what became of each change.',
  flags: [...LINK_FLAGS, 'namespace', 'service', 'force-deletes', 'show-objects', 'output', 'debug'],
  examples: [
    {
      about: 'Mirror the exported Services of west, and remember DNS answers for the next time',
      words:
        'sync --link west --source-kubeconfig east.yaml --target-kubeconfig west.yaml --state west-state.json',
    },
    {
      about: 'Only two namespaces, with a resolver of your own',
      words: 'sync --link-file west-link.yaml --namespace shop --namespace cart --dns 10.0.0.2:53',
    },
  ],
  async run(flags, io, services) {
    const showObjects = isGiven(flags, 'show-objects');
    const views: Views = {
      data: (report) => syncData(report, { showObjects }),
      text: (report, _, paint) => syncText(report, paint),
    };
    const report = await runOnce({ flags, io, services, dryRun: false, views });
    return exitCodeOf(report, false);
  },
};
