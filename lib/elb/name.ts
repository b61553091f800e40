// The name that AWS gives a network load balancer, and what can be read from it.

export interface LoadBalancerName {
  readonly hostname: string;
  readonly name: string; // of the load balancer
  readonly id: string; // the last part of its ARN
  readonly region: string;
  readonly dnsSuffix: string; // of the names of AWS's endpoints in this partition
}

/**
 * `NAME-ID.elb.REGION.amazonaws.com`. Names of one zone (`ZONE.NAME-ID.…`) are another thing on purpose, and those of classic and
 * application load balancers have another form: their addresses change with load, and only DNS tells which are in use. The target
 * cluster chose this text, and requests go to the region that it names: nothing but the form of one is taken.
 */
const FORM =
  /^([a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?)-([0-9a-f]{16})\.elb\.([a-z]{2,}(?:-[a-z]+)+-\d{1,2})\.(amazonaws\.com(?:\.cn)?)$/;

/** @param hostname in lower case, without a dot at its end; undefined: not that of a network load balancer */
export function parseLoadBalancerName(hostname: string): LoadBalancerName | undefined {
  const [, name, id, region, dnsSuffix] = FORM.exec(hostname) ?? [];
  if (name === undefined || id === undefined || region === undefined || dnsSuffix === undefined)
    return undefined;
  return { hostname, name, id, region, dnsSuffix };
}
