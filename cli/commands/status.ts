// `status`: how links are: one on two clusters, as it stands, or those of a deployment, as it knows them; writes nothing.
import { statusData } from '../../lib/runs/report-data.ts';
import type { Command } from '../command.ts';
import { exitCodeOf } from '../exit.ts';
import { statusText } from '../render/status.ts';
import { STACK_FLAGS } from '../stack-input.ts';
import { whereOf } from '../where.ts';
import { statusDeployed } from './deployed-status.ts';
import { LINK_FLAGS, runOnce, type Views } from './run.ts';

export const status: Command = {
  name: 'status',
  summary: 'show the gateway and the mirrors of a link',
  description:
    'With kubeconfigs or a link file: reads both clusters and shows the gateway with its addresses, every exported Service with its mirror, and what is refused. Without: asks the deployment what it knows of its links, their gateways, their last runs and the newest changes. Writes nothing.',
  flags: [...LINK_FLAGS, 'namespace', ...STACK_FLAGS, 'url', 'output', 'debug'],
  examples: [
    { about: 'How are the links that are deployed?', words: 'status' },
    { about: 'One of them, in production', words: 'status --link west --stage prod' },
    {
      about: 'A link on two clusters, from here',
      words: 'status --link-file west-link.yaml --state west-state.json',
    },
    { about: 'The same for a script', words: 'status --link-file west-link.yaml -o json' },
  ],
  async run(flags, io, services) {
    const { kind, mistakes } = whereOf(flags, ['namespace']);
    const terms = { flags, io, services, mistakes };
    if (kind === 'deployed') return statusDeployed(terms);
    const now = (): number => io.clock.now() / 1000;
    const views: Views = {
      data: (report, { link }) => statusData(report, link, now()),
      text: (report, { link }, paint) => statusText({ report, link, now: now(), paint }),
    };
    const { report } = await runOnce({ ...terms, dryRun: true, views });
    return exitCodeOf(report, false);
  },
};
