import { BookingAccepted, Problem } from '@usher/contracts';
import { keys } from '@usher/limiter-core/bulk/dynamodb';
import { expect, test } from 'vitest';
import { intakeMetrics } from './metrics.ts';
import { damage } from './testing/items.ts';
import { granted, outcomeOf, record } from './testing/ledger.ts';
import { noon, rows, startIntake } from './testing/start-intake.ts';
import { statusOf, submitted } from './testing/status.ts';

test('a decided booking shows every row in the order of submission, with slots and reasons', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 3);
  const outcome = outcomeOf([null, 'daily_quota_exceeded', null], { debtMicros: 2_000_000 });
  await record(intake, { bookingId, chunkIndex: 0, outcome });
  expect(await statusOf(intake, bookingId)).toEqual({
    retryAfter: null,
    page: {
      bookingId,
      accountId: 'acme',
      acceptedAt: noon,
      mode: 'partial',
      window: {
        date: '2026-11-29',
        timezone: 'UTC',
        startsAt: '2026-11-29T00:00:00.000Z',
        resetsAt: '2026-11-30T00:00:00.000Z',
      },
      status: 'decided',
      counts: { total: 3, granted: 2, rejected: 1, pending: 0 },
      reservations: [
        { id: 'r0', decision: 'granted', cost: 1, dispatchAt: '2026-11-29T12:00:00.100Z' },
        { id: 'r1', decision: 'rejected', cost: 1, reason: 'daily_quota_exceeded' },
        { id: 'r2', decision: 'granted', cost: 1, dispatchAt: '2026-11-29T12:00:00.200Z' },
      ],
    },
  });
});

test('an undecided booking says so, asks to come back, and keeps its place', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 3);
  const { page, retryAfter } = await statusOf(intake, bookingId);
  expect(retryAfter).toBe('1');
  expect(page).toMatchObject({
    status: 'pending',
    counts: { total: 3, granted: 0, rejected: 0, pending: 3 },
    reservations: [],
    nextCursor: '0',
  });
});

test('a booking that is not queued in full is accepting', async () => {
  const intake = await startIntake();
  intake.queue.answer(() => new Error('down'));
  await intake.submit({ reservations: rows(1) });
  const [header] = await intake.table.items().then((items) => items.filter(({ sk }) => sk === 'header'));
  expect((await statusOf(intake, String(header?.bookingId))).page.status).toBe('accepting');
});

test('a page stops at the first undecided chunk while counts tell of all', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 300);
  await record(intake, { bookingId, chunkIndex: 0, outcome: outcomeOf(granted(100)) });
  await record(intake, { bookingId, chunkIndex: 2, outcome: outcomeOf(granted(100)), first: 200 });
  const { page } = await statusOf(intake, bookingId);
  expect(page.reservations.length).toBe(100);
  expect(page.nextCursor).toBe('100');
  expect(page.counts).toEqual({ total: 300, granted: 200, rejected: 0, pending: 100 });
  expect((await statusOf(intake, bookingId, '100')).page).toMatchObject({ reservations: [], nextCursor: '100' });
  expect((await statusOf(intake, bookingId, '250')).page).toMatchObject({ reservations: [], nextCursor: '250' });
});

test('a ledger entry without its rows counts as undecided', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 3);
  await record(intake, { bookingId, chunkIndex: 0, outcome: outcomeOf(granted(3)), withRows: false });
  const { page } = await statusOf(intake, bookingId);
  expect(page).toMatchObject({ status: 'pending', counts: { pending: 3 }, reservations: [] });
});

test('pages of a thousand rows hold every row once', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 2550);
  for (let chunk = 0; chunk * 100 < 2550; chunk++) {
    const outcome = outcomeOf(granted(Math.min(100, 2550 - chunk * 100)));
    await record(intake, { bookingId, chunkIndex: chunk, outcome, first: chunk * 100 });
  }
  const seen: string[] = [];
  const sizes: number[] = [];
  let cursor: string | undefined = '';
  while (cursor !== undefined) {
    const { page } = await statusOf(intake, bookingId, cursor);
    sizes.push(page.reservations.length);
    seen.push(...page.reservations.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  expect(sizes).toEqual([1000, 1000, 550]);
  expect(seen).toEqual(rows(2550).map(({ id }) => id));
  expect((await statusOf(intake, bookingId, '150')).page.reservations[0]?.id).toBe('r150');
});

test('in observe mode every row is granted', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 2);
  const outcome = outcomeOf([null, 'exceeds_limit'], { policyMode: 'observe', grantedCost: 2, rejectedCost: 0 });
  await record(intake, { bookingId, chunkIndex: 0, outcome });
  const { page } = await statusOf(intake, bookingId);
  expect(page.counts).toEqual({ total: 2, granted: 2, rejected: 0, pending: 0 });
  expect(page.reservations.map(({ decision }) => decision)).toEqual(['granted', 'granted']);
});

test('a cursor past the end gives an empty page', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 3);
  expect((await statusOf(intake, bookingId, '10000')).page).toMatchObject({ reservations: [], nextCursor: '3' });
  await record(intake, { bookingId, chunkIndex: 0, outcome: outcomeOf(granted(3)) });
  const { page } = await statusOf(intake, bookingId, '10000');
  expect([page.status, page.reservations, page.nextCursor]).toEqual(['decided', [], undefined]);
});

test('a ledger item that cannot be read hides its own rows only, and is told to operators', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 250);
  await record(intake, { bookingId, chunkIndex: 0, outcome: outcomeOf(granted(100)) });
  await record(intake, { bookingId, chunkIndex: 1, outcome: outcomeOf(granted(100)), first: 100 });
  await record(intake, { bookingId, chunkIndex: 2, outcome: outcomeOf(granted(50)), first: 200 });
  await damage(intake, keys.ledger({ bookingId, chunkIndex: 1 }), 'outcome', new Uint8Array([255]));
  const { page } = await statusOf(intake, bookingId);
  expect(page).toMatchObject({ status: 'pending', nextCursor: '100' });
  expect(page.counts).toEqual({ total: 250, granted: 150, rejected: 0, pending: 100 });
  expect(page.reservations.length).toBe(100);
  expect(intake.counts.get(intakeMetrics.unreadableItems)).toBe(1);
  expect(intake.logged).toContainEqual({
    level: 'error',
    message: 'stored item left out',
    fields: expect.objectContaining({
      accountId: 'acme',
      bookingId,
      error: expect.objectContaining({ name: 'CorruptItemError' }),
    }),
  });
});

test('a cursor that no page gave is malformed', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 3);
  for (const cursor of ['-1', '10001', '01', '1.5', 'x', '999999', '%00']) {
    const response = await intake.fetch(`/v1/bookings/${bookingId}?cursor=${cursor}`);
    expect([cursor, response.status]).toEqual([cursor, 400]);
    expect(Problem.assert(await response.json()).type).toBe('/problems/invalid-query');
  }
});

test('unknown bookings are not found, and neither are those whose outcomes are kept no longer', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 3);
  for (const id of [`bk_${'a'.repeat(35)}`, 'bk_1', '__proto__', bookingId.toUpperCase()]) {
    expect((await intake.fetch(`/v1/bookings/${id}`)).status).toBe(404);
  }
  intake.clock.advance(60 * 86_400_000);
  expect((await intake.fetch(`/v1/bookings/${bookingId}`)).status).toBe(404);
});

test("another account's booking is not found, and reading it leaves nothing behind", async () => {
  const intake = await startIntake();
  const accepted = await intake.submit({ reservations: rows(1) });
  const { bookingId } = BookingAccepted.assert(await accepted.json());
  const before = await intake.table.items();
  const response = await intake.fetch(`/v1/bookings/${bookingId}`, { account: 'other' });
  expect([response.status, Problem.assert(await response.json()).type]).toEqual([404, '/problems/not-found']);
  expect(await intake.table.items()).toEqual(before);
});
