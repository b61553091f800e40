// The project's own part in packaging: makes the bundles, and gives serverless.yml what follows from its parameters.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../../lib/errors.ts';
import { bundleAll } from '../bundle/bundle-all.ts';
import { FUNCTION_NAMES } from '../bundle/functions.ts';
import { alarms } from './alarms.ts';
import { type Deployment, deploymentOf } from './deployment.ts';
import { roles } from './roles.ts';

/** What is used of the framework (osls 4), which has no types of its own for plugins. */
interface Framework {
  readonly serviceDir: string;
  readonly classes: { readonly Error: new (message: string, code: string) => Error };
  readonly configurationInput: { readonly service: string; readonly params?: Params };
  readonly processedInput: {
    readonly options: { readonly param?: readonly string[]; readonly function?: string };
  };
}
type Params = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

interface Writers {
  readonly log: Readonly<Record<'notice' | 'error', (text: string) => void>>;
}

interface Question {
  readonly address: string | undefined;
  readonly resolveVariable: (variable: string) => Promise<unknown>;
}

/** `${deployment:memory}`: a field of the deployment, or one of the parts of the template that are made of it. */
export default class Packaging {
  readonly hooks: Readonly<Record<string, () => Promise<void>>>;
  readonly configurationVariablesSources: Readonly<
    Record<'deployment', { readonly resolve: (question: Question) => Promise<{ value: unknown }> }>
  >;
  readonly #framework: Framework;
  readonly #writers: Writers;
  #deployment: Promise<Deployment> | undefined;

  constructor(framework: Framework, _options: unknown, writers: Writers) {
    this.#framework = framework;
    this.#writers = writers;
    const bundle = (): Promise<void> => this.#bundle();
    this.hooks = {
      'before:package:createDeploymentArtifacts': bundle,
      'before:package:function:package': bundle,
      'before:invoke:local:invoke': async () => {
        await bundle();
        this.#nameForLocal();
      },
    };
    this.configurationVariablesSources = { deployment: { resolve: (question) => this.#resolve(question) } };
  }

  async #bundle(): Promise<void> {
    const { table, mistakes } = await bundleAll(this.#framework.serviceDir);
    this.#writers.log.notice(table);
    if (mistakes.length > 0) throw this.#error(mistakes);
  }

  /** `invoke local` looks for CommonJS only. Lambda does not, and these files are not shipped. */
  #nameForLocal(): void {
    for (const name of FUNCTION_NAMES) {
      const path = join(this.#framework.serviceDir, `dist/${name}.cjs`);
      writeFileSync(path, `module.exports = require('./${name}.mjs');\n`);
    }
  }

  async #resolve({ address, resolveVariable }: Question): Promise<{ value: unknown }> {
    this.#deployment ??= this.#read(resolveVariable);
    const deployment = await this.#deployment;
    const parts = { ...deployment, roles: roles(deployment), alarms: alarms(deployment) };
    return { value: Object.entries(parts).find(([name]) => name === address)?.[1] ?? null };
  }

  /** One and the same error for everybody who asks, so that it is told once. */
  async #read(resolveVariable: Question['resolveVariable']): Promise<Deployment> {
    const [stage, region] = await Promise.all([resolveVariable('sls:stage'), resolveVariable('aws:region')]);
    const place = {
      service: this.#framework.configurationInput.service,
      stage: String(stage),
      region: String(region),
    };
    try {
      return deploymentOf(await this.#given(String(stage), resolveVariable), place);
    } catch (error) {
      if (error instanceof InputError) throw this.#error(error.mistakes);
      throw error;
    }
  }

  /** Every parameter that somebody gave, known or not. */
  async #given(
    stage: string,
    resolveVariable: Question['resolveVariable'],
  ): Promise<Readonly<Record<string, unknown>>> {
    const { configurationInput, processedInput } = this.#framework;
    const { params = {} } = configurationInput;
    const names = [
      ...Object.keys(params['default'] ?? {}),
      ...Object.keys(params[stage] ?? {}),
      ...(processedInput.options.param ?? []).map((text) => text.split('=', 1)[0] ?? ''),
    ];
    const given = [...new Set(names)].map(
      async (name) => [name, await resolveVariable(`param:${name}, null`)] as const,
    );
    return Object.fromEntries(await Promise.all(given));
  }

  /** The framework passes errors on as they are when they begin like its own. */
  #error(mistakes: readonly string[]): Error {
    const lines = mistakes.map((mistake) => `\n      ${mistake}`).join('');
    return new this.#framework.classes.Error(`Cannot resolve variable at "params":${lines}`, 'PARAMETERS');
  }
}
