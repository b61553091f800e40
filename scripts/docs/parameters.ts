// The tables of deployment parameters, metrics and alarms, from what checks and makes them and the defaults of serverless.yml.
import { parseDocument } from 'yaml';
import * as z from 'zod';
import { METRICS, type MetricRow } from '../../functions/metric-rows.ts';
import type { Schema } from '../../lib/schema.ts';
import { alarmRows } from '../serverless/alarms.ts';
import { deploymentOf } from '../serverless/deployment.ts';
import { parameters } from '../serverless/parameters.ts';
import { aboutOf, formOf } from './fields.ts';

const DEFAULTS = z.object({
  params: z.object({ default: z.record(z.string(), z.union([z.string(), z.number()])) }),
});

type Defaults = Readonly<Record<string, string | number>>;

/** The parameters that serverless.yml sets. @param serverless its text */
export function defaultsIn(serverless: string): Defaults {
  // CloudFormation's tags (!Ref) are unknown to it and do not matter here.
  const document: unknown = parseDocument(serverless, { logLevel: 'silent' }).toJS();
  return DEFAULTS.parse(document).params.default;
}

/** A Markdown table with one row per parameter. */
export function parameterTable(defaults: Defaults): string {
  const rows = Object.entries<Schema>(parameters.shape).map(([name, schema]) => {
    const value = defaults[name];
    return `| \`${name}\` | ${formOf(schema)} | ${value === undefined ? '' : `\`${value}\``} | ${aboutOf(schema)} |`;
  });
  return ['| Parameter | Form | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}

/** A Markdown table with one row per metric of the functions. */
export function metricTable(): string {
  const rows = Object.entries<MetricRow>(METRICS).map(
    ([name, { of, about }]) => `| \`${name}\` | ${of} | ${about} |`,
  );
  return ['| Metric | Of each | Tells |', '|---|---|---|', ...rows].join('\n');
}

/** A Markdown table with one row per alarm, as a deployment with these parameters has them. */
export function alarmTable(defaults: Defaults): string {
  const place = { service: 'eks-service-mirror', stage: 'dev', region: 'us-east-1' };
  const rows = alarmRows(deploymentOf(defaults, place)).map(
    ({ name, when, about }) => `| \`${name}\` | ${when} | ${about} |`,
  );
  return ['| Alarm | Goes off | Means |', '|---|---|---|', ...rows].join('\n');
}
