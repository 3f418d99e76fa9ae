import { bookingIdOf, bookingKeyFor } from '@usher/contracts';
import { beforeEach, expect, test } from 'vitest';
import { date, due, noon, quarantined, TestReport } from '../testing/test-report.ts';

let world: TestReport;
beforeEach(async () => {
  world = new TestReport();
  await world.closeAt('2026-11-29T12:30:00.000Z');
});

const count = async (timezone: string, of = date): Promise<number> =>
  (await world.report(timezone, of)).totals.quarantined;

test('a message of no account counts once, published twice and replayed twice', async () => {
  await world.deliver(await world.book());
  const event = quarantined({});
  await world.deliver([event]);
  await world.deliver([event]);
  await world.deliver([event], { replay: 'one' });
  await world.closeAt(due);
  expect(await count('all')).toBe(1);
  await world.deliver([event], { replay: 'two' });
  expect(await world.closeAt('2026-11-30T12:00:00.000Z')).toEqual([]);
});

test('a message of an account that nobody knows, or with the booking of another one, is told in all zones', async () => {
  const [event] = await world.book();
  if (event?.detailType !== 'Quota Usage Recorded') throw new Error('no event');
  const { bookingId } = event.detail.data;
  const unknown = bookingIdOf(bookingKeyFor('acme', 'never'), Date.parse(noon));
  await world.deliver([
    event,
    quarantined({ messageId: 'm-1', accountId: 'ghost' }),
    quarantined({ messageId: 'm-2', accountId: 'rogue', bookingId, chunk: 0 }),
    quarantined({ messageId: 'm-3', accountId: 'acme', bookingId: unknown, chunk: 0 }),
    quarantined({ messageId: 'm-4', bookingId, chunk: 0 }),
  ]);
  await world.closeAt(due);
  expect(await count('all')).toBe(4);
  expect(await count('UTC')).toBe(0);
});

test("an account's message is told on one date: that of its booking, else of its instant", async () => {
  const acceptedAt = '2026-11-30T02:00:00.000Z';
  const timezone = 'America/New_York';
  const [event] = await world.book({ acceptedAt, timezone });
  await world.closeAt('2026-11-30T02:00:00.000Z');
  if (event?.detailType !== 'Quota Usage Recorded') throw new Error('no event');
  const { bookingId } = event.detail.data;
  // Both are of the 29th in New York, and lie under the 30th in UTC.
  await world.deliver([
    event,
    quarantined({ messageId: 'm-1', accountId: 'acme', bookingId, chunk: 0, occurredAt: '2026-12-01T12:00:00.000Z' }),
    quarantined({ messageId: 'm-2', accountId: 'acme', occurredAt: '2026-11-30T03:00:00.000Z' }),
  ]);
  world.days.setPolicy('acme', { timezone });
  await world.closeAt('2026-12-02T12:00:00.000Z');
  expect(await count('all')).toBe(2);
  expect(await count(timezone)).toBe(2);
  expect(await count('all', '2026-11-30')).toBe(0);
});

test('a message that comes after the report of its day makes a new one', async () => {
  await world.deliver(await world.book());
  await world.closeAt(due);
  await world.deliver([quarantined({ messageId: 'm-1' }), quarantined({ messageId: 'm-2', accountId: 'acme' })]);
  expect(await world.closeAt('2026-11-30T00:30:00.000Z')).toEqual([`${date} UTC`, `${date} all`]);
  expect([await count('UTC'), await count('all')]).toEqual([1, 2]);
});

test('a message whose event comes after the final report is in none, of no account as of one, and holds up nothing', async () => {
  await world.deliver(await world.book());
  for (const at of [due, '2026-12-03T12:15:00.000Z', '2026-12-03T12:30:00.000Z']) await world.closeAt(at);
  expect((await world.report('all')).state).toBe('final');
  await world.deliver([quarantined({ messageId: 'm-1' }), quarantined({ messageId: 'm-2', accountId: 'acme' })]);
  expect(await world.closeAt('2026-12-03T12:45:00.000Z')).toEqual([]);
  expect((await world.closeAt('2026-12-04T00:15:00.000Z')).filter((day) => day.startsWith(date))).toEqual([]);
  for (const of of [date, '2026-11-30', '2026-12-03']) expect(await count('all', of)).toBe(0);
  expect((await world.report('all', '2026-12-03')).corrections).toEqual([]);
});

test('a message of an account that moved west is told, also from the hours of its first zone', async () => {
  await world.deliver(await world.book({ timezone: 'Asia/Tokyo', acceptedAt: '2026-11-29T00:00:00.000Z' }));
  await world.deliver(await world.book({ key: 'key-2', timezone: 'America/New_York' }));
  await world.deliver([quarantined({ accountId: 'acme', occurredAt: '2026-11-29T01:00:00.000Z' })]);
  await world.closeAt('2026-11-30T05:15:00.000Z');
  expect(await count('America/New_York')).toBe(1);
});
