// StatefulSets pod by pod: cold beside a bare client, one more pod, nothing to do, and ten times the pods in not much more than ten
// times the time.
import type { Link } from '../lib/model/link.ts';
import { collectionPath } from './bare.ts';
import { coldRounds, coldRows, isWhole, type Rounds } from './cold-rounds.ts';
import type { Ground } from './ground.ts';
import type { Figure } from './measure.ts';
import { unchangedRounds } from './unchanged.ts';

const [FEW, MANY] = [100, 1000] as const;
const LIMIT_KIB = 1536; // what etcd takes in one request by its default, --max-request-bytes

interface Listed {
  readonly items: readonly object[];
}

/** Size of the largest object of one namespace's mirrors, KiB of JSON. */
const largestObject = async ({ source }: Ground): Promise<number> => {
  const sizes: number[] = [];
  for (const kind of ['Service', 'Endpoints', 'EndpointSlice'] as const) {
    const { items }: Listed = JSON.parse(await source.send('GET', collectionPath(kind, 'shop-0')));
    sizes.push(...items.map((item) => Buffer.byteLength(JSON.stringify(item))));
  }
  return Math.max(0, ...sizes) / 1024;
};

interface Size {
  readonly cold: Rounds;
  readonly unchanged: number; // seconds
  readonly figures: readonly Figure[];
}

/** Leaves the source with the mirrors. */
const oneSize = async (ground: Ground, count: number, rounds: number): Promise<Size> => {
  await ground.setPods(count);
  const cold = await coldRounds(ground, rounds);
  const { seconds, report } = await unchangedRounds(ground, rounds);
  const named = `a StatefulSet of ${count} pods`;
  const unchanged = `unchanged reconcile of ${named}`;
  const { writes } = report.requests.source;
  const subject = { named, count, unit: 'pods', writes: 2 * (count + 1), isJudged: count === FEW };
  return {
    cold,
    unchanged: seconds,
    figures: [
      ...coldRows(subject, cold),
      { name: unchanged, value: seconds, unit: 's', ok: true, kind: 'time' },
      {
        name: `${unchanged}, writes`,
        value: writes,
        unit: 'writes',
        target: '= 0',
        ok: writes === 0,
        kind: 'count',
      },
    ],
  };
};

/** Writes of its Service, of the endpoints of that, and of the root's: a new slice there, as the one before is full. */
const oneMorePod = async (ground: Ground, endpoints: Link['endpoints'], form: string): Promise<Figure> => {
  await ground.setPods(FEW);
  await ground.run({ dryRun: false, endpoints });
  await ground.setPods(FEW + 1);
  const report = await ground.run({ dryRun: false, endpoints });
  const { writes } = report.requests.source;
  return {
    name: `pod ${FEW + 1} of a StatefulSet, as ${form}`,
    value: writes,
    unit: 'writes',
    target: '= 3',
    ok: isWhole(report) && writes === 3,
    kind: 'count',
  };
};

/** Seconds of many pods beside those of few. */
const beside = (name: string, few: number, many: number, isJudged = true): Figure => {
  const ratio = many / few;
  return {
    name,
    value: many,
    unit: 's',
    ratio,
    ...(isJudged ? { target: '<= 12' } : {}),
    ok: !isJudged || ratio <= 12,
    kind: 'time',
  };
};

export const statefulSetFigures = async (ground: Ground, rounds: number): Promise<readonly Figure[]> => {
  const few = await oneSize(ground, FEW, rounds);
  const added = await oneMorePod(ground, 'endpoints', 'Endpoints');
  await ground.emptySource();
  const addedSlices = await oneMorePod(ground, 'endpointslices', 'EndpointSlices');
  const many = await oneSize(ground, MANY, rounds);
  const kibibytes = await largestObject(ground);
  const sizes = `${MANY} pods beside ${FEW}`;
  return [
    ...few.figures,
    added,
    addedSlices,
    ...many.figures,
    beside(`unchanged reconcile, ${sizes}`, few.unchanged, many.unchanged),
    beside(`cold mirroring, ${sizes}`, few.cold.ours, many.cold.ours),
    // What the API server alone makes of it: it takes longer to give out a ClusterIP the more are given out.
    beside('the same of the bare client', few.cold.bare, many.cold.bare, false),
    {
      name: `largest object of a StatefulSet of ${MANY} pods`,
      value: kibibytes,
      unit: 'KiB',
      target: `<= ${LIMIT_KIB} KiB`,
      ok: kibibytes > 0 && kibibytes <= LIMIT_KIB,
      kind: 'count',
    },
  ];
};
