// The names of a deployment, and which one is meant.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { functionName, SERVICE, stackName, tableName } from '../../cli/stack.ts';
import { placeOf } from '../../cli/stack-input.ts';
import type { GivenFlags } from '../../cli/flags.ts';
import type { FlagName } from '../../cli/flag-rows.ts';
import { deploymentOf } from '../../scripts/serverless/deployment.ts';
import { REQUIRED } from '../package/builders.ts';

/** As much of serverless.yml as names are about. */
const serverless = z.object({
  service: z.string(),
  functions: z.object({ resync: z.looseObject({}), status: z.looseObject({}) }),
  resources: z.array(z.looseObject({})),
});
const tableIn = z.object({
  Resources: z.object({ StateTable: z.object({ Properties: z.object({ TableName: z.string() }) }) }),
});

const flags = (values: Partial<Record<FlagName, string>> = {}): GivenFlags => ({
  known: ['stage', 'region'],
  values: new Map(
    Object.entries(values).map(([name, value]) => [name === 'stage' ? 'stage' : 'region', [value]]),
  ),
  mistakes: [],
});

describe('names', () => {
  it('of a stage', () => {
    expect(stackName('prod')).toBe('eks-service-mirror-prod');
    expect(tableName('prod')).toBe('eks-service-mirror-prod-state');
    expect(functionName('prod', 'resync')).toBe('eks-service-mirror-prod-resync');
    expect(functionName('prod', 'status')).toBe('eks-service-mirror-prod-status');
  });

  it('are those that serverless.yml gives', async () => {
    const text = await readFile(new URL('../../serverless.yml', import.meta.url), 'utf8');
    const { service, functions, resources } = serverless.parse(parse(text, { logLevel: 'silent' }));
    expect(service).toBe(SERVICE);
    const { names } = deploymentOf(REQUIRED, { service, stage: 'prod', region: 'eu-west-1' });
    expect(stackName('prod')).toBe(names);
    const { StateTable } = tableIn.parse(resources[0]).Resources;
    expect(tableName('prod')).toBe(StateTable.Properties.TableName.replace('${deployment:names}', names));
    // Without a name of its own, the framework calls a function <service>-<stage>-<key>.
    expect(functions.resync).not.toHaveProperty('name');
    expect(functions.status).not.toHaveProperty('name');
  });
});

describe('the place', () => {
  it.each<[string, GivenFlags, Record<string, string>, object]>([
    ['of nothing is dev, wherever AWS is configured for', flags(), {}, { stage: 'dev' }],
    ['of the environment', flags(), { EKS_SERVICE_MIRROR_STAGE: 'prod' }, { stage: 'prod' }],
    ['of an empty environment', flags(), { EKS_SERVICE_MIRROR_STAGE: '' }, { stage: 'dev' }],
    [
      'of flags wins',
      flags({ stage: 'prod', region: 'eu-west-1' }),
      { EKS_SERVICE_MIRROR_STAGE: 'test', AWS_DEFAULT_REGION: 'us-east-1' },
      { stage: 'prod', region: 'eu-west-1' },
    ],
    [
      'of AWS_DEFAULT_REGION alone',
      flags(),
      { AWS_DEFAULT_REGION: 'us-gov-west-1' },
      { stage: 'dev', region: 'us-gov-west-1' },
    ],
    [
      "of AWS_REGION, which AWS's client reads by itself",
      flags(),
      { AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'us-east-1' },
      { stage: 'dev' },
    ],
  ])('%s', (_, given, env, place) => {
    expect(placeOf(given, env)).toStrictEqual({ value: place, mistakes: [] });
  });
});
