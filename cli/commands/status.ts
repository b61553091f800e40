// `status`: one link as it stands: its gateway, its mirrors, and what is refused; writes nothing.
import type { Command } from '../command.ts';
import { exitCodeOf } from '../exit.ts';
import { statusData } from '../../lib/runs/report-data.ts';
import { statusText } from '../render/status.ts';
import { LINK_FLAGS, runOnce, type Views } from './run.ts';

export const status: Command = {
  name: 'status',
  summary: 'show the gateway and the mirrors of a link',
  description:
    'Reads both clusters and shows the gateway with its addresses, every exported Service with its mirror, and what is refused. Writes nothing.',
  flags: [...LINK_FLAGS, 'namespace', 'output', 'debug'],
  examples: [
    { about: 'How is the link west?', words: 'status --link-file west-link.yaml --state west-state.json' },
    { about: 'The same for a script', words: 'status --link-file west-link.yaml -o json' },
  ],
  async run(flags, io, services) {
    const now = (): number => io.clock.now() / 1000;
    const views: Views = {
      data: (report, { link }) => statusData(report, link, now()),
      text: (report, { link }, paint) => statusText({ report, link, now: now(), paint }),
    };
    const report = await runOnce({ flags, io, services, dryRun: true, views });
    return exitCodeOf(report, false);
  },
};
