// The ARN of an EKS cluster, and what follows from its partition.
import { InputError } from '../errors.ts';
import { quoted } from '../wording.ts';

export interface ClusterArn {
  readonly text: string;
  readonly region: string;
  readonly account: string;
  readonly name: string; // of the cluster
  /** Of the names of AWS's endpoints in this partition. */
  readonly dnsSuffix: string;
}

/** By partition; from the endpoint rules that AWS's own clients carry. */
const DNS_SUFFIXES: ReadonlyMap<string, string> = new Map([
  ['aws', 'amazonaws.com'],
  ['aws-cn', 'amazonaws.com.cn'],
  ['aws-us-gov', 'amazonaws.com'],
  ['aws-eusc', 'amazonaws.eu'],
  ['aws-iso', 'c2s.ic.gov'],
  ['aws-iso-b', 'sc2s.sgov.gov'],
  ['aws-iso-e', 'cloud.adc-e.uk'],
  ['aws-iso-f', 'csp.hci.ic.gov'],
]);

const FORM = /^arn:([a-z-]+):eks:([a-z0-9-]+):(\d{12}):cluster\/([A-Za-z0-9][-A-Za-z0-9_]{0,99})$/;

/** Throws InputError. */
export function parseClusterArn(text: string): ClusterArn {
  const [, partition = '', region = '', account = '', name = ''] = FORM.exec(text) ?? [];
  if (name === '') {
    const expected = 'expected the ARN of an EKS cluster (arn:aws:eks:REGION:ACCOUNT:cluster/NAME)';
    throw new InputError([`eks: ${expected}, got ${quoted(text)}`]);
  }
  const dnsSuffix = DNS_SUFFIXES.get(partition);
  if (dnsSuffix === undefined) {
    const known = [...DNS_SUFFIXES.keys()].join(', ');
    throw new InputError([`eks: expected a partition that is one of ${known}, got ${quoted(partition)}`]);
  }
  return { text, region, account, name, dnsSuffix };
}
