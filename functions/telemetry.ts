// What the functions say: structured logs, and metrics in the embedded metric format. Nothing below functions/ logs.
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { Report } from '../lib/model/report.ts';
import type { RefreshResult } from '../lib/runs/refresh.ts';
import { type MetricName, METRICS } from './metric-rows.ts';

/** Service name, level and namespace come from POWERTOOLS_* variables, which serverless.yml sets. */
export const logger = new Logger();
export const metrics = new Metrics();

const countOf = (report: Report, state: Report['mirrors'][number]['state']): number =>
  report.mirrors.filter((mirror) => mirror.state === state).length;

const add = (to: Metrics, name: MetricName, value: number): void => {
  to.addMetric(name, METRICS[name].unit, value);
};

/** Of the deployment; published by whoever measures. */
export const measure = (name: MetricName, value: number): void => add(metrics, name, value);

/** What a gateway has left; nothing of a link without one, or of one that was not seen: that is not none. */
const measureGateway = (own: Metrics, { gateway }: Report): void => {
  if (gateway === undefined || typeof gateway.view === 'string') return;
  const { addresses } = gateway.view;
  const liveness = gateway.state?.liveness ?? {};
  add(own, 'GatewayAddressesReady', addresses.filter(({ state }) => state === 'ready').length);
  add(own, 'GatewayAddressesDead', addresses.filter(({ ip }) => liveness[ip]?.state === 'dead').length);
};

/** What the filter refuses, of all links together: which ones is in the log and in `status`. */
const measureRejected = ({ refusals }: Report): void => {
  const rejected = refusals.filter(({ reason }) => reason === 'AddressRefused').length;
  if (rejected === 0) return;
  const own = new Metrics();
  add(own, 'RejectedAddresses', rejected);
  own.publishStoredMetrics();
};

/** Metrics of one run, with the link as dimension. */
export const measureRun = (report: Report, seconds: number): void => {
  const outcomes = report.outcomes ?? [];
  const own = new Metrics();
  own.addDimension('link', report.link);
  add(own, 'ExportedServices', report.mirrors.length);
  add(own, 'RefusedServices', countOf(report, 'refused'));
  add(own, 'Changes', outcomes.length);
  add(own, 'FailedChanges', outcomes.filter(({ result }) => result !== 'applied').length);
  add(own, 'Unobserved', report.unobserved.length);
  add(own, 'RunSeconds', seconds);
  measureGateway(own, report);
  own.publishStoredMetrics();
  measureRejected(report);
};

/** Metrics of one check of a name; those of one invocation are published together. */
export const measureCheck = (result: RefreshResult): void => {
  if (result.kind === 'idle') return;
  const { answer, changed, age } = result;
  if (age !== undefined) measure('AgeOfLastGoodAnswer', age);
  measure('AnswersUnknown', answer === 'unknown' ? 1 : 0);
  measure('AddressChanges', Object.keys(changed).length);
};

export const publishChecks = (): void => {
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
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
