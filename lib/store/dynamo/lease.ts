// The lease of a link: a few attributes on the link's own item, so that one condition says both "it is free" and "it is stored".
//
//   claim ──────────────▶ leaseHolder, leaseUntil set, fence + 1 ──release──▶ holder and until gone, fence stays
//          refused while leaseUntil is not past and somebody else is the holder, and where there is no item
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Claim } from '../../ports.ts';
import { linkKey } from './keys.ts';
import type { Table } from './table.ts';

/**
 * A holder that claims again is let in: the SDK sends a claim again whose answer was lost, and the link must not stand still until
 * that lost claim has run out. So a holder's name must be one run's own.
 */
const IS_STORED_AND_FREE =
  'attribute_exists(pk) AND (attribute_not_exists(leaseUntil) OR leaseUntil < :now OR leaseHolder = :holder)';
const IS_OURS = 'leaseHolder = :holder AND fence = :fence';

/** ms. A Date header has whole seconds, so the time by it can be this much behind: a lease rather lasts longer than it says. */
const DATE_RESOLUTION = 1000;

export interface Claiming {
  readonly name: string;
  readonly holder: string; // one run's own
  readonly seconds: number;
}

/** undefined: somebody else holds the link, or it is not stored. */
export async function claimLink(
  table: Table,
  { name, holder, seconds }: Claiming,
): Promise<Claim | undefined> {
  const now = table.now();
  const done = await table.change(`claim link ${name}`, (documents) =>
    documents.send(
      new UpdateCommand({
        TableName: table.name,
        Key: linkKey(name),
        UpdateExpression: 'SET leaseHolder = :holder, leaseUntil = :until ADD fence :one',
        ConditionExpression: IS_STORED_AND_FREE,
        ExpressionAttributeValues: {
          ':holder': holder,
          ':now': now,
          ':until': now + seconds * 1000 + DATE_RESOLUTION,
          ':one': 1,
        },
        ReturnValues: 'UPDATED_NEW',
      }),
    ),
  );
  if (done === undefined) return undefined;
  const fence = Number(done.Attributes?.fence);
  return { fence, release: () => releaseLink(table, { name, holder, fence }) };
}

interface Releasing {
  readonly name: string;
  readonly holder: string;
  readonly fence: number;
}

/** A lease that ran out and is somebody else's now, or went with its link, is let be. */
async function releaseLink(table: Table, { name, holder, fence }: Releasing): Promise<void> {
  await table.change(`release link ${name}`, (documents) =>
    documents.send(
      new UpdateCommand({
        TableName: table.name,
        Key: linkKey(name),
        UpdateExpression: 'REMOVE leaseHolder, leaseUntil',
        ConditionExpression: IS_OURS,
        ExpressionAttributeValues: { ':holder': holder, ':fence': fence },
      }),
    ),
  );
}
