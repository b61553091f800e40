// Which libraries a command loads: AWS's clients cost most of a second, so only commands on a deployment do.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const LAUNCHER = fileURLToPath(new URL('../../cli/bin.mjs', import.meta.url));

/** Tells every library of AWS that is asked for. */
const HOOK = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (/^@(aws-sdk|smithy|aws-crypto)\\//.test(specifier)) process.stderr.write('loads ' + specifier + '\\n');
      return next(specifier, context);
    },
  });
`)}`;

/** What a command loads of AWS. Nothing is configured, so it reaches nobody. */
function loadedBy(words: readonly string[]): Promise<readonly string[]> {
  const env = { PATH: process.env['PATH'], AWS_CONFIG_FILE: '/nowhere', AWS_EC2_METADATA_DISABLED: 'true' };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', HOOK, LAUNCHER, ...words], { env }, (_, __, stderr) => {
      resolve(stderr.split('\n').filter((line) => line.startsWith('loads ')));
    });
  });
}

describe('libraries of AWS', () => {
  it.each([
    'link --help',
    'plan --link west --source-kubeconfig /nowhere --target-kubeconfig /nowhere',
    'resync --link West',
  ])('are not loaded by %s', async (words) => {
    expect(await loadedBy(words.split(' '))).toStrictEqual([]);
  });

  it('are loaded by a command on a deployment', async () => {
    const loaded = await loadedBy(['links']);
    expect(loaded).toContain('loads @aws-sdk/client-dynamodb');
    expect(loaded).toContain('loads @aws-sdk/client-lambda');
  });
});
