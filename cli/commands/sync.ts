// `sync`: brings the mirrors of one link up to date, once.
import { syncData } from '../../lib/runs/report-data.ts';
import type { Command } from '../command.ts';
import { exitCodeOf } from '../exit.ts';
import { isGiven } from '../flags.ts';
import { print } from '../print.ts';
import { syncText } from '../render/report.ts';
import { STACK_FLAGS } from '../stack-input.ts';
import { whereOf } from '../where.ts';
import { readResyncInput, resyncOne, shownReport, type Terms } from './deployed.ts';
import { LINK_FLAGS, runOnce, type Views } from './run.ts';

export const sync: Command = {
  name: 'sync',
  summary: 'bring the mirrors of a link up to date',
  description:
    'Does what plan shows: creates, updates and deletes the mirrors of the link in the source cluster, once, and tells what became of each change. With kubeconfigs or a link file it does so from here; with the name of a deployed link alone, its deployment does, and this waits for it.',
  flags: [
    ...LINK_FLAGS,
    'namespace',
    'service',
    'force-deletes',
    ...STACK_FLAGS,
    'show-objects',
    'output',
    'debug',
  ],
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
    { about: 'The link that is deployed, now', words: 'sync --link west' },
  ],
  async run(flags, io, services) {
    const { kind, mistakes } = whereOf(flags);
    const terms = { flags, io, services, mistakes };
    if (kind === 'deployed') return syncDeployed(terms);
    const showObjects = isGiven(flags, 'show-objects');
    const views: Views = {
      data: (report) => syncData(report, { showObjects }),
      text: (report, _, paint) => syncText(report, paint),
    };
    const { report } = await runOnce({ ...terms, dryRun: false, views });
    return exitCodeOf(report, false);
  },
};

async function syncDeployed(terms: Terms): Promise<number> {
  const input = readResyncInput(terms, { dryRun: false, needsLink: true });
  const report = await resyncOne(terms, input);
  const text = shownReport(report);
  print(terms.io, input.format, { data: () => report, text: (paint) => syncText(text, paint) });
  return exitCodeOf(report, false);
}
