// `gateways`: whether the gateways answer, and what is known of each of their addresses; of two clusters, or of a deployment.
import type { Link } from '../../lib/model/link.ts';
import type { Report } from '../../lib/model/report.ts';
import type { BrokenLink } from '../../lib/ports.ts';
import type { Data } from '../../lib/runs/report-data.ts';
import type { Command } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { isUsable, viewData, viewOfReport, viewOfStatus, type GatewayView } from '../gateway-view.ts';
import { print } from '../print.ts';
import { gatewaysText } from '../render/gateways.ts';
import { STACK_FLAGS } from '../stack-input.ts';
import { whereOf } from '../where.ts';
import type { Terms } from './deployed.ts';
import { askStatus } from './deployed-status.ts';
import { LINK_FLAGS, runOnce, type Views } from './run.ts';

export const gateways: Command = {
  name: 'gateways',
  summary: 'show whether gateways are alive, and their addresses',
  description:
    'Shows for each link whether its gateway answers and how many mirrors depend on it, and for each address its state (ready, draining or down), its liveness, how long the answer that held it is still good, where it comes from (a hostname, the status or a pin), and when it came into its state. With kubeconfigs or a link file: of that link, by a look from here, and liveness as the state file remembers it, since nothing is probed from here. Without: of the links of the deployment, as it knows them. Writes nothing. The exit code is 1 when a gateway is dead or has no address.',
  flags: [...LINK_FLAGS, ...STACK_FLAGS, 'url', 'output', 'debug'],
  examples: [
    { about: 'Are the gateways of all links alive?', words: 'gateways' },
    { about: 'One of them, in production, for a script', words: 'gateways --link west --stage prod -o json' },
    {
      about: 'A link on two clusters, from here',
      words: 'gateways --link-file west-link.yaml --state west-state.json',
    },
  ],
  async run(flags, io, services) {
    const { kind, mistakes } = whereOf(flags);
    const terms = { flags, io, services, mistakes };
    return kind === 'deployed' ? gatewaysDeployed(terms) : gatewaysHere(terms);
  },
};

const exitCodeOf = (views: readonly GatewayView[], broken: readonly BrokenLink[]): ExitCode =>
  broken.length === 0 && views.every(isUsable) ? EXIT.done : EXIT.failed;

async function gatewaysHere(terms: Terms): Promise<number> {
  const viewOf = (report: Report, link: Link): GatewayView =>
    viewOfReport(report, link, terms.io.clock.now() / 1000);
  const views: Views = {
    data: (report, { link }) => gatewaysData([viewOf(report, link)], []),
    text: (report, { link }, paint) => gatewaysText({ gateways: [viewOf(report, link)], broken: [], paint }),
  };
  const { report, link } = await runOnce({ ...terms, dryRun: true, views });
  return exitCodeOf([viewOf(report, link)], []);
}

async function gatewaysDeployed(terms: Terms): Promise<number> {
  const { status, stack, format } = await askStatus(terms);
  const { links, broken } = status;
  const shown = links.map(viewOfStatus);
  const isEmpty = links.length === 0 && broken.length === 0;
  print(terms.io, format, {
    data: () => gatewaysData(shown, broken),
    text: (paint) => (isEmpty ? `no links in ${stack}\n` : gatewaysText({ gateways: shown, broken, paint })),
  });
  return exitCodeOf(shown, broken);
}

const gatewaysData = (gateways: readonly GatewayView[], broken: readonly BrokenLink[]): Data => ({
  gateways: gateways.map(viewData),
  broken,
});
