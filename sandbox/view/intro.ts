// What is said before the story and after it.
import { relative } from 'node:path';
import type { Flags } from '../flags.ts';
import type { Session } from '../session.ts';
import { LINK } from '../story/objects.ts';
import { columns } from './columns.ts';
import type { View } from './view.ts';

export const introLines = (
  { every, real }: Pick<Flags, 'every' | 'real'>,
  { paint }: Pick<View, 'paint'>,
): readonly string[] => [
  paint(
    'title',
    `Link ${LINK}: cluster east gets mirrors of what cluster west exports. All of it is on this computer.`,
  ),
  ...columns([
    [
      'clusters',
      `two ${real ? 'real' : 'embedded'} API servers, reached as EKS clusters: DescribeCluster and tokens signed by IAM`,
    ],
    ['functions', 'tick, reconcile, refresh, resync and status, run from their packaged zips'],
    ['AWS', 'stand-ins of Lambda, SQS, DynamoDB, EKS and STS'],
    ['schedule', `the template says rate(1 minute); here a tick comes every ${every} s`],
    ['DNS', 'answers that change, with a TTL of 5 s; a name is asked every 10 s at the most, as deployed'],
  ]).map((line) => `   ${line}`),
];

export const insideLines = ({ inside, logs }: Session, { paint }: Pick<View, 'paint'>): readonly string[] => {
  const path = (file = ''): string => relative('.', file);
  const [east, west] = inside.kubeconfigs.map(path);
  return [
    '',
    paint('title', 'It goes on until Ctrl-C. Look inside, or change something, from another terminal:'),
    `   kubectl --kubeconfig ${east} -n shop get endpoints -w`,
    `   kubectl --kubeconfig ${west} -n shop label service billing mirror.linkerd.io/exported=true`,
    `   source ${path(inside.env)} && npx eks-service-mirror status`,
    `   logs of the functions: ${path(logs)}`,
    '',
  ];
};
