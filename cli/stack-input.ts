// Which deployment was meant: flags first, then the environment.
import { quoted } from '../lib/wording.ts';
import { isGiven, lastOf, type GivenFlags } from './flags.ts';
import type { FlagName } from './flag-rows.ts';
import type { Io } from './io.ts';
import { DEFAULT_STAGE, type StackPlace } from './stack.ts';
import type { Read } from './values.ts';

/** Flags that say which deployment. */
export const STACK_FLAGS = ['stage', 'region'] as const satisfies readonly FlagName[];

type Env = Io['env'];

/** @returns the place without a region where AWS's own configuration has to know it */
export function placeOf(flags: GivenFlags, env: Env): Read<StackPlace> {
  const stage = stageOf(flags, env);
  const region = regionOf(flags, env);
  return {
    value: { stage: stage.value, ...(region.value !== undefined && { region: region.value }) },
    mistakes: [...stage.mistakes, ...region.mistakes],
  };
}

/** As long as a deployment allows: it is a part of names. */
const STAGE = /^[a-zA-Z0-9-]{1,20}$/;
const REGION = /^[a-z]{2,}(-[a-z]+)+-\d+$/;

function stageOf(flags: GivenFlags, env: Env): Read<string> {
  const { value, where } = chosen(flags, 'stage', env, 'EKS_SERVICE_MIRROR_STAGE');
  if (value === undefined) return { value: DEFAULT_STAGE, mistakes: [] };
  if (STAGE.test(value)) return { value, mistakes: [] };
  return {
    value,
    mistakes: [`${where}: expected a stage (at most 20 letters, digits and -), got ${quoted(value)}`],
  };
}

/** AWS_REGION is left to AWS's client; AWS_DEFAULT_REGION, which the AWS CLI knows and that client does not, stands behind it. */
function regionOf(flags: GivenFlags, env: Env): Read<string | undefined> {
  const given = lastOf(flags, 'region');
  const usual = textOf(env, 'AWS_REGION') === undefined ? textOf(env, 'AWS_DEFAULT_REGION') : undefined;
  const value = given ?? usual;
  const where = given === undefined ? 'AWS_DEFAULT_REGION' : '--region';
  if (value === undefined || REGION.test(value)) return { value, mistakes: [] };
  return { value, mistakes: [`${where}: expected a region like eu-west-1, got ${quoted(value)}`] };
}

/**
 * The URL of the status function; that of the environment is not for a deployment that a flag names. A signed request must not
 * travel in the clear, except to a stand-in on this computer.
 */
export function statusUrlOf(flags: GivenFlags, env: Env): Read<string | undefined> {
  const isNamed = STACK_FLAGS.some((name) => isGiven(flags, name));
  const { value, where } = chosen(flags, 'url', isNamed ? {} : env, 'EKS_SERVICE_MIRROR_STATUS_URL');
  if (value === undefined || isSafeUrl(value)) return { value, mistakes: [] };
  return {
    value,
    mistakes: [`${where}: expected an https URL (http to this computer only), got ${quoted(value)}`],
  };
}

/** The region in `https://<id>.lambda-url.<region>.on.aws/`: its function takes signatures for that one. */
export const regionInUrl = (url: string | undefined): string | undefined =>
  /^https:\/\/[^/]+\.lambda-url\.([a-z0-9-]+)\.on\.aws(\/|$)/.exec(url ?? '')?.[1];

function isSafeUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return false;
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere);
}

interface Chosen {
  readonly value: string | undefined;
  readonly where: string;
}

function chosen(flags: GivenFlags, name: FlagName, env: Env, variable: string): Chosen {
  const given = lastOf(flags, name);
  if (given !== undefined) return { value: given, where: `--${name}` };
  return { value: textOf(env, variable), where: variable };
}

const textOf = (env: Env, name: string): string | undefined => {
  const value = env[name];
  return value === '' ? undefined : value;
};
