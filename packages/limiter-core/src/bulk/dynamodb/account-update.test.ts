import { DeleteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccountChange, type AccountState, applyChange, newAccount } from '../account.ts';
import { receipts } from '../testing/arbitraries.ts';
import { changeOf, noon, outcomeOf, today } from '../testing/build.ts';
import { readAccountItem } from './account-item.ts';
import { toUpdate } from './account-update.ts';
import { keys } from './keys.ts';
import { encodeReceipt } from './receipt-bytes.ts';
import { type DynaliteTable, startDynaliteTable } from './testing/dynalite-table.ts';

/** The update as one reads it: placeholders replaced by names and values. */
function spelledOut(change: AccountChange): { update: string; condition: string } {
  const { UpdateExpression, ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues } =
    toUpdate(change);
  // In one pass: a name that is put in may look like a placeholder.
  const spell = (expression = ''): string =>
    expression.replace(/[#:]\d+/g, (placeholder) => {
      const value: unknown = ExpressionAttributeNames?.[placeholder] ?? ExpressionAttributeValues?.[placeholder];
      return value instanceof Uint8Array ? '<bytes>' : String(value);
    });
  return { update: spell(UpdateExpression), condition: spell(ConditionExpression) };
}

describe('the one write', () => {
  test('of a first grant adds to the counters under the rev not being there and the room in the window', () => {
    expect(spelledOut(changeOf())).toEqual({
      update:
        `ADD rev 1, used:${today} 1 SET limit:${today} = 10, tat = ${noon * 1000}, refill = 10, burst = 20, asOf = ${noon}, ` +
        'receipt:1 = <bytes>',
      condition: `attribute_not_exists(pk) AND (attribute_not_exists(used:${today}) OR used:${today} <= 9)`,
    });
  });

  test('of a later one is bound to the rev that was seen', () => {
    expect(spelledOut(changeOf({ seenRev: 41 })).condition).toBe(
      `rev = 41 AND (attribute_not_exists(used:${today}) OR used:${today} <= 9)`,
    );
  });

  test('that only denies has no clause on the counter and leaves the bucket alone', () => {
    const windows = new Map([[today, { granted: 0, rejected: 3, over: 0, limit: 2 }]]);
    expect(spelledOut(changeOf({ seenRev: 1, windows, bucket: undefined }))).toEqual({
      update: `ADD rev 1, rejected:${today} 3 SET limit:${today} = 2, receipt:2 = <bytes>`,
      condition: 'rev = 1',
    });
  });

  test('in observe mode has no clause on the counter', () => {
    const windows = new Map([[today, { granted: 15, rejected: 0, over: 5, limit: 10 }]]);
    expect(spelledOut(changeOf({ seenRev: 1, enforced: false, windows }))).toMatchObject({
      update: expect.stringContaining(`ADD rev 1, used:${today} 15, over:${today} 5 SET`),
      condition: 'rev = 1',
    });
  });

  test('has one clause for each window that it grants in', () => {
    const windows = new Map([
      ['2026-11-28', { granted: 2, rejected: 0, over: 0, limit: 10 }],
      [today, { granted: 10, rejected: 0, over: 0, limit: 10 }],
    ]);
    expect(spelledOut(changeOf({ seenRev: 1, windows })).condition).toBe(
      'rev = 1 AND (attribute_not_exists(used:2026-11-28) OR used:2026-11-28 <= 8) ' +
        `AND (attribute_not_exists(used:${today}) OR used:${today} <= 0)`,
    );
  });

  test('puts the closed windows in place as a whole, under the rev', () => {
    const history = new Map([['2026-11-01', { used: 1, rejected: 0, over: 0, limit: 9 }]]);
    const { update, condition } = spelledOut(changeOf({ seenRev: 7, windows: new Map(), history }));
    expect(update).toMatch(/^ADD rev 1 SET .*, history = <bytes>, receipt:8 = <bytes>$/);
    expect(condition).toBe('rev = 7');
  });

  test('removes pruned receipts, and every counter of ended windows', () => {
    const { update } = spelledOut(changeOf({ prunedReceipts: [17], endedDates: ['2026-09-01'] }));
    expect(update).toMatch(
      / REMOVE receipt:17, used:2026-09-01, rejected:2026-09-01, over:2026-09-01, limit:2026-09-01$/,
    );
  });

  test('at its largest stays below the 4 KB of an expression', () => {
    const long = `bk_${'a'.repeat(32)}`;
    const { UpdateExpression = '', ConditionExpression = '' } = toUpdate(
      changeOf({
        seenRev: 1,
        windows: new Map(
          Array.from({ length: 10 }, (_, i) => [`2026-11-${i + 10}`, { granted: 1, rejected: 1, over: 1, limit: 9 }]),
        ),
        receipt: new Map(Array.from({ length: 10 }, (_, i) => [`${long}#${i}`, outcomeOf()])),
        prunedReceipts: Array.from({ length: 100 }, (_, i) => i + 10),
        endedDates: Array.from({ length: 25 }, (_, i) => `2026-08-${i + 1}`),
      }),
    );
    expect(UpdateExpression.length).toBeLessThan(4096);
    expect(ConditionExpression.length).toBeLessThan(4096);
  });

  test('stores its receipt in its compact form, all chunks in one attribute', () => {
    const receipt = new Map(['bk_a#0', 'bk_a#1'].map((id) => [id, outcomeOf()]));
    const values = Object.values(toUpdate(changeOf({ receipt })).ExpressionAttributeValues ?? {});
    expect(values).toContainEqual(encodeReceipt(receipt));
  });
});

describe('applyChange agrees with DynamoDB', () => {
  let table: DynaliteTable;
  beforeAll(async () => {
    table = await startDynaliteTable();
  });
  afterAll(() => table.close());

  const dates = ['2026-09-01', '2026-11-28', '2026-11-29'];
  const closedDates = ['2026-08-30', '2026-09-02'];
  const usages = fc.record({
    used: fc.maxSafeNat(),
    rejected: fc.nat(9),
    over: fc.nat(9),
    limit: fc.option(fc.nat(99)),
  });

  /** Any change that settle could make or that a stale reader could still send; it never grants above its limit. */
  const windowChanges = fc.record({ granted: fc.nat(9), rejected: fc.nat(9), over: fc.nat(3), room: fc.nat(30) });
  const steps = fc.array(
    fc.record({
      staleBy: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.constantFrom(1, -1)),
      enforced: fc.boolean(),
      windows: fc.dictionary(fc.constantFrom(...dates), windowChanges),
      bucket: fc.option(
        fc.record({
          tatMicros: fc.maxSafeNat(),
          refillPerSecond: fc.constantFrom(0.1, 3, 1 / 3),
          burst: fc.integer({ min: 1, max: 1_000_000_000 }),
          asOfMs: fc.maxSafeNat(),
        }),
        {
          nil: undefined,
        },
      ),
      receipt: receipts,
      prunedReceipts: fc.subarray([1, 2, 3, 4, 5, 6, 7, 8]),
      endedDates: fc.subarray(dates),
      history: fc.option(fc.dictionary(fc.constantFrom(...closedDates), usages), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 8 },
  );

  test('on every sequence of changes: the same verdict and the same account', async () => {
    const { client } = table.client();
    const target = { TableName: table.tableName, Key: { ...keys.account('acme') } };
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        await client.send(new DeleteCommand(target));
        let model: AccountState = newAccount;
        for (const { staleBy, windows, history, endedDates, prunedReceipts, ...rest } of list) {
          const seenRev = model.rev === null ? (staleBy === 0 ? null : 1) : model.rev + staleBy;
          const change: AccountChange = {
            ...rest,
            accountId: 'acme',
            seenRev,
            windows: new Map(
              Object.entries(windows).map(([date, { room, ...w }]) => [date, { ...w, limit: w.granted + room }]),
            ),
            history: history && new Map(Object.entries(history)),
            prunedReceipts: prunedReceipts.filter((rev) => rev <= (seenRev ?? 0)),
            endedDates: endedDates.filter((date) => !Object.hasOwn(windows, date)),
          };
          const after = applyChange(model, change);
          const write = client.send(new UpdateCommand({ TableName: table.tableName, ...toUpdate(change) }));
          if (after === undefined) await expect(write).rejects.toThrow('conditional');
          else await write;
          model = after ?? model;
          const { Item } = await client.send(new GetCommand({ ...target, ConsistentRead: true }));
          expect(Item === undefined ? newAccount : readAccountItem(Item)).toEqual(model);
        }
      }),
      { numRuns: 60 },
    );
  });
});
