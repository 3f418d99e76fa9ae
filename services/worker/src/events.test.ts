import { eventDetails, QuotaUsageRecorded, ReservationsRejected, type UsherEvent } from '@usher/contracts';
import { type } from 'arktype';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bookedChunk } from './decode.ts';
import { eventsOf, quarantinedEvent } from './events.ts';
import { settledChunk } from './testing/arbitraries.ts';
import { batchOf, bookingIdOf, chunkOf, deliveryOf, noon, outcomeOf, rowsOf, secret } from './testing/messages.ts';
import { TestWorker } from './testing/test-worker.ts';

const booking = bookingIdOf(1);
const usageOf = (event?: UsherEvent) => QuotaUsageRecorded.assert(event?.detail).data;
const idsOf = (events: ReturnType<typeof eventsOf>): string[] => events.map(({ detail }) => detail.metadata.id);

test('a chunk wholly granted tells its usage and nothing else', () => {
  const acceptedAt = '2026-11-29T11:59:57.250Z';
  const booking = bookingIdOf(1, acceptedAt);
  const events = eventsOf(
    bookedChunk(chunkOf({ acceptedAt, chunk: 4, reservations: rowsOf([2, 3]) })),
    outcomeOf([2, 3], { usedBefore: 10 }),
  );
  expect(events).toEqual([
    {
      detailType: 'Quota Usage Recorded',
      detail: {
        metadata: { id: `${booking}#4#usage`, occurredAt: noon, schemaVersion: 1, correlationId: booking },
        data: {
          accountId: 'ada',
          bookingId: booking,
          chunk: 4,
          acceptedAt: '2026-11-29T11:59:57.250Z',
          decidedAt: noon,
          window: chunkOf().window,
          limit: 1000,
          used: 15,
          mode: 'enforce',
          granted: { count: 2, cost: 5 },
          rejected: { count: 0, cost: 0, byReason: {} },
        },
      },
    },
  ]);
});

test('rejected rows are told with id, cost and reason, under the id of chunk and part', () => {
  const outcome = outcomeOf([2, 3, 4], {
    reasons: [null, 'daily_quota_exceeded', 'exceeds_limit'],
    grantedCost: 2,
    rejectedCost: 7,
  });
  const [rejected, usage] = eventsOf(bookedChunk(chunkOf({ reservations: rowsOf([2, 3, 4]) })), outcome);
  expect(rejected?.detail).toMatchObject({
    metadata: { id: `${booking}#0#rejected#0`, correlationId: booking },
    data: {
      mode: 'enforce',
      limit: 1000,
      used: 2,
      reservations: [
        { id: 'r-1', cost: 3, reason: 'daily_quota_exceeded' },
        { id: 'r-2', cost: 4, reason: 'exceeds_limit' },
      ],
    },
  });
  expect(usage?.detail.data).toMatchObject({ granted: { count: 1, cost: 2 }, rejected: { count: 2, cost: 7 } });
  expect(usageOf(usage).rejected.byReason).toEqual({
    daily_quota_exceeded: { count: 1, cost: 3 },
    exceeds_limit: { count: 1, cost: 4 },
  });
  expect(usageOf(usage).observed).toBeUndefined();
});

test('observe mode tells what it would have rejected, and counts it as granted', () => {
  const outcome = outcomeOf([2, 3], { policyMode: 'observe', reasons: [null, 'daily_quota_exceeded'] });
  const [rejected, usage] = eventsOf(bookedChunk(chunkOf({ reservations: rowsOf([2, 3]) })), outcome);
  expect(rejected?.detail.data).toMatchObject({ mode: 'observe', reservations: [{ id: 'r-1' }] });
  const daily_quota_exceeded = { count: 1, cost: 3 };
  expect(usageOf(usage)).toMatchObject({
    mode: 'observe',
    granted: { count: 2, cost: 5 },
    rejected: { count: 0, cost: 0, byReason: {} },
    observed: { ...daily_quota_exceeded, byReason: { daily_quota_exceeded } },
  });
});

test('observe mode rejects a row that nobody would wait for, apart from what it only observes', () => {
  const outcome = outcomeOf([2, 3, 4], {
    policyMode: 'observe',
    reasons: ['exceeds_limit', 'pacing_backlog_full', 'exceeds_limit'],
    grantedCost: 6,
    rejectedCost: 3,
  });
  const usage = usageOf(eventsOf(bookedChunk(chunkOf({ reservations: rowsOf([2, 3, 4]) })), outcome)[1]);
  expect(usage.granted).toEqual({ count: 2, cost: 6 });
  expect(usage.rejected).toEqual({ count: 1, cost: 3, byReason: { pacing_backlog_full: { count: 1, cost: 3 } } });
  expect(usage.observed).toEqual({ count: 2, cost: 6, byReason: { exceeds_limit: { count: 2, cost: 6 } } });
});

test('each threshold that the chunk passed has its event, with the same id on every replay', () => {
  const outcome = outcomeOf([300], { usedBefore: 700, limitBefore: 1000 });
  const message = chunkOf({ reservations: rowsOf([300]) });
  expect(idsOf(eventsOf(bookedChunk(message), outcome)).slice(1)).toEqual([
    `${booking}#0#threshold#day#0.8`,
    `${booking}#0#threshold#day#1`,
  ]);
  expect(eventsOf(bookedChunk(message), outcome)).toEqual(eventsOf(bookedChunk(message), outcome));
});

test('a threshold passed before is not told again', () => {
  const message = chunkOf({ reservations: rowsOf([50]) });
  expect(eventsOf(bookedChunk(message), outcomeOf([50], { usedBefore: 850, limitBefore: 1000 }))).toHaveLength(1);
});

test('a threshold is told by a chunk wholly denied when the limit was lowered under the usage', () => {
  const outcome = outcomeOf([5], {
    reasons: ['daily_quota_exceeded'],
    grantedCost: 0,
    rejectedCost: 5,
    usedBefore: 100,
    limitBefore: 1000,
    limit: 110,
  });
  const ids = idsOf(eventsOf(bookedChunk(chunkOf({ reservations: rowsOf([5]) })), outcome));
  expect(ids).toEqual([`${booking}#0#rejected#0`, `${booking}#0#usage`, `${booking}#0#threshold#day#0.8`]);
});

test('case 13: a long rejection list is cut by bytes, each row in exactly one part, in order', () => {
  fc.assert(
    fc.property(settledChunk, fc.integer({ min: 1, max: 3000 }), ({ message, outcome }, partBytes) => {
      const events = eventsOf(bookedChunk(message), outcome, partBytes);
      const parts = events.filter(({ detailType }) => detailType === 'Reservations Rejected');
      const lists = parts.map(({ detail }) => ReservationsRejected.assert(detail).data.reservations);
      const expected = message.reservations.map(({ id }) => id).filter((_, row) => outcome.reasons[row] !== null);
      expect(lists.flat().map(({ id }) => id)).toEqual(expected);
      expect(idsOf(parts)).toEqual(parts.map((_, part) => `${booking}#0#rejected#${part}`));
      for (const list of lists.filter(({ length }) => length > 1)) {
        const bytes = Buffer.byteLength(JSON.stringify(list)) - 2;
        expect(bytes).toBeLessThanOrEqual(partBytes);
      }
    }),
    { numRuns: 100 },
  );
});

test('every event of any outcome is valid against its schema, and none shows details', () => {
  fc.assert(
    fc.property(settledChunk, ({ message, outcome }) => {
      for (const { detailType, detail } of eventsOf(bookedChunk(message), outcome)) {
        const checked = eventDetails[detailType](JSON.parse(JSON.stringify(detail)));
        expect(checked instanceof type.errors ? checked.summary : 'valid').toBe('valid');
        expect(JSON.stringify(detail)).not.toContain(secret);
      }
    }),
    { numRuns: 100 },
  );
});

test('a quarantined message is told by its messageId, its reason and, where known, its account', () => {
  const delivery = deliveryOf('{', 'm-1');
  const event = quarantinedEvent({ delivery, reason: 'invalid_json', problem: secret }, Date.parse(noon));
  expect(event).toEqual({
    detailType: 'Message Quarantined',
    detail: {
      metadata: { id: 'm-1', occurredAt: noon, schemaVersion: 1 },
      data: { reason: 'invalid_json', messageId: 'm-1' },
    },
  });
  const bad = { delivery, reason: 'too_old', problem: '', accountId: 'ada' } as const;
  expect(quarantinedEvent(bad, 0).detail.data).toEqual({ reason: 'too_old', messageId: 'm-1', accountId: 'ada' });
  const named = { ...bad, names: { bookingId: booking, chunkIndex: 3 } };
  expect(quarantinedEvent(named, 0).detail.data).toMatchObject({ accountId: 'ada', bookingId: booking, chunk: 3 });
});

test('a usage event stays small, whatever the chunk', () => {
  fc.assert(
    fc.property(settledChunk, ({ message, outcome }) => {
      const longest = { ...message, accountId: 'a'.repeat(128), chunk: 99_999 };
      const [usage] = eventsOf(bookedChunk(longest), outcome).filter(
        (one) => one.detailType === 'Quota Usage Recorded',
      );
      expect(Buffer.byteLength(JSON.stringify(usage?.detail))).toBeLessThan(1024);
    }),
    { numRuns: 100 },
  );
});

test('every kind of event that the contracts have is published, but for that of a report', async () => {
  const worker = new TestWorker({ policy: { dailyLimit: 5 } });
  await worker.settle(batchOf({ m: chunkOf({ reservations: rowsOf([4, 6]) }), bad: '{' }));
  const published = worker.events().map(({ detailType }) => detailType);
  expect([...published, 'Daily Quota Report'].toSorted()).toEqual(Object.keys(eventDetails).toSorted());
});
