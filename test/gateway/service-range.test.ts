// The Service range told from the ClusterIPs of a cluster without ServiceCIDR objects.
import { describe, expect, it } from 'vitest';
import { inferServiceRange } from '../../lib/gateway/filter.ts';

describe('inferServiceRange', () => {
  it.each([
    ['no Service but kubernetes', [], '10.100.0.1', '10.100.0.0/24'],
    ['all in the floor', ['10.100.0.10', '10.100.0.255'], '10.100.0.1', '10.100.0.0/24'],
    ['one beyond it', ['10.100.1.0'], '10.100.0.1', '10.100.0.0/23'],
    ['EKS', ['10.100.0.10', '10.100.255.254'], '10.100.0.1', '10.100.0.0/16'],
    ['EKS, the other default', ['172.20.0.10', '172.20.201.7'], '172.20.0.1', '172.20.0.0/16'],
    ['kubeadm, a /12', ['10.96.0.10', '10.111.255.1'], '10.96.0.1', '10.96.0.0/12'],
    ['a range cannot start in its middle', ['10.100.4.1', '10.104.0.1'], '10.100.0.1', '10.100.0.0/21'],
    ['a stray ClusterIP outside any fitting range', ['10.96.3.1', '10.200.0.1'], '10.96.0.1', '10.96.0.0/22'],
    [
      'headless, unset and the other family',
      ['None', '', 'fd00::1', '10.96.0.9'],
      '10.96.0.1',
      '10.96.0.0/24',
    ],
    ['a range smaller than the floor', ['10.0.0.140'], '10.0.0.129', '10.0.0.128/25'],
    ['IPv6', ['fd30:1:2::a', '10.96.9.9'], 'fd30:1:2::1', 'fd30:1:2::/108'],
  ])('%s', (_title, clusterIPs, kubernetesIP, expected) => {
    expect(inferServiceRange(clusterIPs, kubernetesIP)).toBe(expected);
    expect(inferServiceRange([...clusterIPs].reverse(), kubernetesIP)).toBe(expected);
  });

  it.each(['', 'None', 'kubernetes', '0.0.0.0'])('gives none for kubernetes at %j', (kubernetesIP) => {
    expect(inferServiceRange(['10.96.0.10'], kubernetesIP)).toBeUndefined();
  });
});
