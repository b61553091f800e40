// The cluster port with a token that does not change, for suites that bring their own server.
import { kubeCluster } from '../../lib/kube/cluster.ts';
import { bearer } from '../../lib/kube/connection.ts';
import type { Connect } from '../contract/cluster.contract.ts';

export const connect: Connect = (url, token, settings) =>
  kubeCluster({ name: 'source', server: url, credentials: bearer(() => Promise.resolve(token)) }, settings);
