// Cases of namespaces (I), through the whole reconcile.
import { expect, it } from 'vitest';
import { aNamespace, aService, aSlice } from '../support/builders.ts';
import { endpointsOf, type Lab, refusalsOf } from '../support/lab.ts';
import { finishNamespace } from '../support/leftovers.ts';
import { arrangeTarget, expectInSync, gatewayAt, type LabHandle } from './suite.ts';

const LATE = { namespace: 'late', name: 'web-west' };
const FILLED = { ready: ['203.0.113.10'], notReady: [], ports: ['http:4143'] };
const CREATED = ['POST Service late/web-west', 'POST Endpoints late/web-west'];

/** `late/web` and `shop/web` exported; namespace `late` is missing in the source cluster. */
const arrangeLate = async (lab: Lab): Promise<void> => {
  await lab.target.create('Namespace', aNamespace('late'));
  const objects = ['late', 'shop'].flatMap((namespace) => [
    ['Service', aService({ namespace })] as const,
    ['EndpointSlice', aSlice({ namespace })] as const,
  ]);
  await arrangeTarget(lab, objects, gatewayAt('203.0.113.10'));
};

const namespaceNames = async (lab: Lab): Promise<readonly string[]> =>
  (await lab.source.list('Namespace')).map(({ metadata }) => metadata.name);

export const namespaceCases = (handle: LabHandle): void => {
  it('I1: a namespace that is missing is not made unless asked; only its mirrors wait, and say why', async () => {
    const { lab } = handle;
    await arrangeLate(lab);
    const run = await lab.sync();
    expect(refusalsOf(run)).toEqual(['MissingNamespace late/web']);
    expect(run.report.refusals[0]?.message).toBe(
      'Service late/web: namespace late does not exist in the source cluster',
    );
    expect(run.writes).toEqual(['POST Service shop/web-west', 'POST Endpoints shop/web-west']);
    expect(await namespaceNames(lab)).not.toContain('late');
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
    const again = await lab.sync();
    expect(refusalsOf(again)).toEqual(['MissingNamespace late/web']);
    expect(again.writes).toEqual([]);
  });

  it('I1: when asked, the namespace is made with a marker, and never deleted', async () => {
    const { lab } = handle;
    lab.setLink({ createNamespaces: true });
    await arrangeLate(lab);
    const run = await lab.sync();
    expect(run.writes[0]).toBe('POST Namespace /late');
    expect(run.writes.filter((write) => write.includes(' late/'))).toEqual(CREATED);
    expect(await endpointsOf(lab.source, LATE)).toEqual(FILLED);
    expect((await lab.source.read('Namespace', '', 'late'))?.metadata.labels).toMatchObject({
      'mirror.linkerd.io/mirrored-service': 'true',
      'mirror.linkerd.io/cluster-name': 'west',
    });
    await expectInSync(lab);
    await lab.target.remove('Service', 'late', 'web');
    expect((await lab.sync()).writes).toEqual([
      'DELETE Endpoints late/web-west',
      'DELETE Service late/web-west',
    ]);
    expect(await namespaceNames(lab)).toContain('late');
    await expectInSync(lab);
  });

  it('I2: when the namespace appears, its mirrors are made by the run that sees it', async () => {
    const { lab } = handle;
    await arrangeLate(lab);
    await lab.sync();
    await lab.source.create('Namespace', aNamespace('late'));
    const run = await lab.sync();
    expect(run.report.refusals).toEqual([]);
    expect(run.writes).toEqual(CREATED);
    expect(await endpointsOf(lab.source, LATE)).toEqual(FILLED);
    await expectInSync(lab);
  });

  it.each([{ createNamespaces: false }, { createNamespaces: true }])(
    'I2: while the namespace is being deleted nothing is tried; made anew, it has all its mirrors again: %j',
    async (document) => {
      const { lab } = handle;
      await arrangeLate(lab);
      await lab.source.create('Namespace', aNamespace('late'));
      lab.setLink(document);
      await lab.sync();
      await lab.source.remove('Namespace', '', 'late');
      await lab.source.remove('Endpoints', 'late', 'web-west');
      const ending = await lab.sync();
      expect(refusalsOf(ending)).toEqual(['MissingNamespace late/web']);
      expect(ending.report.refusals[0]?.message).toBe(
        'Service late/web: namespace late is being deleted in the source cluster',
      );
      expect(ending.writes).toEqual([]);
      await finishNamespace(lab.source, 'late');
      expect(await namespaceNames(lab)).not.toContain('late');
      if (!document.createNamespaces) await lab.source.create('Namespace', aNamespace('late'));
      await lab.sync();
      expect(await endpointsOf(lab.source, LATE)).toEqual(FILLED);
      expect(await lab.source.list('Service', 'late')).toHaveLength(1);
      await expectInSync(lab);
    },
  );

  it('I2: a namespace whose deletion begins between our look and our write is refused once, not tried again', async () => {
    const { lab } = handle;
    await arrangeLate(lab);
    await lab.source.create('Namespace', aNamespace('late'));
    lab.sourceFaults.add({
      on: 'POST Service late/web-west',
      times: 1,
      hook: () => lab.source.remove('Namespace', '', 'late'),
    });
    const run = await lab.sync();
    expect(run.writes.filter((write) => write.includes(' late/'))).toEqual(['POST Service late/web-west']);
    expect(refusalsOf(run)).toEqual(['MissingNamespace late/web-west']);
    expect(lab.clock.slept).toEqual([]);
    expect(await endpointsOf(lab.source)).toEqual(FILLED);
    expect(await lab.source.list('Service', 'late')).toEqual([]);
    expect((await lab.sync()).writes).toEqual([]);
  });
};
