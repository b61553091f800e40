// Whom AWS takes us for when it is asked for a load balancer: this process, or the role that a link names.
import type { EksClients } from '../eks/clients.ts';
import { assumedRole } from '../eks/role.ts';
import { awsLoadBalancers, type LoadBalancerOptions } from '../elb/load-balancers.ts';
import type { LoadBalancerWitness } from '../ports.ts';

export interface LoadBalancerSettings extends Pick<LoadBalancerOptions, 'clock' | 'endpoints'> {
  readonly clients: Pick<EksClients, 'sts'>;
  readonly region: string; // of this process
}

/** One per process: credentials of roles are kept while they are good. */
export function loadBalancerWitness({
  clients,
  region,
  ...options
}: LoadBalancerSettings): LoadBalancerWitness {
  const sts = clients.sts(region);
  const roles = new Map<string, ReturnType<typeof assumedRole>>();
  return awsLoadBalancers({
    ...options,
    credentials: ({ roleArn, externalId }) => {
      if (roleArn === undefined) return sts.config.credentials();
      const key = JSON.stringify([roleArn, externalId]);
      const role = roles.get(key) ?? assumedRole(sts, { roleArn, externalId }, options.clock);
      roles.set(key, role);
      return role.get();
    },
  });
}
