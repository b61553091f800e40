// ARNs of EKS clusters.
import { describe, expect, it } from 'vitest';
import { parseClusterArn } from '../../lib/eks/arn.ts';
import { InputError } from '../../lib/errors.ts';

describe('the ARN of a cluster', () => {
  it('names region, account, cluster, and the suffix of its partition', () => {
    expect(parseClusterArn('arn:aws:eks:eu-central-1:111111111111:cluster/west_2-a')).toEqual({
      text: 'arn:aws:eks:eu-central-1:111111111111:cluster/west_2-a',
      region: 'eu-central-1',
      account: '111111111111',
      name: 'west_2-a',
      dnsSuffix: 'amazonaws.com',
    });
  });

  it.each([
    ['aws-cn', 'amazonaws.com.cn'],
    ['aws-us-gov', 'amazonaws.com'],
    ['aws-eusc', 'amazonaws.eu'],
    ['aws-iso', 'c2s.ic.gov'],
    ['aws-iso-b', 'sc2s.sgov.gov'],
    ['aws-iso-e', 'cloud.adc-e.uk'],
    ['aws-iso-f', 'csp.hci.ic.gov'],
  ])('of partition %s has endpoints under %s', (partition, suffix) => {
    expect(parseClusterArn(`arn:${partition}:eks:x-1:111111111111:cluster/west`).dnsSuffix).toBe(suffix);
  });

  it.each([
    ['nothing', ''],
    ['a name', 'west'],
    ['another service', 'arn:aws:ecs:eu-central-1:111111111111:cluster/west'],
    ['another resource', 'arn:aws:eks:eu-central-1:111111111111:nodegroup/west/a/b'],
    ['no region', 'arn:aws:eks::111111111111:cluster/west'],
    ['a short account', 'arn:aws:eks:eu-central-1:11111111111:cluster/west'],
    ['no name', 'arn:aws:eks:eu-central-1:111111111111:cluster/'],
    ['a name that begins with a dash', 'arn:aws:eks:eu-central-1:111111111111:cluster/-west'],
    ['a path behind the name', 'arn:aws:eks:eu-central-1:111111111111:cluster/west/x'],
    ['a host in the region', 'arn:aws:eks:evil.test/:111111111111:cluster/west'],
    ['a line break behind it', 'arn:aws:eks:eu-central-1:111111111111:cluster/west\n'],
    ['a name of 101 letters', `arn:aws:eks:eu-central-1:111111111111:cluster/${'w'.repeat(101)}`],
  ])('is refused: %s', (_, text) => {
    expect(() => parseClusterArn(text)).toThrow(InputError);
    expect(() => parseClusterArn(text)).toThrow(/^eks: expected the ARN of an EKS cluster \(.*\), got "/);
  });

  it('is refused when nobody knows the names of its partition', () => {
    expect(() => parseClusterArn('arn:aws-moon:eks:moon-1:111111111111:cluster/west')).toThrow(
      'eks: expected a partition that is one of aws, aws-cn, aws-us-gov, aws-eusc, aws-iso, aws-iso-b, aws-iso-e, aws-iso-f, got "aws-moon"',
    );
  });
});
