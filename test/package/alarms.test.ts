// The alarms: what each looks at, and when it goes off.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { alarms } from '../../scripts/serverless/alarms.ts';
import { aDeployment } from './builders.ts';

const alarm = z.object({
  Properties: z.object({
    Namespace: z.string(),
    MetricName: z.string(),
    Dimensions: z.tuple([z.object({ Name: z.string(), Value: z.unknown() })]),
    Statistic: z.string(),
    ComparisonOperator: z.enum(['GreaterThanThreshold', 'LessThanThreshold']),
    Threshold: z.number(),
    EvaluationPeriods: z.number(),
    Period: z.number(),
    TreatMissingData: z.enum(['breaching', 'notBreaching']),
  }),
});

const summary = (resource: unknown): string => {
  const found = alarm.parse(resource).Properties;
  const [{ Value }] = found.Dimensions;
  const whose = typeof Value === 'string' ? Value : JSON.stringify(Value);
  const sign = found.ComparisonOperator === 'GreaterThanThreshold' ? '>' : '<';
  const silence = found.TreatMissingData === 'breaching' ? ', silence too' : '';
  return `${found.Namespace} ${found.MetricName} of ${whose}: ${found.Statistic} ${sign} ${found.Threshold} for ${found.EvaluationPeriods} x ${found.Period} s${silence}`;
};

const summaries = (given: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(alarms(aDeployment(given))).map(([name, made]) => [name, summary(made)]));

describe('alarms', () => {
  it('watch everything that nobody asks', () => {
    expect(summaries()).toEqual({
      TickMissingAlarm:
        'AWS/Lambda Invocations of {"Ref":"TickLambdaFunction"}: Sum < 1 for 1 x 300 s, silence too',
      TickFailsAlarm: 'AWS/Lambda Errors of {"Ref":"TickLambdaFunction"}: Sum > 2 for 1 x 300 s',
      ReconcileFailsAlarm: 'AWS/Lambda Errors of {"Ref":"ReconcileLambdaFunction"}: Sum > 2 for 1 x 300 s',
      RefreshFailsAlarm: 'AWS/Lambda Errors of {"Ref":"RefreshLambdaFunction"}: Sum > 2 for 1 x 300 s',
      TickThrottledAlarm: 'AWS/Lambda Throttles of {"Ref":"TickLambdaFunction"}: Sum > 0 for 3 x 300 s',
      ReconcileThrottledAlarm:
        'AWS/Lambda Throttles of {"Ref":"ReconcileLambdaFunction"}: Sum > 0 for 3 x 300 s',
      RefreshThrottledAlarm: 'AWS/Lambda Throttles of {"Ref":"RefreshLambdaFunction"}: Sum > 0 for 3 x 300 s',
      ReconcileCutOffAlarm:
        'AWS/Lambda RecursiveInvocationsDropped of {"Ref":"ReconcileLambdaFunction"}: Sum > 0 for 1 x 300 s',
      RefreshCutOffAlarm:
        'AWS/Lambda RecursiveInvocationsDropped of {"Ref":"RefreshLambdaFunction"}: Sum > 0 for 1 x 300 s',
      ReconcileSlowAlarm:
        'AWS/Lambda Duration of {"Ref":"ReconcileLambdaFunction"}: Maximum > 114000 for 3 x 300 s',
      RefreshSlowAlarm:
        'AWS/Lambda Duration of {"Ref":"RefreshLambdaFunction"}: Maximum > 114000 for 3 x 300 s',
      WorkDeadAlarm:
        'AWS/SQS ApproximateNumberOfMessagesVisible of {"Fn::GetAtt":["WorkDeadLetters","QueueName"]}: Maximum > 0 for 1 x 300 s',
      TimersDeadAlarm:
        'AWS/SQS ApproximateNumberOfMessagesVisible of {"Fn::GetAtt":["TimerDeadLetters","QueueName"]}: Maximum > 0 for 1 x 300 s',
      WorkLateAlarm:
        'AWS/SQS ApproximateAgeOfOldestMessage of {"Fn::GetAtt":["WorkQueue","QueueName"]}: Maximum > 1020 for 1 x 300 s',
      TimersLateAlarm:
        'AWS/SQS ApproximateAgeOfOldestMessage of {"Fn::GetAtt":["TimerQueue","QueueName"]}: Maximum > 1920 for 1 x 300 s',
      GatewayStaleAlarm:
        'eks-service-mirror AgeOfLastGoodAnswer of eks-service-mirror-test: Maximum > 3600 for 1 x 600 s',
      LinksBrokenAlarm:
        'eks-service-mirror BrokenLinks of eks-service-mirror-test: Maximum > 0 for 1 x 300 s',
    });
  });

  it.each([
    ['rate(1 minute)', '1 x 300 s'],
    ['rate(5 minutes)', '1 x 900 s'],
    ['rate(1 hour)', '1 x 10800 s'],
  ])('miss a tick of %s after %s', (schedule, periods) => {
    expect(summaries({ schedule })['TickMissingAlarm']).toContain(periods);
  });

  it('find a function slow, and its messages late, by its own timeout', () => {
    const { ReconcileSlowAlarm, RefreshSlowAlarm, WorkLateAlarm, TimersLateAlarm } = summaries({
      timeout: 300,
    });
    expect(RefreshSlowAlarm).toContain('> 285000 ');
    expect(TimersLateAlarm).toContain('> 3000 ');
    expect(ReconcileSlowAlarm).toContain('> 285000 ');
    expect(WorkLateAlarm).toContain('> 2100 ');
  });

  it('are named after their deployment', () => {
    expect(alarms(aDeployment())['TickMissingAlarm']).toMatchObject({
      Type: 'AWS::CloudWatch::Alarm',
      Properties: {
        AlarmName: 'eks-service-mirror-test-TickMissing',
        AlarmDescription: 'tick does not run: no link is reconciled any more',
      },
    });
  });

  it('tell a topic when there is one, of the end of the alarm as well', () => {
    const alarmTopicArn = 'arn:aws:sns:eu-west-1:111122223333:on-call';
    for (const made of Object.values(alarms(aDeployment({ alarmTopicArn })))) {
      expect(made).toMatchObject({
        Properties: { AlarmActions: [alarmTopicArn], OKActions: [alarmTopicArn] },
      });
    }
    expect(alarms(aDeployment())['TickMissingAlarm']).not.toHaveProperty('Properties.AlarmActions');
  });
});
