import { DeleteMessageBatchCommand, GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type EventDetailType, eventDetails, type UsherEvent } from '@usher/contracts';
import type { AccountState, LedgerEntry } from '@usher/limiter-core/bulk';
import { keys } from '@usher/limiter-core/bulk/dynamodb';
import { readAccountItem, readLedgerItem } from '@usher/limiter-core/bulk/dynamodb/items';
import { type StackClients, tableName } from '@usher/local-stack';
import { type } from 'arktype';

/** Takes and deletes every message that a queue hands out now. */
export async function drain({ sqs }: StackClients, QueueUrl: string, take: (body: string) => void): Promise<void> {
  for (;;) {
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    if (Messages.length === 0) return;
    for (const { Body = '' } of Messages) take(Body);
    const Entries = Messages.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
}

/** All messages of a queue: waiting, delayed, and handed out. */
export async function messagesIn({ sqs }: StackClients, QueueUrl: string): Promise<number> {
  const names = [
    'ApproximateNumberOfMessages',
    'ApproximateNumberOfMessagesNotVisible',
    'ApproximateNumberOfMessagesDelayed',
  ] as const;
  const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }));
  return names.reduce((total, name) => total + Number(Attributes[name]), 0);
}

/** The table's accounts, by account id, and its ledger. */
export interface TableContent {
  readonly accounts: ReadonlyMap<string, AccountState>;
  readonly ledger: readonly LedgerEntry[];
}

/** Reads the whole table. */
export async function readTable({ dynamoDb }: StackClients, table = tableName): Promise<TableContent> {
  const accounts = new Map<string, AccountState>();
  const ledger: LedgerEntry[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await dynamoDb.send(new ScanCommand({ TableName: table, ConsistentRead: true, ExclusiveStartKey }));
    for (const item of page.Items ?? []) {
      const pk = String(item.pk);
      if (pk.startsWith(keys.ledgerPartition(''))) ledger.push(readLedgerItem(item));
      if (pk.startsWith(keys.account('').pk)) accounts.set(pk.slice(keys.account('').pk.length), readAccountItem(item));
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return { accounts, ledger };
}

const Envelope = type('string.json.parse').to({ 'detail-type': 'string', detail: 'object' });

/** Reads an event as a rule of the bus hands it to a queue. */
export function readEvent(body: string): UsherEvent {
  const envelope = Envelope.assert(body);
  const read = eventReaders.get(envelope['detail-type']);
  if (read === undefined) throw new Error(`An event of the unknown kind ${envelope['detail-type']} was published.`);
  return read(envelope.detail);
}

const readers: { [K in EventDetailType]: (detail: unknown) => UsherEvent } = {
  'Reservations Rejected': (detail) => ({
    detailType: 'Reservations Rejected',
    detail: eventDetails['Reservations Rejected'].assert(detail),
  }),
  'Quota Usage Recorded': (detail) => ({
    detailType: 'Quota Usage Recorded',
    detail: eventDetails['Quota Usage Recorded'].assert(detail),
  }),
  'Quota Threshold Reached': (detail) => ({
    detailType: 'Quota Threshold Reached',
    detail: eventDetails['Quota Threshold Reached'].assert(detail),
  }),
  'Message Quarantined': (detail) => ({
    detailType: 'Message Quarantined',
    detail: eventDetails['Message Quarantined'].assert(detail),
  }),
  'Daily Quota Report': (detail) => ({
    detailType: 'Daily Quota Report',
    detail: eventDetails['Daily Quota Report'].assert(detail),
  }),
};
const eventReaders = new Map<string, (detail: unknown) => UsherEvent>(Object.entries(readers));
