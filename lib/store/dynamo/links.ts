// Links in DynamoDB: document, last run and lease are one item, changed by single conditional writes.
//
//   put 0      the item must not be there            whoever is second gets false
//   put n      version = n, and not ending           a document that was changed, ended or removed meanwhile is not overwritten
//   end        the item is there
//   remove     the item is there and ending          a link that was made anew under the name stays
//   saveRun    the item is there                     a late run does not bring a link back
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { StateError } from '../../errors.ts';
import type { Link } from '../../model/link.ts';
import type { LinkStore } from '../../ports.ts';
import { linkItem, readLink } from '../link-item.ts';
import { boundedSummary } from '../run-summary.ts';
import { gatewayKey, linkKey, LINKS } from './keys.ts';
import { partition } from './partition.ts';
import { claimLink } from './lease.ts';
import type { Table } from './table.ts';

const IS_STORED = 'attribute_exists(pk)';
const IS_NEW = 'attribute_not_exists(pk)';
const IS_ENDING = 'ending = :true';
const IS_UNCHANGED = 'version = :expected AND attribute_not_exists(ending)';

/**
 * Requests: `get`, `end`, `saveRun`, `claim` and a claim's `release` 1, `put` 1 (a new link: 2), `remove` 2, `list` 1 per MiB of links.
 */
export const dynamoLinks = (table: Table): LinkStore => ({
  async list() {
    const read = (await partition(table, LINKS, 'list links')).map((item) => readLink(String(item.sk), item));
    return {
      links: read.flatMap(({ record }) => record ?? []),
      broken: read.flatMap(({ broken }) => broken ?? []),
    };
  },

  async get(name) {
    const { Item: stored } = await table.ask(`read link ${name}`, (documents) =>
      documents.send(new GetCommand({ TableName: table.name, Key: linkKey(name), ConsistentRead: true })),
    );
    if (stored === undefined) return undefined;
    const { record, broken } = readLink(name, stored);
    if (broken !== undefined) throw new StateError(`table ${table.name}, link ${name}: ${broken.why}`);
    return record;
  },

  async put(link, expected) {
    return expected === 0 ? putNew(table, link) : putAgain(table, link, expected);
  },

  async end(name) {
    const done = await table.change(`end link ${name}`, (documents) =>
      documents.send(
        new UpdateCommand({
          TableName: table.name,
          Key: linkKey(name),
          UpdateExpression: 'SET ending = :true',
          ConditionExpression: IS_STORED,
          ExpressionAttributeValues: { ':true': true },
        }),
      ),
    );
    return done !== undefined;
  },

  async remove(name) {
    const done = await table.change(`remove link ${name}`, (documents) =>
      documents.send(
        new DeleteCommand({
          TableName: table.name,
          Key: linkKey(name),
          ConditionExpression: IS_ENDING,
          ExpressionAttributeValues: { ':true': true },
        }),
      ),
    );
    if (done !== undefined) await forgetGateway(table, name);
  },

  async saveRun(name, summary) {
    await table.change(`save the last run of link ${name}`, (documents) =>
      documents.send(
        new UpdateCommand({
          TableName: table.name,
          Key: linkKey(name),
          UpdateExpression: 'SET lastRun = :summary',
          ConditionExpression: IS_STORED,
          ExpressionAttributeValues: { ':summary': boundedSummary(summary) },
        }),
      ),
    );
  },

  claim: (name, holder, seconds) => claimLink(table, { name, holder, seconds }),
});

/** Every page of the partition, in the order of names. */
async function putNew(table: Table, link: Link): Promise<boolean> {
  const done = await table.change(`store link ${link.name}`, (documents) =>
    documents.send(
      new PutCommand({
        TableName: table.name,
        Item: { ...linkKey(link.name), ...linkItem(link, 1) },
        ConditionExpression: IS_NEW,
      }),
    ),
  );
  if (done === undefined) return false;
  // A run that was late, or a removal that was cut short, can have left a state: it is not this link's, perhaps not its cluster's.
  await forgetGateway(table, link.name);
  return true;
}

async function putAgain(table: Table, link: Link, expected: number): Promise<boolean> {
  const done = await table.change(`store link ${link.name}`, (documents) =>
    documents.send(
      new UpdateCommand({
        TableName: table.name,
        Key: linkKey(link.name),
        UpdateExpression: 'SET document = :document, version = :next',
        ConditionExpression: IS_UNCHANGED,
        ExpressionAttributeValues: { ':document': link, ':next': expected + 1, ':expected': expected },
      }),
    ),
  );
  return done !== undefined;
}

async function forgetGateway(table: Table, link: string): Promise<void> {
  await table.ask(`forget the gateway state of link ${link}`, (documents) =>
    documents.send(new DeleteCommand({ TableName: table.name, Key: gatewayKey(link) })),
  );
}
