// Deploys the package to the stand-ins: its queues and its table are made, its functions wait for invocations with the environment that
// the template gives them.
import type { Clock } from '../lib/ports.ts';
import { ACCOUNT, REGION } from './account.ts';
import { awsVariables, type Endpoints } from './inside.ts';
import type { FunctionSpec } from './lambda/environment.ts';
import { startFunctionUrl } from './lambda/function-url.ts';
import { startInvokeApi } from './lambda/invoke-api.ts';
import { startLambda, type LambdaService } from './lambda/service.ts';
import { readTemplate, type Template } from './lambda/template.ts';
import { unpack, type Package } from './package.ts';
import type { Ports } from './ports.ts';
import type { Servers } from './servers.ts';

export interface FunctionsOptions {
  readonly packaged: Package;
  readonly ports: Ports;
  readonly clock: Clock;
  /** Gets what functions print. */
  readonly log: (name: string, text: string) => void;
}

export interface Functions {
  readonly template: Template;
  readonly queueUrls: ReadonlyMap<string, string>; // by the queues' names
  readonly lambda: LambdaService;
  readonly endpoints: Endpoints;
}

/** @param parts gets what is to be ended @throws PortTaken */
export async function openFunctions(
  options: FunctionsOptions,
  servers: Servers,
  parts: AsyncDisposableStack,
): Promise<Functions> {
  const { packaged, ports, clock, log } = options;
  const { template, queueUrls } = await deploy(packaged.template, servers);
  const { dns, dynamo, sqs, eks } = servers;
  const places = { dynamoDb: dynamo.endpoint, sqs: sqs.endpoint, eks: eks.endpoint };
  const unpacked = await unpack(
    packaged,
    template.functions.map(({ archive }) => archive),
  );
  parts.defer(() => unpacked.remove());
  const functions = template.functions.map(({ archive, ...spec }): FunctionSpec => ({
    ...spec,
    folder: unpacked.folderOf(archive),
    variables: { ...withDns(spec.variables, dns.address), ...awsVariables(places) },
  }));
  const lambda = await ports.open('Runtime API', (port) =>
    startLambda({ functions, clock, port, onOutput: log }),
  );
  parts.defer(() => lambda.close());
  const urls = await openUrls(options, template, { lambda, parts });
  const api = await ports.open('Lambda stand-in', (port) => startInvokeApi({ lambda, urls, port }));
  parts.defer(() => api.close());
  const [statusUrl = ''] = urls.values();
  return {
    template,
    queueUrls,
    lambda,
    endpoints: { ...places, lambda: `http://${api.address}`, statusUrl },
  };
}

/** The servers are a parameter of the deployment; which functions have them is said by the template. */
const withDns = (variables: FunctionSpec['variables'], servers: string): FunctionSpec['variables'] =>
  'DNS_SERVERS' in variables ? { ...variables, DNS_SERVERS: servers } : variables;

/** The URLs of queues are known when the queues are made; until then nobody reads them. */
async function deploy(
  text: string,
  { dynamo, sqs }: Servers,
): Promise<Pick<Functions, 'template' | 'queueUrls'>> {
  const place = { region: REGION, account: ACCOUNT };
  const planned = readTemplate(text, { ...place, queueUrl: () => '' });
  const queueUrls = new Map<string, string>();
  for (const queue of planned.queues) queueUrls.set(queue.name, await sqs.createQueue(queue));
  for (const table of planned.tables) await dynamo.createTable(table);
  const template = readTemplate(text, { ...place, queueUrl: (name) => queueUrls.get(name) ?? '' });
  return { template, queueUrls };
}

interface Opening {
  readonly lambda: LambdaService;
  readonly parts: AsyncDisposableStack;
}

/** By the functions' names. */
async function openUrls(
  { ports, clock }: FunctionsOptions,
  { urls }: Template,
  { lambda, parts }: Opening,
): Promise<ReadonlyMap<string, string>> {
  const opened = new Map<string, string>();
  for (const functionName of urls) {
    const url = await ports.open('status function URL', (port) =>
      startFunctionUrl({ lambda, functionName, clock, port }),
    );
    parts.defer(() => url.close());
    opened.set(functionName, `http://${url.address}/`);
  }
  return opened;
}
