// What a deployment is made of, from its parameters: numbers that depend on each other are set here, once.
import { InputError } from '../../lib/errors.ts';
import { type Parameters, readParameters } from './parameters.ts';

/** Where and as what it is deployed. */
export interface Place {
  readonly service: string;
  readonly stage: string;
  readonly region: string;
}

export interface Deployment extends Parameters {
  /** What the names of everything begin with: `eks-service-mirror-dev`. */
  readonly names: string;
  /** The namespace of the functions' own metrics. */
  readonly metrics: string;
  readonly region: string;
  readonly vpc: { readonly subnetIds: string[]; readonly securityGroupIds: string[] } | null;
  /** Seconds after which a message that was not worked off comes again. */
  readonly visibility: number;
  /** DNS servers as one text; null: none. */
  readonly dns: string | null;
  /** `on` when AWS is asked for load balancers; null: it is not. */
  readonly loadBalancerLooks: 'on' | null;
  readonly alarmActions: readonly string[];
  /** Seconds between two ticks. */
  readonly tickEvery: number;
}

/** Of a role's name 64 characters are allowed (IAM), and 43 of them are service, region and function. */
const LONGEST_STAGE = 20;

/** Lambda's advice for queues that it polls: a message must not come again while it waits for a function that is throttled. */
const VISIBILITY_PER_TIMEOUT = 6;

/** @throws InputError with every mistake */
export function deploymentOf(given: Readonly<Record<string, unknown>>, place: Place): Deployment {
  const parameters = readParameters(given);
  const { service, stage, region } = place;
  if (stage.length > LONGEST_STAGE) {
    throw new InputError([`stage: expected at most ${LONGEST_STAGE} characters, got ${stage.length}`]);
  }
  const { subnetIds, securityGroupIds, timeout, dnsServers, alarmTopicArn, schedule } = parameters;
  return {
    ...parameters,
    names: `${service}-${stage}`,
    metrics: service,
    region,
    vpc: subnetIds.length === 0 ? null : { subnetIds, securityGroupIds },
    visibility: VISIBILITY_PER_TIMEOUT * timeout,
    dns: dnsServers.length === 0 ? null : dnsServers.join(','),
    loadBalancerLooks: parameters.loadBalancers ? 'on' : null,
    alarmActions: alarmTopicArn === undefined ? [] : [alarmTopicArn],
    tickEvery: secondsOf(schedule),
  };
}

/** Of `rate(5 minutes)`. */
function secondsOf(schedule: string): number {
  const [, count = '1', unit = 'minute'] = /^rate\((\d+) (minute|hour)s?\)$/.exec(schedule) ?? [];
  return Number(count) * (unit === 'hour' ? 3600 : 60);
}
