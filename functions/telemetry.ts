// What the functions say: structured logs, and metrics in the embedded metric format. Nothing below functions/ logs.
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Report } from '../lib/model/report.ts';

/** Service name, level and namespace come from POWERTOOLS_* variables, which serverless.yml sets. */
export const logger = new Logger();
export const metrics = new Metrics();

const countOf = (report: Report, state: Report['mirrors'][number]['state']): number =>
  report.mirrors.filter((mirror) => mirror.state === state).length;

/** Metrics of one run, with the link as dimension. */
export const measureRun = (report: Report, seconds: number): void => {
  const outcomes = report.outcomes ?? [];
  const own = new Metrics();
  own.addDimension('link', report.link);
  own.addMetric('ExportedServices', MetricUnit.Count, report.mirrors.length);
  own.addMetric('RefusedServices', MetricUnit.Count, countOf(report, 'refused'));
  own.addMetric('Changes', MetricUnit.Count, outcomes.length);
  own.addMetric(
    'FailedChanges',
    MetricUnit.Count,
    outcomes.filter(({ result }) => result !== 'applied').length,
  );
  own.addMetric('Unobserved', MetricUnit.Count, report.unobserved.length);
  own.addMetric('RunSeconds', MetricUnit.Seconds, seconds);
  own.publishStoredMetrics();
};

/** One line per run that found something to do or to say; a quiet one is not worth a line. */
export const logRun = (report: Report): void => {
  const { link, refusals, unobserved, notes, outcomes = [] } = report;
  const details = {
    link,
    changes: outcomes.length,
    failed: outcomes.filter(({ result }) => result !== 'applied').length,
    refusals: refusals.slice(0, 10),
    unobserved,
    notes,
  };
  if (unobserved.length > 0 || details.failed > 0) logger.warn('run with something left to do', details);
  else if (outcomes.length > 0) logger.info('mirrors changed', details);
  else logger.debug('nothing to do', details);
};
