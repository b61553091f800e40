// `unlink`: what goes, what stays, who is asked, and what is said when it is not finished.
import { describe, expect, it } from 'vitest';
import { openStack } from '../../cli/aws/open.ts';
import { StackError, type Stack } from '../../cli/stack.ts';
import { testClock } from '../support/clock.ts';
import { NOW, type Circumstances } from './cli.ts';
import { aLink, EAST, useDeployment } from './deployment.ts';
import { FunctionError } from './lambda.ts';

const deployment = useDeployment();
const NAME = 'eks-service-mirror-dev-resync';

const DONE = { link: 'west', done: true, deleted: 12, failed: 0, refusals: [], unobserved: [], notes: [] };

function answers(removal: object, errors: readonly object[] = []): void {
  deployment.lambda.functions.set(NAME, () => ({ links: [removal], errors }));
}
const store = (): Promise<boolean> => deployment.stores.links.put(aLink(), 0);
const stored = () => deployment.stores.links.get('west');

describe('unlink', () => {
  it('has the deployment remove the mirrors, and tells how many objects went', async () => {
    await store();
    answers(DONE);
    expect(await deployment.run('unlink west --yes')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: '12 objects deleted; link west is forgotten\n',
    });
    expect(deployment.lambda.invocations).toStrictEqual([
      { name: NAME, type: 'RequestResponse', payload: { link: 'west', unlink: true } },
    ]);
  });

  it('as JSON', async () => {
    await store();
    answers({ ...DONE, deleted: 1 });
    expect(JSON.parse((await deployment.run('unlink west --yes -o json')).stdout)).toStrictEqual({
      ...DONE,
      deleted: 1,
      keptMirrors: false,
    });
  });

  it('that is not finished says so, and who goes on', async () => {
    await store();
    answers({
      ...DONE,
      done: false,
      deleted: 1,
      failed: 2,
      refusals: [{ namespace: 'linkerd-multicluster', name: 'west', reason: 'HeldBy', message: 'held by x' }],
      unobserved: [{ what: 'source Services', message: 'refused' }],
    });
    expect(await deployment.run('unlink west --yes')).toMatchObject({
      code: 1,
      stderr: '',
      stdout: `refused linkerd-multicluster/west: HeldBy: held by x
NOT OBSERVED: source Services: refused

1 object deleted, 2 not deleted; link west is ending: the next ticks go on
`,
    });
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['is ending', () => deployment.stores.links.end('west'), 'link west is ending: the next ticks go on'],
    [
      'is gone',
      async () => {
        await deployment.stores.links.end('west');
        await deployment.stores.links.remove('west');
      },
      'link west is forgotten all the same',
    ],
    ['is as it was', async () => undefined, 'link west is as it was'],
  ])('whose function ran out of time tells that the link %s', async (_, meanwhile, text) => {
    await store();
    deployment.lambda.functions.set(NAME, async () => {
      await meanwhile();
      throw new FunctionError('Sandbox.Timedout', 'RequestId: 1 Error: Task timed out after 900.00 seconds');
    });
    expect(await deployment.run('unlink west --yes')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `error: function ${NAME} ran out of time before it was done; ${text}\n`,
    });
  });

  it('of a link that is not stored', async () => {
    expect(await deployment.run('unlink west --yes')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'error: link west is not stored in eks-service-mirror-dev\n',
    });
    expect(deployment.lambda.invocations).toStrictEqual([]);
  });

  it('of a link that somebody else ended meanwhile', async () => {
    await store();
    deployment.lambda.functions.set(NAME, () => ({
      links: [],
      errors: [{ link: 'west', message: 'link west is not stored' }],
    }));
    expect(await deployment.run('unlink west --yes')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'error: link west is not stored\n',
    });
  });

  it('of a link that cannot be used names the way out', async () => {
    await deployment.storeRaw('west', { name: 'west', paused: 'perhaps' });
    expect(await deployment.run('unlink west --yes')).toMatchObject({
      code: 1,
      stderr:
        'error: table eks-service-mirror-dev-state, link west: paused: expected true or false, got "perhaps"; "unlink west --keep-mirrors" forgets it and leaves its mirrors\n',
    });
    expect(await deployment.run('unlink west --keep-mirrors --yes')).toMatchObject({ code: 0 });
    expect(await stored()).toBeUndefined();
  });
});

describe('unlink --keep-mirrors', () => {
  it('forgets the link and asks no function', async () => {
    await store();
    expect(await deployment.run('unlink west --keep-mirrors --yes')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: 'link west is forgotten; its mirrors stay as they are\n',
    });
    expect(await stored()).toBeUndefined();
    expect(deployment.lambda.invocations).toStrictEqual([]);
  });

  it('as JSON', async () => {
    await store();
    const { stdout } = await deployment.run('unlink west --keep-mirrors --yes -o json');
    expect(JSON.parse(stdout)).toStrictEqual({ ...DONE, deleted: 0, keptMirrors: true });
  });

  it('that stops half-way says what the next tick would do', async () => {
    await store();
    const broken: Circumstances['openStack'] = async (place) => {
      const stack: Stack = await openStack(place, testClock(NOW));
      const remove = () => Promise.reject(new StackError('no answer from AWS (ECONNRESET)'));
      return { ...stack, links: { ...stack.links, remove } };
    };
    expect(await deployment.run('unlink west --keep-mirrors --yes', { openStack: broken })).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'error: no answer from AWS (ECONNRESET); link west is ending now: the next tick removes its mirrors, unless this is repeated before\n',
    });
    expect(await deployment.run('unlink west --keep-mirrors --yes')).toMatchObject({ code: 0 });
    expect(await stored()).toBeUndefined();
  });

  it('of a link that somebody else forgot meanwhile', async () => {
    await store();
    const late: Circumstances['openStack'] = async (place) => {
      const stack = await openStack(place, testClock(NOW));
      return { ...stack, links: { ...stack.links, end: () => Promise.resolve(false) } };
    };
    expect(await deployment.run('unlink west --keep-mirrors --yes', { openStack: late })).toMatchObject({
      code: 1,
      stderr: 'error: link west is not stored in eks-service-mirror-dev\n',
    });
  });
});

describe('the question', () => {
  function answering(answer: string | undefined) {
    const questions: string[] = [];
    const ask = (question: string): Promise<string | undefined> => {
      questions.push(question);
      return Promise.resolve(answer);
    };
    return { questions, ask };
  }

  it('names what goes from where, and the link ends when its name is typed', async () => {
    await store();
    answers(DONE);
    const { questions, ask } = answering(' west ');
    expect(await deployment.run('unlink west', { ask })).toMatchObject({ code: 0 });
    expect(questions).toStrictEqual([
      `unlink west: removes its mirrors from the source cluster ${EAST}, then forgets it in eks-service-mirror-dev in eu-west-1.\nType the name of the link to go on: `,
    ]);
  });

  it('of --keep-mirrors is another', async () => {
    await store();
    const { questions, ask } = answering('west');
    expect(await deployment.run('unlink west --keep-mirrors', { ask })).toMatchObject({ code: 0 });
    expect(questions).toStrictEqual([
      'unlink west: forgets the link in eks-service-mirror-dev in eu-west-1 and leaves its mirrors as they are.\nType the name of the link to go on: ',
    ]);
  });

  it.each([['yes'], [''], [undefined]])('answered with %j touches nothing', async (answer) => {
    await store();
    answers(DONE);
    expect(await deployment.run('unlink west', { ask: answering(answer).ask })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'error: not confirmed: nothing was touched\n',
    });
    expect(deployment.lambda.invocations).toStrictEqual([]);
    expect(await stored()).toMatchObject({ ending: false });
  });

  it('is not asked with --yes', async () => {
    await store();
    answers(DONE);
    const { questions, ask } = answering('no');
    expect(await deployment.run('unlink west --yes', { ask })).toMatchObject({ code: 0 });
    expect(questions).toStrictEqual([]);
  });
});

describe('wrong input', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'nobody to ask and no --yes',
      'unlink west',
      ['error: --yes: expected it where there is no terminal to ask at, got nothing'],
    ],
    [
      'no name',
      'unlink --yes',
      ['error: NAME: expected a DNS label (lower-case letters, digits and -, at most 63), got nothing'],
    ],
    ['two names', 'unlink west north --yes', ['error: "north": unexpected argument']],
    [
      'a name as a flag, and more',
      'unlink --link west -o xml',
      [
        'error: --link: unknown flag',
        'error: NAME: expected a DNS label (lower-case letters, digits and -, at most 63), got nothing',
        'error: --output: expected one of text, json, yaml, got "xml"',
        'error: --yes: expected it where there is no terminal to ask at, got nothing',
      ],
    ],
  ])('%s', async (_, words, lines) => {
    await store();
    const { code, stdout, stderr } = await deployment.run(words);
    expect({ code, stdout }).toStrictEqual({ code: 2, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toStrictEqual([
      ...lines,
      'nothing was touched; see eks-service-mirror unlink --help',
    ]);
    expect(await stored()).toMatchObject({ ending: false });
  });
});
