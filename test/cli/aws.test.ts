// What AWS and a function do wrong, as one line for an operator; nothing that a signed request carries is ever in it.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { aLink, useDeployment } from './deployment.ts';
import { FunctionError } from './lambda.ts';

const deployment = useDeployment();
const NAME = 'eks-service-mirror-dev-resync';

const SECRETS = ['test-secret-key', 'test-session-token', 'AKIDTEST', 'Signature'];

async function failed(words: string, given: Parameters<typeof deployment.run>[1] = {}): Promise<string> {
  const { code, stdout, stderr } = await deployment.run(words, given);
  expect({ code, stdout }).toStrictEqual({ code: 1, stdout: '' });
  for (const secret of SECRETS) expect(stderr).not.toContain(secret);
  return stderr;
}

const former = new Map<string, string | undefined>();
/** For one test. */
function setVariable(name: string, value: string | undefined): void {
  if (!former.has(name)) former.set(name, process.env[name]);
  vi.stubEnv(name, value);
}
afterEach(() => {
  for (const [name, value] of former) vi.stubEnv(name, value);
  former.clear();
});

describe('no such stack', () => {
  it.each(['links', 'link --link west --paused', 'unlink west --yes', 'resync --link west'])(
    'no table: %s',
    async (words) => {
      expect(await failed(`${words} --stage prod --region us-east-2`)).toBe(
        'error: no stack eks-service-mirror-prod in region us-east-2 (there is no table eks-service-mirror-prod-state): deploy it, or pass --stage or --region\n',
      );
    },
  );

  it.each([
    ['resync', 'resync'],
    ['resync --wait', 'resync'],
    ['plan --link west', 'resync'],
    ['sync --link west', 'resync'],
    ['status', 'status'],
  ])('no function: %s', async (words, name) => {
    const env = { EKS_SERVICE_MIRROR_STAGE: 'prod' };
    expect(await failed(words, { env })).toBe(
      `error: no stack eks-service-mirror-prod in region eu-west-1 (there is no function eks-service-mirror-prod-${name}): deploy it, or pass --stage or --region\n`,
    );
  });
});

describe('AWS cannot be asked', () => {
  it('without credentials', async () => {
    setVariable('AWS_ACCESS_KEY_ID', undefined);
    expect(await failed('links')).toBe(
      'error: DynamoDB table eks-service-mirror-dev-state: this process has no AWS credentials\n',
    );
    expect(await failed('resync --wait')).toBe(
      `error: function ${NAME}: this process has no AWS credentials\n`,
    );
    expect(await failed(`status --url ${deployment.lambda.statusUrl}`)).toBe(
      'error: status function: this process has no AWS credentials\n',
    );
  });

  it.each(['links', 'resync', 'status', 'plan --link west', 'unlink west --yes'])(
    'without a region: %s',
    async (words) => {
      setVariable('AWS_REGION', undefined);
      expect(await deployment.run(words)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `error: --region: expected one, here, in AWS_REGION or in the profile, got nothing
nothing was touched; see eks-service-mirror ${words.split(' ')[0]} --help
`,
      });
    },
  );

  it('takes the region of AWS_DEFAULT_REGION where there is no other', async () => {
    setVariable('AWS_REGION', undefined);
    const { stdout } = await deployment.run('links', { env: { AWS_DEFAULT_REGION: 'eu-north-1' } });
    expect(stdout).toBe('no links in eks-service-mirror-dev in eu-north-1\n');
  });

  it.each([
    [
      'AccessDeniedException',
      'User: arn:aws:iam::111122223333:user/ann is not authorized to perform: lambda:InvokeFunction on resource: arn:aws:lambda:eu-west-1:111122223333:function:x because of test-session-token',
      'arn:aws:iam::111122223333:user/ann may not lambda:InvokeFunction on arn:aws:lambda:eu-west-1:111122223333:function:x',
    ],
    ['ExpiredTokenException', 'the token test-session-token is old', 'the AWS credentials have expired'],
    [
      'InvalidSignatureException',
      'The canonical request should have been test-session-token',
      'AWS does not accept the signature: the secret key or the clock is wrong',
    ],
  ])('because of %s', async (type, message, text) => {
    deployment.lambda.refusal = { type, message };
    expect(await failed('resync --wait')).toBe(`error: function ${NAME}: ${text}\n`);
    expect(await failed('resync')).toBe(`error: function ${NAME}: ${text}\n`);
  });

  it('where nobody answers', async () => {
    setVariable('AWS_ENDPOINT_URL_LAMBDA', 'http://127.0.0.1:9');
    expect(await failed('resync --wait')).toBe(
      `error: function ${NAME}: no answer from AWS (ECONNREFUSED)\n`,
    );
    setVariable('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:9');
    expect(await failed('links')).toBe(
      'error: DynamoDB table eks-service-mirror-dev-state: no answer from AWS (ECONNREFUSED)\n',
    );
  });
});

describe('a function that fails', () => {
  const fails = (type: string, message: string): void => {
    deployment.lambda.functions.set(NAME, () => {
      throw new FunctionError(type, message);
    });
  };

  it.each<[string, string, string, string]>([
    [
      'with an error',
      'StateError',
      'table x: cannot read link west: Throttling',
      'failed: StateError: table x: cannot read link west: Throttling',
    ],
    ['with several lines', 'Error', 'a\nb', 'failed: Error: a; b'],
    ['without a word', '', '', 'failed: Error: it did not say why'],
    ['with much', 'Error', 'x'.repeat(2000), `failed: Error: ${'x'.repeat(500)}`],
    [
      'by the time',
      'Sandbox.Timedout',
      'RequestId: 1 Error: Task timed out after 900.00 seconds',
      'ran out of time before it was done',
    ],
    [
      'because it was deployed wrongly',
      'InputError',
      'environment STATE_TABLE: expected the name of the DynamoDB table, got nothing',
      'failed: InputError: environment STATE_TABLE: expected the name of the DynamoDB table, got nothing',
    ],
  ])('%s', async (_, type, message, text) => {
    fails(type, message);
    expect(await failed('resync --wait')).toBe(`error: function ${NAME} ${text}\n`);
  });

  it('because of what it was asked is wrong input', async () => {
    fails('InputError', 'services[0]: expected NAMESPACE/NAME, got "x"\nlinks: unknown field');
    expect(await deployment.run('sync --link west')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `error: services[0]: expected NAMESPACE/NAME, got "x"
error: links: unknown field
nothing was touched; see eks-service-mirror sync --help
`,
    });
  });

  it.each([
    [
      'of another form',
      { links: [{ link: 'west' }], errors: [] },
      'links[0].refusals: expected a list, got nothing',
    ],
    ['of nothing', null, 'expected fields, got nothing'],
  ])('with an answer %s', async (_, answer, text) => {
    deployment.lambda.functions.set(NAME, () => answer);
    expect(await failed('resync --wait')).toContain(
      `error: function ${NAME} answers in a form that this version does not know: ${text}`,
    );
  });

  it('with no link in its answer', async () => {
    deployment.lambda.functions.set(NAME, () => ({ links: [], errors: [] }));
    expect(await failed('plan --link west')).toBe('error: the resync function said nothing of link west\n');
  });
});

describe('an interrupt', () => {
  it.each([
    ['resync --wait', ''],
    ['unlink west --yes', '; link west is as it was'],
  ])('ends the waiting, not the function: %s', async (words, rest) => {
    await deployment.stores.links.put(aLink(), 0);
    const controller = new AbortController();
    deployment.lambda.functions.set(NAME, () => {
      controller.abort(new Error('interrupted by SIGINT'));
      return new Promise(() => {});
    });
    expect(await failed(words, { signal: controller.signal })).toBe(
      `error: interrupted by SIGINT; ${NAME} goes on${rest}\n`,
    );
  });

  it('ends a status by its URL', async () => {
    const controller = new AbortController();
    deployment.lambda.functions.set('eks-service-mirror-dev-status', () => {
      controller.abort(new Error('interrupted by SIGINT'));
      return new Promise(() => {});
    });
    const words = `status --url ${deployment.lambda.statusUrl}`;
    expect(await failed(words, { signal: controller.signal })).toBe('error: interrupted by SIGINT\n');
  });
});

it('tells a person at a terminal what it waits for', async () => {
  deployment.lambda.functions.set(NAME, () => ({ links: [], errors: [] }));
  const { stderr } = await deployment.run('resync --wait', { isTTY: true });
  expect(stderr).toBe(`\r\u001B[2Kwaiting for ${NAME}…\r\u001B[2K`);
});
