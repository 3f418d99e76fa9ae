import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { RetryEnvironment } from '@usher/limiter-core/bulk';
import { type BatchTarget, expiresAt, itemId, putItems } from '@usher/limiter-core/bulk/dynamodb';
import { type EventFacts, factId, type LateMark, type QuarantineFact, type UsageFact } from '../store/event-facts.ts';
import { factsKeptMs } from '../store/runs.ts';
import { readAccount, readMark, readQuarantined, readUsage, toQuarantinedItem, toUsageItem } from './fact-items.ts';
import { itemsOf } from './query.ts';
import { reportKeys } from './table-definition.ts';

/** Calls made for one batch while some of it comes back unprocessed. */
const maxAttempts = 5;

export interface ReportTableOptions {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
  readonly retry: RetryEnvironment;
}

/** Facts of events in the report's table. */
export class DynamoDbEventFacts implements EventFacts {
  readonly #target: BatchTarget;

  constructor({ client, tableName, retry }: ReportTableOptions) {
    this.#target = { client, tableName, retry, maxAttempts };
  }

  async put({ usage, quarantined }: Parameters<EventFacts['put']>[0]): Promise<ReadonlyMap<string, Error>> {
    const made = [
      ...usage.map((fact) => ({ id: factId(fact), item: toUsageItem(fact) })),
      ...quarantined.map((fact) => ({ id: factId(fact), item: toQuarantinedItem(fact) })),
    ];
    const failures = await putItems(
      this.#target,
      made.map(({ item }) => item),
    );
    return new Map(
      made.flatMap(({ id, item }) => {
        const error = failures.get(itemId(item));
        return error === undefined ? [] : [[id, error] as const];
      }),
    );
  }

  async noteAccounts(accountIds: readonly string[]): Promise<void> {
    await this.#putAll(accountIds.map((accountId) => ({ ...reportKeys.account(accountId) })));
  }

  async noteLate(marks: readonly LateMark[]): Promise<void> {
    await this.#putAll(
      marks.map((mark) => ({
        ...reportKeys.mark(mark),
        ...mark,
        expiresAt: expiresAt(mark.storedAtMs, factsKeptMs),
      })),
    );
  }

  async usage(accountId: string, date: string): Promise<readonly UsageFact[]> {
    const facts: UsageFact[] = [];
    for await (const item of this.#items(reportKeys.usagePartition(accountId, date))) {
      facts.push(readUsage({ accountId, date }, item));
    }
    return facts;
  }

  async quarantined(day: string): Promise<readonly QuarantineFact[]> {
    const facts: QuarantineFact[] = [];
    for await (const item of this.#items(reportKeys.quarantinedPartition(day))) facts.push(readQuarantined(item));
    return facts;
  }

  async *accounts(shard: number): AsyncGenerator<string> {
    for await (const item of this.#items(reportKeys.accountsPartition(shard))) yield readAccount(item);
  }

  async marks(): Promise<readonly LateMark[]> {
    const marks: LateMark[] = [];
    for await (const item of this.#items(reportKeys.marksPartition)) marks.push(readMark(item));
    return marks;
  }

  #items(partition: string): AsyncGenerator<Record<string, unknown>> {
    const { client, tableName } = this.#target;
    return itemsOf({ client, tableName, partition });
  }

  /** Puts items, each key once, the last of equal ones; rejects where one was not put. */
  async #putAll(items: readonly Record<string, unknown>[]): Promise<void> {
    const distinct = new Map(items.map((item) => [itemId({ pk: item.pk, sk: item.sk }), item]));
    const [failure] = (await putItems(this.#target, [...distinct.values()])).values();
    if (failure !== undefined) throw failure;
  }
}
