import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ConsumerPorts, consume } from './consume.ts';
import { batchOf, bodyOf, type Sample, sampleDay, sampleDetail } from './sample-events.ts';
import { type MemoryTables, startTables } from './table-in-memory.ts';
import type { UsageTable } from './usage-table.ts';

let tables: MemoryTables;
let usage: UsageTable;

beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.close());
beforeEach(async () => {
  usage = await tables.make();
});

const at = (second: number): string => `2026-11-29T12:00:0${second}.000Z`;
const samples: readonly Sample[] = [
  { chunk: 0, granted: 40, used: 40, decidedAt: at(0) },
  { chunk: 1, granted: 30, rejected: 5, used: 70, decidedAt: at(1) },
  { chunk: 2, granted: 20, rejected: 9, used: 90, decidedAt: at(1) },
  { chunk: 3, granted: 0, rejected: 50, used: 90, decidedAt: at(2) },
];
const bodies = samples.map((sample) => bodyOf(sampleDetail(sample)));
const [first = '', second = '', third = '', fourth = ''] = bodies;
const wholeDay = { granted: 90, rejected: 64 };

/** Takes bodies in one batch; the messages that come again. */
async function take(all: readonly string[], ports: Partial<ConsumerPorts> = {}): Promise<string[]> {
  const batch = batchOf(Object.fromEntries(all.map((body, n) => [`m${n}`, body])));
  const { batchItemFailures } = await consume(batch, { usage, onFailure: () => undefined, ...ports });
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

/** Every order of a list. */
function orders<T>(list: readonly T[]): T[][] {
  if (list.length < 2) return [[...list]];
  return list.flatMap((one, n) => orders(list.toSpliced(n, 1)).map((rest) => [one, ...rest]));
}

test('an event counts once, however often it comes: in one batch, in the next, and to two functions at once', async () => {
  expect(await take([first, first, second])).toEqual([]);
  expect(await take([second, first])).toEqual([]);
  await Promise.all([take([third]), take([third]), take([fourth, third])]);
  expect(await usage.totals(sampleDay)).toEqual(wholeDay);
});

test('a repeat is known as one, and events of other chunks are none', async () => {
  const details = samples.map(sampleDetail);
  const [detail] = details;
  if (detail === undefined) throw new Error('There are samples.');
  const { metadata, data } = detail;
  const usageOf = (chunk: number) => ({
    metadata: { ...metadata, schemaVersion: 1 as const, id: `${data.bookingId}#${chunk}#usage` },
    data: { ...data, mode: 'enforce' as const, chunk },
  });
  expect(await usage.count(usageOf(0))).toBe('counted');
  expect(await usage.count(usageOf(0))).toBe('repeat');
  expect(await usage.count(usageOf(1))).toBe('counted');
});

test('events in any order, one by one, make the same totals and leave the latest decision', async () => {
  const latest = { used: 90, limit: 100, decidedAt: at(2) };
  // Of three events, so that each order has a table: two of them in one instant.
  for (const order of orders([second, third, fourth])) {
    usage = await tables.make();
    for (const body of order) expect(await take([body])).toEqual([]);
    expect(await usage.totals(sampleDay)).toEqual({ granted: 50, rejected: 64 });
    expect(await usage.latest(sampleDay)).toEqual(latest);
  }
});

test.each([[['second', 'third']], [['third', 'second']]])(
  'of two decisions in one instant, %s, the one that counts more is the latest',
  async (order) => {
    for (const name of order) await take([name === 'second' ? second : third]);
    expect(await usage.latest(sampleDay)).toMatchObject({ used: 90, decidedAt: at(1) });
  },
);

test('a bad event comes again alone, and its reason is told', async () => {
  const told: unknown[] = [];
  const onFailure = (messageId: string, error: unknown) => told.push([messageId, error]);
  expect(await take([first, '{', bodyOf({}), second], { onFailure })).toEqual(['m1', 'm2']);
  expect(told).toMatchObject([
    ['m1', { name: 'BadEventError' }],
    ['m2', { name: 'BadEventError' }],
  ]);
  expect(await usage.totals(sampleDay)).toEqual({ granted: 70, rejected: 5 });
});

test('where the table fails between the two writes, the event comes again, and the repeat ends what was begun', async () => {
  const broken = { count: usage.count.bind(usage), keepLatest: () => Promise.reject(new Error('throttled')) };
  expect(await take([first], { usage: broken })).toEqual(['m0']);
  expect(await usage.latest(sampleDay)).toBeUndefined();
  expect(await take([first])).toEqual([]);
  expect(await usage.totals(sampleDay)).toEqual({ granted: 40, rejected: 0 });
  expect(await usage.latest(sampleDay)).toMatchObject({ used: 40 });
});
