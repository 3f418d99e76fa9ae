import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { type EventDetailType, eventDetails, type UsherEvent } from '@usher/contracts';
import type { LedgerEntry } from '@usher/limiter-core/bulk';
import { DynamoDbAccountStore, keys } from '@usher/limiter-core/bulk/dynamodb';
import { readLedgerItem } from '@usher/limiter-core/bulk/dynamodb/items';
import { type } from 'arktype';
import { tableName } from '../../resources.ts';
import type { StackClients } from '../../stack.ts';
import type { DecidedBooking } from './decisions.ts';
import type { ReceivedDispatch } from './dispatches.ts';

/** Everything that a run left behind, each part read where it is kept. */
export interface Evidence {
  readonly bookings: readonly DecidedBooking[];
  readonly counters: ReadonlyMap<string, { readonly used: number; readonly rejected: number }>;
  readonly ledger: readonly LedgerEntry[];
  /** One per event id. */
  readonly events: readonly UsherEvent[];
  readonly dispatches: readonly ReceivedDispatch[];
}

/** Reads the account items' counters, over all their windows. */
export async function readCounters(
  { dynamoDb }: StackClients,
  accountIds: readonly string[],
): Promise<Evidence['counters']> {
  const store = new DynamoDbAccountStore({ client: dynamoDb, tableName });
  const counters = new Map<string, { used: number; rejected: number }>();
  for (let at = 0; at < accountIds.length; at += 50) {
    for (const [accountId, account] of await store.readAccounts(accountIds.slice(at, at + 50))) {
      if (account instanceof Error) throw account;
      const windows = [...account.state.usage.values()];
      const total = (figure: 'used' | 'rejected') => windows.reduce((sum, window) => sum + window[figure], 0);
      counters.set(accountId, { used: total('used'), rejected: total('rejected') });
    }
  }
  return counters;
}

/** Reads every ledger item of the table. */
export async function readLedger({ dynamoDb }: StackClients): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  const pages = paginateScan(
    { client: dynamoDb },
    {
      TableName: tableName,
      FilterExpression: 'begins_with(pk, :ledger)',
      ExpressionAttributeValues: { ':ledger': keys.ledgerPartition('') },
    },
  );
  for await (const { Items = [] } of pages) entries.push(...Items.map(readLedgerItem));
  return entries;
}

const Envelope = type('string.json.parse').to({ 'detail-type': 'string', detail: 'object' });

/** Reads an event as a rule delivers it to a queue. */
export function readEvent(body: string): UsherEvent {
  const { 'detail-type': detailType, detail } = Envelope.assert(body);
  if (!isDetailType(detailType)) throw new Error(`An event of the unknown kind ${detailType} was published`);
  return { detailType, detail: eventDetails[detailType].assert(detail) } as UsherEvent;
}

function isDetailType(name: string): name is EventDetailType {
  return Object.hasOwn(eventDetails, name);
}
