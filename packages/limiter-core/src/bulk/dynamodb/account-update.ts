import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import type { AccountChange } from '../account.ts';
import { encodeHistory } from './history-bytes.ts';
import { keys } from './keys.ts';
import { encodeReceipt } from './receipt-bytes.ts';

/** An UpdateItem for lib-dynamodb, complete but for the table's name. */
export type AccountUpdate = Omit<UpdateCommandInput, 'TableName'>;

/**
 * The one write that makes a change so: ADD to the counters, SET the bucket, the receipt and closed windows, REMOVE what is pruned, all
 * under one condition: nothing has changed since the account was read (`rev`), and in enforce mode no window passes
 * its limit, which DynamoDB itself checks against the counter.
 */
export function toUpdate(change: AccountChange): AccountUpdate {
  const parts = new Expressions();
  parts.add(parts.name('rev'), 1);
  if (change.seenRev === null) parts.condition('attribute_not_exists(pk)');
  else parts.condition(`${parts.name('rev')} = ${parts.value(change.seenRev)}`);

  for (const [date, { granted, rejected, over, limit }] of change.windows) {
    if (granted > 0) parts.add(parts.name(`used:${date}`), granted);
    if (rejected > 0) parts.add(parts.name(`rejected:${date}`), rejected);
    if (over > 0) parts.add(parts.name(`over:${date}`), over);
    parts.set(parts.name(`limit:${date}`), limit);
    // A condition cannot add, so the room is computed here. Without a grant there is no quota clause: a limit lowered
    // below the usage must not make denials fail.
    if (change.enforced && granted > 0) {
      const used = parts.name(`used:${date}`);
      parts.condition(`(attribute_not_exists(${used}) OR ${used} <= ${parts.value(limit - granted)})`);
    }
  }
  if (change.bucket !== undefined) {
    parts.set(parts.name('tat'), change.bucket.tatMicros);
    parts.set(parts.name('refill'), change.bucket.refillPerSecond);
    parts.set(parts.name('burst'), change.bucket.burst);
    parts.set(parts.name('asOf'), change.bucket.asOfMs);
  }
  // Under the rev that is compared above, so nothing that another wrote into a closed window is lost.
  if (change.history !== undefined) parts.set(parts.name('history'), encodeHistory(change.history));
  if (change.receipt.size > 0) {
    parts.set(parts.name(`receipt:${(change.seenRev ?? 0) + 1}`), encodeReceipt(change.receipt));
  }
  for (const rev of change.prunedReceipts) parts.remove(parts.name(`receipt:${rev}`));
  for (const date of change.endedDates) {
    for (const counter of ['used', 'rejected', 'over', 'limit']) parts.remove(parts.name(`${counter}:${date}`));
  }
  return { Key: { ...keys.account(change.accountId) }, ...parts.build() };
}

/** Collects the clauses of an UpdateItem; attribute names hold `:` and `#`, so every one goes by a placeholder. */
class Expressions {
  readonly #names = new Map<string, string>();
  readonly #values = new Map<string, unknown>();
  readonly #clauses = { ADD: [] as string[], SET: [] as string[], REMOVE: [] as string[] };
  readonly #conditions: string[] = [];

  name(attribute: string): string {
    const known = this.#names.get(attribute);
    if (known !== undefined) return known;
    const placeholder = `#${this.#names.size}`;
    this.#names.set(attribute, placeholder);
    return placeholder;
  }

  value(value: unknown): string {
    const placeholder = `:${this.#values.size}`;
    this.#values.set(placeholder, value);
    return placeholder;
  }

  add(name: string, amount: number): void {
    this.#clauses.ADD.push(`${name} ${this.value(amount)}`);
  }

  set(name: string, value: unknown): void {
    this.#clauses.SET.push(`${name} = ${this.value(value)}`);
  }

  remove(name: string): void {
    this.#clauses.REMOVE.push(name);
  }

  condition(expression: string): void {
    this.#conditions.push(expression);
  }

  build(): Omit<AccountUpdate, 'Key'> {
    const clauses = Object.entries(this.#clauses).filter(([, parts]) => parts.length > 0);
    return {
      UpdateExpression: clauses.map(([keyword, parts]) => `${keyword} ${parts.join(', ')}`).join(' '),
      ConditionExpression: this.#conditions.join(' AND '),
      ExpressionAttributeNames: Object.fromEntries([...this.#names].map(([attribute, name]) => [name, attribute])),
      ExpressionAttributeValues: Object.fromEntries(this.#values),
    };
  }
}
