import { createHash, randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { jitteredMs, type RetryEnvironment } from '../backoff.ts';
import { StoreUnavailableError } from '../limiter/errors.ts';
import type { Limits } from '../limiter/store.ts';
import { untilAborted } from '../limiter/until-aborted.ts';
import { attributes } from './attributes.ts';
import type { Expression } from './expression.ts';
import { endAtThrottling, failureOf, storeErrorOf } from './failures.ts';
import type { DynamoDbSender, Layout } from './options.ts';
import { StoredItem } from './stored-item.ts';

/** An update's end. Either way the item is the one that the table has from then on. */
export interface Updated {
  readonly isDone: boolean;
  readonly item: StoredItem;
}

export interface TableOptions {
  readonly client: DynamoDbSender;
  readonly layout: Layout;
  readonly attempts: number;
  readonly retry: RetryEnvironment;
}

/** The place of a middleware that sees each attempt of a client, with its error read. */
const eachAttempt = { step: 'deserialize', priority: 'high', name: 'endAtThrottling' } as const;

/** A longer key is stored as its hash. */
const maxKeyBytes = 1024;

/** The table: one call for each change, repeated where that may help, and its failures as the limiter takes them. */
export class Table {
  readonly #options: TableOptions;

  constructor(options: TableOptions) {
    this.#options = options;
  }

  get layout(): Layout {
    return this.#options.layout;
  }

  /** The partition key of a limiter's key. Names hold neither `:` nor `~`, so that no two pairs meet. */
  idOf({ limiter, key }: Pick<Limits, 'limiter' | 'key'>): string {
    const { prefix } = this.#options.layout;
    // A character of UTF-16 has at most three bytes: most keys are not counted.
    if (key.length * 3 <= maxKeyBytes || Buffer.byteLength(key) <= maxKeyBytes) return `${prefix}${limiter}:${key}`;
    return `${prefix}${limiter}~${createHash('sha256').update(key).digest('hex')}`;
  }

  async get(id: string, signal?: AbortSignal): Promise<StoredItem> {
    const command = new GetItemCommand({ ...this.#target(id), ConsistentRead: true });
    command.middlewareStack.add(endAtThrottling, eachAttempt);
    const { Item } = await this.#send((client, options) => client.send(command, options), signal);
    return new StoredItem(id, Item ?? {});
  }

  /**
   * Changes an item if its condition holds. A condition that fails brings the item, by itself or by a read. One that fails
   * because an attempt before, of this store or of its client, did the write and lost the answer, is done.
   *
   * @param options.isOnce true for what must not be done twice even where another process writes in between
   */
  async update(
    id: string,
    expression: Expression,
    { signal, isOnce = false }: { readonly signal: AbortSignal | undefined; readonly isOnce?: boolean },
  ): Promise<Updated> {
    const write = randomUUID();
    expression.identify(attributes.lastWrite, write);
    const command = new UpdateItemCommand({
      ...this.#target(id),
      ...expression.input(),
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    command.middlewareStack.add(endAtThrottling, eachAttempt);
    try {
      const { Attributes } = await this.#send((client, options) => client.send(command, options), signal, isOnce);
      return { isDone: true, item: new StoredItem(id, Attributes ?? {}) };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const item = error.Item === undefined ? await this.get(id, signal) : new StoredItem(id, error.Item);
      return { isDone: item.isLeftBy(write), item };
    }
  }

  async delete(id: string, signal?: AbortSignal): Promise<void> {
    const command = new DeleteItemCommand(this.#target(id));
    command.middlewareStack.add(endAtThrottling, eachAttempt);
    await this.#send((client, options) => client.send(command, options), signal);
  }

  #target(id: string): { TableName: string; Key: Record<string, AttributeValue> } {
    const { tableName, partitionKey, sortKey } = this.#options.layout;
    const sort = sortKey === undefined ? {} : { [sortKey.name]: { S: sortKey.value } };
    return { TableName: tableName, Key: { [partitionKey]: { S: id }, ...sort } };
  }

  async #send<T>(
    call: (client: DynamoDbSender, options: { abortSignal?: AbortSignal }) => Promise<T>,
    signal: AbortSignal | undefined,
    isOnce = false,
  ): Promise<T> {
    const { client, attempts, retry } = this.#options;
    for (let attempt = 1; ; attempt++) {
      if (signal?.aborted) throw new StoreUnavailableError('nobody waits any more', { cause: signal.reason });
      try {
        if (signal === undefined) return await call(client, {});
        // A client's pauses and its search for credentials do not end by a signal.
        return await untilAborted(call(client, { abortSignal: signal }), signal);
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) throw error;
        const failure = failureOf(error);
        const isLast = attempt >= attempts || failure === 'misconfigured' || (isOnce && failure !== 'throttled');
        if (isLast) throw storeErrorOf(error);
        await retry.sleep(jitteredMs(attempt, retry.random));
      }
    }
  }
}
