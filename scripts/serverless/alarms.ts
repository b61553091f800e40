// The alarms of a deployment: one for each way in which it can stop doing what it is for without anybody asking it.
import type { FunctionName } from '../bundle/functions.ts';
import type { Deployment } from './deployment.ts';
import { type Attributes, attributeOf, logicalName } from './template.ts';

interface Alarm {
  readonly about: string;
  readonly metric: Metric;
  readonly statistic: 'Sum' | 'Maximum';
  readonly is: 'above' | 'below';
  readonly threshold: number;
  readonly minutes: number;
  /** how many periods in a row; default 1 */
  readonly periods?: number;
  /** what it means that there is nothing to measure; default fine */
  readonly silence?: 'fine' | 'wrong';
}

interface Metric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
}

const metric = (namespace: string, name: string, dimension: readonly [string, unknown]): Metric => ({
  Namespace: namespace,
  MetricName: name,
  Dimensions: [{ Name: dimension[0], Value: dimension[1] }],
});

const ofFunction = (name: FunctionName, metricName: string): Metric =>
  metric('AWS/Lambda', metricName, ['FunctionName', { Ref: `${logicalName(name)}LambdaFunction` }]);

const ofQueue = (queue: string, metricName: string): Metric =>
  metric('AWS/SQS', metricName, ['QueueName', attributeOf(queue, 'QueueName')]);

/** SQS holds back a timer for at most this long on purpose, seconds. */
const LONGEST_DELAY = 900;

/** A message that failed comes again after its visibility timeout; later than that and this much, nobody takes it. Seconds. */
const GRACE = 300;

/** Seconds without a good answer of a gateway's name, after which somebody should look. */
const STALE_AFTER = 3600;

const fails = (name: FunctionName): Alarm => ({
  about: `${name} fails: it crashes, runs out of memory or time, or cannot start`,
  metric: ofFunction(name, 'Errors'),
  statistic: 'Sum',
  is: 'above',
  threshold: 2,
  minutes: 5,
});

const isThrottled = (name: FunctionName): Alarm => ({
  about: `${name} is throttled: the account has no concurrency left for it`,
  metric: ofFunction(name, 'Throttles'),
  statistic: 'Sum',
  is: 'above',
  threshold: 0,
  minutes: 5,
  periods: 3,
});

const isCutOff = (name: FunctionName): Alarm => ({
  about: `Lambda cuts ${name} off from its own queue: it does not allow the recursion any more`,
  metric: ofFunction(name, 'RecursiveInvocationsDropped'),
  statistic: 'Sum',
  is: 'above',
  threshold: 0,
  minutes: 5,
});

const isSlow = (name: FunctionName, { timeout }: Deployment): Alarm => ({
  about: `${name} runs into its timeout again and again: it does not get done`,
  metric: ofFunction(name, 'Duration'),
  statistic: 'Maximum',
  is: 'above',
  threshold: timeout * 1000 * 0.95,
  minutes: 5,
  periods: 3,
});

const isDead = (queue: string, about: string): Alarm => ({
  about,
  metric: ofQueue(queue, 'ApproximateNumberOfMessagesVisible'),
  statistic: 'Maximum',
  is: 'above',
  threshold: 0,
  minutes: 5,
});

const isLate = (queue: string, about: string, seconds: number): Alarm => ({
  about,
  metric: ofQueue(queue, 'ApproximateAgeOfOldestMessage'),
  statistic: 'Maximum',
  is: 'above',
  threshold: seconds,
  minutes: 5,
});

const TABLE = (deployment: Deployment): Readonly<Record<string, Alarm>> => ({
  TickMissing: {
    about: 'tick does not run: no link is reconciled any more',
    metric: ofFunction('tick', 'Invocations'),
    statistic: 'Sum',
    is: 'below',
    threshold: 1,
    minutes: Math.max(5, (3 * deployment.tickEvery) / 60),
    silence: 'wrong',
  },
  TickFails: fails('tick'),
  ReconcileFails: fails('reconcile'),
  RefreshFails: fails('refresh'),
  TickThrottled: isThrottled('tick'),
  ReconcileThrottled: isThrottled('reconcile'),
  RefreshThrottled: isThrottled('refresh'),
  ReconcileCutOff: isCutOff('reconcile'),
  RefreshCutOff: isCutOff('refresh'),
  ReconcileSlow: isSlow('reconcile', deployment),
  RefreshSlow: isSlow('refresh', deployment),
  WorkDead: isDead(
    'WorkDeadLetters',
    'reconciles failed for good: see the dead-letter queue and the logs of reconcile',
  ),
  TimersDead: isDead(
    'TimerDeadLetters',
    'look-ups failed for good: see the dead-letter queue and the logs of refresh',
  ),
  WorkLate: isLate('WorkQueue', 'links wait too long for their reconcile', deployment.visibility + GRACE),
  TimersLate: isLate(
    'TimerQueue',
    'names of gateways wait too long for their look-up',
    LONGEST_DELAY + deployment.visibility + GRACE,
  ),
  GatewayStale: {
    about: 'the name of a gateway has not resolved to any address for an hour: gateways and status say why',
    metric: metric(deployment.metrics, 'AgeOfLastGoodAnswer', ['service', deployment.names]),
    statistic: 'Maximum',
    is: 'above',
    threshold: STALE_AFTER,
    minutes: 10,
  },
  LinksBroken: {
    about: 'a stored link cannot be used: the log of tick says which and why',
    metric: metric(deployment.metrics, 'BrokenLinks', ['service', deployment.names]),
    statistic: 'Maximum',
    is: 'above',
    threshold: 0,
    minutes: 5,
  },
});

/** How a threshold is said: `above 2 in 5 minutes`, `above 0 in each of 3 times 5 minutes`. */
const whenOf = ({ is, threshold, minutes, periods = 1 }: Alarm): string =>
  `${is} ${threshold} in ${periods === 1 ? '' : `each of ${periods} times `}${minutes} minutes`;

/** What a table says of each alarm. */
export const alarmRows = (
  deployment: Deployment,
): readonly { readonly name: string; readonly about: string; readonly when: string }[] =>
  Object.entries(TABLE(deployment)).map(([name, alarm]) => ({
    name,
    about: alarm.about,
    when: `\`${alarm.metric.MetricName}\` ${whenOf(alarm)}`,
  }));

const resource = (name: string, alarm: Alarm, { names, alarmActions }: Deployment): Attributes => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: {
    AlarmName: `${names}-${name}`,
    AlarmDescription: alarm.about,
    ...alarm.metric,
    Statistic: alarm.statistic,
    ComparisonOperator: alarm.is === 'above' ? 'GreaterThanThreshold' : 'LessThanThreshold',
    Threshold: alarm.threshold,
    Period: alarm.minutes * 60,
    EvaluationPeriods: alarm.periods ?? 1,
    TreatMissingData: alarm.silence === 'wrong' ? 'breaching' : 'notBreaching',
    ...(alarmActions.length > 0 && { AlarmActions: alarmActions, OKActions: alarmActions }),
  },
});

export const alarms = (deployment: Deployment): Attributes =>
  Object.fromEntries(
    Object.entries(TABLE(deployment)).map(([name, alarm]) => [
      `${name}Alarm`,
      resource(name, alarm, deployment),
    ]),
  );
