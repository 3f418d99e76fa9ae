import { BatchGetCommand, BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { jitteredMs, type RetryEnvironment } from '../../backoff.ts';
import { UnprocessedError } from '../../errors.ts';
import type { ItemKey } from './keys.ts';

/** An item as lib-dynamodb takes it, by the names of its attributes. */
export type Item = Record<string, unknown>;

/** The table that batches go to, and the attempts made for what comes back unprocessed. */
export interface BatchTarget {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
  readonly maxAttempts: number;
  readonly retry: RetryEnvironment;
}

// DynamoDB's own bounds (API reference, BatchGetItem and BatchWriteItem).
const maxKeysPerGet = 100;
const maxPutsPerWrite = 25;

/** An item's id in the maps of {@link getItems} and {@link putItems}. */
export function itemId(key: { readonly pk: unknown; readonly sk: unknown }): string {
  return `${String(key.pk)}\n${String(key.sk)}`;
}

/**
 * Reads items consistently, by {@link itemId}. Keys that DynamoDB leaves unprocessed are read again; one still unread
 * after the last attempt has an Error as its value, for unread is never absent.
 */
export async function getItems(
  target: BatchTarget,
  keys: readonly ItemKey[],
  projection?: string,
): Promise<Map<string, Record<string, unknown> | Error>> {
  const distinct = [...new Map(keys.map((key) => [itemId(key), key])).values()];
  const results = new Map<string, Item | Error>();
  for (let at = 0; at < distinct.length; at += maxKeysPerGet) {
    let pending: Item[] = distinct.slice(at, at + maxKeysPerGet).map((key) => ({ ...key }));
    for (let attempt = 1; pending.length > 0; attempt++) {
      const answer = await target.client.send(
        new BatchGetCommand({
          RequestItems: {
            [target.tableName]: { Keys: pending, ConsistentRead: true, ProjectionExpression: projection },
          },
        }),
      );
      for (const item of answer.Responses?.[target.tableName] ?? []) {
        results.set(itemId({ pk: item.pk, sk: item.sk }), item);
      }
      pending = answer.UnprocessedKeys?.[target.tableName]?.Keys ?? [];
      if (pending.length === 0) break;
      if (attempt >= target.maxAttempts) {
        const error = new UnprocessedError('BatchGetItem', pending.length, attempt);
        for (const key of pending) results.set(itemId({ pk: key.pk, sk: key.sk }), error);
        break;
      }
      await target.retry.sleep(jitteredMs(attempt, target.retry.random));
    }
  }
  return results;
}

/**
 * Puts items, each by its own key at most once. The map tells, by {@link itemId}, which of them failed: those still
 * unprocessed after the last attempt, and those of a call that failed as a whole.
 */
export async function putItems(target: BatchTarget, items: readonly Item[]): Promise<Map<string, Error>> {
  const failures = new Map<string, Error>();
  for (let at = 0; at < items.length; at += maxPutsPerWrite) {
    const part = items.slice(at, at + maxPutsPerWrite);
    try {
      for (const [id, error] of await putPart(target, part)) failures.set(id, error);
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error));
      for (const item of part) failures.set(itemId({ pk: item.pk, sk: item.sk }), cause);
    }
  }
  return failures;
}

async function putPart(target: BatchTarget, items: readonly Item[]): Promise<Map<string, Error>> {
  let pending = items.map((Item) => ({ PutRequest: { Item } }));
  for (let attempt = 1; ; attempt++) {
    const answer = await target.client.send(new BatchWriteCommand({ RequestItems: { [target.tableName]: pending } }));
    const rest = answer.UnprocessedItems?.[target.tableName] ?? [];
    pending = rest.flatMap(({ PutRequest }) => (PutRequest?.Item ? [{ PutRequest: { Item: PutRequest.Item } }] : []));
    if (pending.length === 0) return new Map();
    if (attempt >= target.maxAttempts) {
      const error = new UnprocessedError('BatchWriteItem', pending.length, attempt);
      return new Map(pending.map(({ PutRequest: { Item } }) => [itemId({ pk: Item.pk, sk: Item.sk }), error]));
    }
    await target.retry.sleep(jitteredMs(attempt, target.retry.random));
  }
}
