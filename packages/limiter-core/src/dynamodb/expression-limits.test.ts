import { expect, test } from 'vitest';
import type { Limits, Policy } from '../limiter/store.ts';
import { tokenBucket } from '../limiter/strategies/bucket.ts';
import { slidingWindow } from '../limiter/strategies/sliding-window.ts';
import { calendarWindow, fixedWindow } from '../limiter/strategies/window.ts';
import { dynamoDb } from './dynamodb.ts';
import { maxOperators } from './expression.ts';
import { fakeTable, record } from './testing/tables.ts';

const maxExpressionBytes = 4096;
const nowMs = Date.parse('2026-11-30T12:00:00.250Z');

function limitsOf(strategies: Readonly<Record<string, Policy['strategy']>>): Limits {
  return {
    limiter: 'api',
    key: 'acme',
    policies: Object.entries(strategies).map(([name, strategy]) => ({ name, strategy })),
    nowMs,
  };
}

/** Counted as AWS does: comparisons, AND, OR, NOT, BETWEEN and functions. */
function operatorsIn(condition: string): number {
  const between = condition.match(/\bBETWEEN\b/g)?.length ?? 0;
  const ands = (condition.match(/\bAND\b/g)?.length ?? 0) - between;
  const others = condition.match(/\bOR\b|\bNOT\b|<=|>=|<>|[=<>]|\b[a-z_]+\(/g)?.length ?? 0;
  return ands + between + others;
}

const wide = (limit: number) => slidingWindow({ limit, windowMs: 60_000 });
const ten = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`p${'x'.repeat(30)}${i}`, wide(1000 + i)]));

test.each([
  { name: 'one sliding window of few steps', strategies: { sliding: wide(72) } },
  { name: 'one sliding window of many steps', strategies: { sliding: wide(100_000) } },
  { name: 'two sliding windows of few steps', strategies: { a: wide(72), b: wide(60) } },
  { name: 'ten sliding windows', strategies: ten },
  {
    name: 'every strategy together',
    strategies: {
      bucket: tokenBucket({ capacity: 5, refillPerSecond: 1 }),
      other: tokenBucket({ capacity: 50, refillPerSecond: 1 }),
      sliding: wide(70),
      minute: fixedWindow({ limit: 100, windowMs: 60_000 }),
      day: calendarWindow({ limit: 100, unit: 'day' }),
    },
  },
])('$name: no expression has more operators or bytes than DynamoDB takes', async ({ strategies }) => {
  const table = await fakeTable();
  const limits = limitsOf(strategies);
  const inputs: object[] = [];
  for (let i = 0; i < 6; i++) {
    const client = table.client();
    const requests = record(client);
    const store = dynamoDb({ tableName: table.tableName, client });
    const later = { ...limits, nowMs: nowMs + i * 31_000 };
    await store.take(later, 1);
    await store.take(later, 2);
    await store.charge(later, 3);
    inputs.push(...requests.map(({ input }) => input));
  }
  const texts = inputs.map((input) => ({
    condition: 'ConditionExpression' in input ? String(input.ConditionExpression) : '',
    update: 'UpdateExpression' in input ? String(input.UpdateExpression) : '',
  }));
  expect(Math.max(...texts.map(({ condition }) => operatorsIn(condition)))).toBeLessThanOrEqual(maxOperators);
  expect(Math.max(...texts.map(({ condition }) => condition.length))).toBeLessThanOrEqual(maxExpressionBytes);
  expect(Math.max(...texts.map(({ update }) => update.length))).toBeLessThanOrEqual(maxExpressionBytes);
});

test('a sliding window of 72 is exact in one call, whatever it holds and whoever asks', async () => {
  const limits = limitsOf({ sliding: wide(72) });
  for (const previous of [1, 17, 40, 71, 72]) {
    const table = await fakeTable();
    const newStore = () => dynamoDb({ tableName: table.tableName, client: table.client(), refusalCacheMs: 0 });
    await newStore().take(limits, previous);
    const later = { ...limits, nowMs: nowMs + 73_456 };
    let taken = 0;
    for (;;) {
      const client = table.client();
      const requests = record(client);
      const answer = await dynamoDb({ tableName: table.tableName, client }).take(later, 1);
      expect(requests).toHaveLength(1);
      if (!answer.taken) break;
      taken++;
    }
    // 12:01:13.706 has 46.294 of 60 seconds of the minute before.
    expect(taken).toBe(72 - Math.floor((previous * 46_294) / 60_000));
  }
});
