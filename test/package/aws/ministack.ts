// AWS on this computer for one test file: ministack on a free port of loopback, with Lambda's functions as processes of our Node.
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDaemons, waitUntilReady } from '../../cluster/daemons.ts';
import { withFreePorts } from '../../cluster/ports.ts';
import { OUR_ROOT } from '../../house/project.ts';
import { pythonWithTools } from './install.ts';

const START_DEADLINE = 60_000; // ms

/** Not checked by ministack; they only have to be there. */
const KEYS = { accessKeyId: 'test', secretAccessKey: 'test' } as const;
const VARIABLES = {
  AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
} as const;
const REGION = 'us-east-1';

export interface Aws {
  readonly region: string;
  readonly endpoint: string;
  readonly keys: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** The usual configuration of AWS, for whoever is to use this one. */
  readonly environment: Readonly<Record<string, string>>;
  /** What a service answers to a request without parameters, as text. */
  ask(question: Question): Promise<string>;
  close(): Promise<void>;
}

/** The forms in which AWS's services are asked: a target and JSON, an action in a form, or a path. */
export type Question = { readonly service: string } & (
  | { readonly target: string }
  | { readonly action: string; readonly version: string }
  | { readonly path: string }
);

export async function startAws(): Promise<Aws> {
  const python = pythonWithTools();
  return withFreePorts(1, async ([port = 0]) => {
    const daemons = openDaemons('ministack');
    try {
      const script = daemons.writeFile('start.sh', startScript(python, port, daemons.folder));
      chmodSync(script, 0o700);
      mkdirSync(join(daemons.folder, 'tmp'));
      const daemon = daemons.start({ name: 'ministack', path: script, flags: {} });
      const endpoint = `http://127.0.0.1:${port}`;
      const isUp = async (): Promise<boolean> => (await fetch(`${endpoint}/_ministack/health`)).ok;
      await waitUntilReady(daemon, isUp, START_DEADLINE);
      return {
        region: REGION,
        endpoint,
        keys: KEYS,
        environment: { ...VARIABLES, AWS_REGION: REGION, AWS_ENDPOINT_URL: endpoint },
        ask: (question) => ask(endpoint, question),
        close: () => daemons.close(),
      };
    } catch (error) {
      await daemons.close();
      throw error;
    }
  });
}

/** Its environment is its configuration. Everything that it writes goes into the folder, which goes with it. */
function startScript(python: string, port: number, folder: string): string {
  const variables = {
    ...VARIABLES,
    PATH: `${join(OUR_ROOT, 'node_modules/.bin')}:/usr/bin:/bin`,
    HOME: folder,
    TMPDIR: join(folder, 'tmp'),
    STATE_DIR: join(folder, 'state'),
    BIND_HOST: '127.0.0.1',
    MINISTACK_HOST: '127.0.0.1',
    GATEWAY_PORT: String(port),
    LAMBDA_EXECUTOR: 'local',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const words = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  return `#!/bin/sh\nexec env -i ${words.join(' ')} '${python}' -m ministack\n`;
}

async function ask(endpoint: string, question: Question): Promise<string> {
  const scope = `test/20260101/${REGION}/${question.service}/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`;
  const answer = await fetch(new URL('path' in question ? question.path : '/', endpoint), {
    headers: {
      authorization,
      ...('target' in question && {
        'x-amz-target': question.target,
        'content-type': 'application/x-amz-json-1.1',
      }),
    },
    ...('target' in question && { method: 'POST', body: '{}' }),
    ...('action' in question && {
      method: 'POST',
      body: new URLSearchParams({ Action: question.action, Version: question.version }),
    }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${JSON.stringify(question)}: ${answer.status} ${text}`);
  return text;
}
