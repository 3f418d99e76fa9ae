import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type RetryEnvironment, systemRetry } from '../../backoff.ts';
import { CorruptItemError, InvalidPolicyError, purely } from '../../errors.ts';
import { type AccountChange, newAccount } from '../account.ts';
import type { AccountStore, StoredAccount, StoredOutcome } from '../account-store.ts';
import { type ChunkKey, chunkIdOf, type LedgerEntry } from '../ledger.ts';
import { readAccountItem } from './account-item.ts';
import { toUpdate } from './account-update.ts';
import { type BatchTarget, getItems, itemId, putItems } from './batch.ts';
import { keys } from './keys.ts';
import { toLedgerItem } from './ledger-item.ts';
import { decodeOutcome } from './outcome-bytes.ts';
import { tableDefinition } from './table-definition.ts';

export interface DynamoDbAccountStoreOptions {
  /**
   * A document client made with `documentTranslation`, whose `maxAttempts` and timeouts are set. Its retries are safe
   * because of `rev` and receipts.
   */
  readonly client: DynamoDBDocumentClient;
  /** A table with the string keys `pk` and `sk`. */
  readonly tableName: string;
  /** Calls made for one batch while some of it comes back unprocessed. @default 5 */
  readonly maxBatchAttempts?: number;
  /** Pauses between those calls. @default the machine's timers and randomness */
  readonly retry?: RetryEnvironment;
}

/** An account store in one DynamoDB table, which also holds the policies. */
export class DynamoDbAccountStore implements AccountStore {
  readonly #target: BatchTarget;

  constructor({ client, tableName, maxBatchAttempts = 5, retry = systemRetry }: DynamoDbAccountStoreOptions) {
    this.#target = { client, tableName, maxAttempts: maxBatchAttempts, retry };
  }

  async readAccounts(accountIds: readonly string[]): Promise<ReadonlyMap<string, StoredAccount | Error>> {
    const items = await getItems(
      this.#target,
      accountIds.flatMap((id) => [keys.account(id), keys.policy(id)]),
    );
    return new Map(
      accountIds.map((id) => [
        id,
        orError(() => {
          const account = readable(items.get(itemId(keys.account(id))));
          const policy = readable(items.get(itemId(keys.policy(id))));
          return {
            state: account === undefined ? newAccount : readAccountItem(account),
            overrides: policy === undefined ? undefined : readPolicyItem(policy),
          };
        }),
      ]),
    );
  }

  async readLedger(chunks: readonly ChunkKey[]): Promise<ReadonlyMap<string, StoredOutcome | Error>> {
    const items = await getItems(this.#target, chunks.map(keys.ledger), 'pk, sk, outcome, complete');
    const found = new Map<string, StoredOutcome | Error>();
    for (const chunk of chunks) {
      const id = itemId(keys.ledger(chunk));
      const item = items.get(id);
      if (item !== undefined)
        found.set(
          chunkIdOf(chunk),
          orError(() => readOutcome(readable(item), id)),
        );
    }
    return found;
  }

  async writeAccount(change: AccountChange): Promise<'written' | 'conflict'> {
    const update = purely(() => toUpdate(change));
    try {
      await this.#target.client.send(new UpdateCommand({ TableName: this.#target.tableName, ...update }));
      return 'written';
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return 'conflict';
      throw error;
    }
  }

  async writeLedger(entries: readonly LedgerEntry[]): Promise<ReadonlyMap<string, Error>> {
    const byId = new Map(entries.map((entry) => [itemId(keys.ledger(entry)), entry]));
    const made = [...byId].map(([id, entry]) => ({ id, item: orError(() => purely(() => toLedgerItem(entry))) }));
    const failures = await putItems(
      this.#target,
      made.flatMap(({ item }) => (item instanceof Error ? [] : [item])),
    );
    for (const { id, item } of made) if (item instanceof Error) failures.set(id, item);
    return new Map(
      [...failures].flatMap(([id, error]) => {
        const entry = byId.get(id);
        return entry === undefined ? [] : [[chunkIdOf(entry), error] as const];
      }),
    );
  }

  async writeLedgerIfAbsent(entry: LedgerEntry): Promise<void> {
    const item = toLedgerItem(entry);
    try {
      await this.#target.client.send(
        new PutCommand({
          TableName: this.#target.tableName,
          Item: item,
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }
}

const { partitionKey: dayKey, sortKey: daySort } = tableDefinition.byDay;
const policyItemFields = new Set(['pk', 'sk', 'policy', 'version', 'updatedAt', 'updatedBy', dayKey, daySort]);

/**
 * A policy item's overrides. An item with any other field is refused: it must not pass for one that says nothing. Its
 * faults are an operator's to mend, so it is no corrupt item, whose chunks would be put aside.
 *
 * @throws InvalidPolicyError
 */
function readPolicyItem(item: Record<string, unknown>): unknown {
  const name = `${item.pk} ${item.sk}`;
  const stray = Object.keys(item).find((field) => !policyItemFields.has(field));
  if (stray !== undefined) throw new InvalidPolicyError(`${stray} is not known in ${name}; overrides stand in policy`);
  if (typeof item.policy !== 'object' || item.policy === null)
    throw new InvalidPolicyError(`policy must be an object in ${name}`);
  return item.policy;
}

function readOutcome(item: Record<string, unknown> | undefined, name: string): StoredOutcome {
  const bytes = item?.outcome;
  if (!(bytes instanceof Uint8Array)) throw new CorruptItemError(name, 'outcome must be binary');
  return { outcome: decodeOutcome(bytes, name), complete: item?.complete === true };
}

function readable(item: Record<string, unknown> | Error | undefined): Record<string, unknown> | undefined {
  if (item instanceof Error) throw item;
  return item;
}

function orError<T>(read: () => T): T | Error {
  try {
    return read();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
