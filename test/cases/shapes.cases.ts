// Every shape of an exported Service becomes every other one: where the mirror ends, by one run, and what nobody sees on the way (D14).
import { describe, expect, it } from 'vitest';
import type { Lab } from '../support/lab.ts';
import { type End, endOf } from './ends.ts';
import { EMPTY_SHAPES, FRESH, REFUSED, type Shape, SHAPE_NAMES, type ShapeName, SHAPES } from './shapes.ts';
import { told } from './seen.ts';
import { arrangeTarget, expectInSync, gatewayAt, type LabHandle } from './suite.ts';
import { watch } from './watcher.ts';

const put = async (lab: Lab, { service, slice, link }: Shape): Promise<void> => {
  lab.setLink(link);
  await Promise.all([lab.target.create('Service', service), lab.target.create('EndpointSlice', slice)]);
};

const take = async (lab: Lab): Promise<void> => {
  await Promise.all([
    lab.target.remove('Service', 'shop', 'db'),
    lab.target.remove('EndpointSlice', 'shop', 'db-abcde'),
  ]);
};

const NOTHING: End = { objects: {}, told: [] };

/** Where a shape ends in an empty source cluster; asked for once, at a moment when both clusters are empty. */
const freshEnds = () => {
  const known = new Map<Shape, End>();
  return async (lab: Lab, shape: Shape): Promise<End> => {
    const found = known.get(shape);
    if (found !== undefined) return found;
    await put(lab, shape);
    await lab.sync();
    await expectInSync(lab);
    const end = await endOf(lab.source);
    known.set(shape, end);
    await take(lab);
    await lab.sync();
    expect(await endOf(lab.source)).toEqual(NOTHING);
    return end;
  };
};

/** How `db-west` stands there. */
const formerShape = ({ told }: End): keyof typeof EMPTY_SHAPES | 'nothing' => {
  const root = told.find((line) => line.startsWith('db-west '));
  if (root === undefined) return 'nothing';
  return root.includes(' headless ') ? 'headless' : 'address';
};

const withoutSlices = ({ objects, told }: End): End => ({
  told,
  objects: Object.fromEntries(Object.entries(objects).filter(([key]) => !key.startsWith('EndpointSlice '))),
});

const formOf = ({ link: { endpoints = 'endpoints' } }: Shape): string => endpoints;

/** Our slices stay beside Endpoints until copies of these are there, and here nobody copies; readers of both see the same. */
const compared = (end: End, from: Shape, to: Shape): End =>
  formOf(from) === 'endpointslices' && formOf(to) === 'endpoints' ? withoutSlices(end) : end;

const reasonsOf = (name: ShapeName): readonly string[] =>
  REFUSED[name] === undefined ? [] : [REFUSED[name]];

const PAIRS = SHAPE_NAMES.flatMap((from) =>
  SHAPE_NAMES.filter((to) => to !== from).map((to): readonly [ShapeName, ShapeName] => [from, to]),
);

export const shapeCases = (handle: LabHandle): void => {
  const freshEnd = freshEnds();

  const expectedEnd = async (lab: Lab, from: Shape, to: Shape): Promise<End> => {
    const former = await freshEnd(lab, from);
    if (to.keeps === undefined) return freshEnd(lab, to);
    if (to.keeps === 'the former mirror') return former;
    const empty = formerShape(former);
    return empty === 'nothing' ? NOTHING : freshEnd(lab, EMPTY_SHAPES[empty]);
  };

  it.each(SHAPE_NAMES)('%s, in an empty source cluster', async (name) => {
    const { lab } = handle;
    await arrangeTarget(lab, [], gatewayAt('203.0.113.10'));
    await put(lab, SHAPES[name]);
    const { report } = await lab.sync();
    expect((await endOf(lab.source)).told).toEqual(FRESH[name]);
    expect(report.refusals.map(({ reason }) => reason)).toEqual(reasonsOf(name));
  });

  it('twenty shapes have 380 pairs', () => {
    expect(PAIRS).toHaveLength(380);
  });

  describe('D14: one shape becomes another', () => {
    it.each(PAIRS)('%s → %s', async (fromName, toName) => {
      const { lab } = handle;
      const from: Shape = SHAPES[fromName];
      const to: Shape = SHAPES[toName];
      await arrangeTarget(lab, [], gatewayAt('203.0.113.10'));
      const expected = await expectedEnd(lab, from, to);
      await put(lab, from);
      await lab.sync();
      await take(lab);
      await put(lab, to);
      const watcher = await watch(lab);
      const { report, writes } = await lab.sync();
      expect(report.refusals.map(({ reason }) => reason)).toEqual(reasonsOf(toName));
      expect(report.outcomes?.filter(({ result }) => result !== 'applied')).toEqual([]);
      expect(watcher.faults()).toEqual([]);
      expect(watcher.looks).toHaveLength(writes.length + 1);
      const [end, again] = await Promise.all([endOf(lab.source), lab.plan()]);
      expect(told(watcher.looks.at(-1) ?? new Map())).toEqual(end.told);
      expect(compared(end, from, to)).toEqual(compared(expected, from, to));
      expect(again.report.changes).toEqual([]);
    });
  });
};
