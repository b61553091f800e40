// Which cluster is behind a connection, and how failures to look are told from absences.
import { describe, expect, it } from 'vitest';
import { attempt } from '../../lib/observe/attempt.ts';
import { clusterUid } from '../../lib/observe/identity.ts';
import { failure } from '../apply/scripted-cluster.ts';
import { mirrorService, namespace } from '../support/model-builders.ts';
import { clusterOf } from './cluster-of.ts';

const KUBE_SYSTEM = namespace('kube-system');
const KUBERNETES = mirrorService({ meta: { namespace: 'default', name: 'kubernetes' } });

describe('clusterUid', () => {
  it('J2: is the UID of namespace kube-system', async () => {
    const cluster = clusterOf({ Namespace: [KUBE_SYSTEM], Service: [KUBERNETES] });
    expect(await clusterUid(cluster)).toBe('uid-of-kube-system');
    expect(cluster.asked).toEqual(['GET Namespace /kube-system']);
  });

  it('J2: is the UID of Service default/kubernetes where that namespace may not be read', async () => {
    const cluster = clusterOf(
      { Namespace: [KUBE_SYSTEM], Service: [KUBERNETES] },
      { 'GET Namespace': { kind: 'denied' } },
    );
    expect(await clusterUid(cluster)).toBe('uid-of-kubernetes');
  });

  it('J2: is unknown when neither can be read', async () => {
    const cluster = clusterOf({}, { 'GET Namespace': { kind: 'denied' } });
    await expect(clusterUid(cluster)).rejects.toMatchObject({ kind: 'denied' });
  });

  it('J1: a server that does not answer is not asked by another name', async () => {
    const cluster = clusterOf({ Service: [KUBERNETES] }, { 'GET Namespace': { kind: 'unreachable' } });
    await expect(clusterUid(cluster)).rejects.toMatchObject({ kind: 'unreachable' });
    expect(cluster.asked).toEqual(['GET Namespace /kube-system']);
  });
});

describe('attempt', () => {
  it('hands on what was seen, an absence too', async () => {
    expect(await attempt('a thing', () => Promise.resolve(undefined))).toEqual({
      observed: true,
      value: undefined,
    });
  });

  it("E8: what the cluster did not show is unobserved, with the cluster's words", async () => {
    expect(await attempt('target Services', () => Promise.reject(failure({ kind: 'denied' })))).toEqual({
      observed: false,
      why: { what: 'target Services', message: 'source: a request: it was denied' },
      reason: 'Unobserved',
    });
  });

  it('a fault of the program is no lack of sight', async () => {
    await expect(attempt('a thing', () => Promise.reject(new TypeError('a fault')))).rejects.toThrow(
      'a fault',
    );
  });
});
