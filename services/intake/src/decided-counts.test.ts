import { keys } from '@usher/limiter-core/bulk/dynamodb';
import { expect, test } from 'vitest';
import { intakeMetrics } from './metrics.ts';
import { damage, headerOf } from './testing/items.ts';
import { granted, outcomeOf, record } from './testing/ledger.ts';
import { list, submitMany } from './testing/lists.ts';
import { startIntake } from './testing/start-intake.ts';
import { statusOf, submitted } from './testing/status.ts';

test('a ledger of more rows than the booking has is no count to keep', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 3);
  await record(intake, { bookingId, chunkIndex: 0, outcome: outcomeOf(granted(4)) });
  await statusOf(intake, bookingId);
  expect((await headerOf(intake, bookingId)).counts).toBeUndefined();
  expect(intake.counts.get(intakeMetrics.unreadableItems)).toBe(1);
});

test('the first page of a decided booking leaves the counts on its header, once', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 3);
  await statusOf(intake, bookingId);
  expect((await headerOf(intake, bookingId)).counts).toBeUndefined();
  const outcome = outcomeOf([null, 'daily_quota_exceeded', null]);
  await record(intake, { bookingId, chunkIndex: 0, outcome });
  intake.requests.length = 0;
  await statusOf(intake, bookingId);
  expect((await headerOf(intake, bookingId)).counts).toEqual({ granted: 2, rejected: 1 });
  await statusOf(intake, bookingId);
  expect(intake.requests.filter((command) => command === 'UpdateItemCommand')).toHaveLength(1);
});

test('a page is answered though the counts could not be kept', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 3);
  await record(intake, { bookingId, chunkIndex: 0, outcome: outcomeOf(granted(3)) });
  intake.fault((command) => (command === 'UpdateItemCommand' ? 'refused' : undefined));
  expect((await statusOf(intake, bookingId)).page.status).toBe('decided');
  const warnings = intake.logged.filter(({ level }) => level !== 'info');
  expect(warnings).toMatchObject([{ level: 'warn', message: 'counts not kept', fields: { bookingId } }]);
});

test('a ledger is counted once: from then on the header tells', async () => {
  const intake = await startIntake();
  const [bookingId = ''] = await submitMany(intake, 1);
  await record(intake, { bookingId, chunkIndex: 0, outcome: outcomeOf(granted(100)) });
  await record(intake, { bookingId, chunkIndex: 1, outcome: outcomeOf(granted(50)) });
  const first = await list(intake);
  expect((await headerOf(intake, bookingId)).counts).toEqual({ granted: 150, rejected: 0 });
  intake.requests.length = 0;
  expect(await list(intake)).toEqual(first);
  expect(intake.requests).toEqual(['QueryCommand', 'BatchGetItemCommand']);
});

test('of an undecided booking what is counted is kept every ten chunks, and read no more', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 2500);
  for (let chunk = 0; chunk < 12; chunk++) {
    await record(intake, { bookingId, chunkIndex: chunk, outcome: outcomeOf(granted(100)), first: chunk * 100 });
  }
  const first = await statusOf(intake, bookingId);
  expect(first.page).toMatchObject({ status: 'pending', counts: { granted: 1200, rejected: 0, pending: 1300 } });
  expect(await headerOf(intake, bookingId)).toMatchObject({
    countedChunks: 12,
    counts: { granted: 1200, rejected: 0 },
  });
  const outcome = outcomeOf([...granted(99), 'exceeds_limit']);
  await record(intake, { bookingId, chunkIndex: 12, outcome, first: 1200 });
  const { page } = await statusOf(intake, bookingId, '1200');
  expect(page.counts).toEqual({ total: 2500, granted: 1299, rejected: 1, pending: 1200 });
  expect(page.reservations.length).toBe(100);
  expect((await headerOf(intake, bookingId)).countedChunks).toBe(12);
});

test('to a list, a booking whose last chunk is undecided costs one look at that chunk, whatever is decided before', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 250);
  await record(intake, { bookingId, chunkIndex: 0, outcome: outcomeOf(granted(100)) });
  intake.requests.length = 0;
  expect((await list(intake)).bookings).toMatchObject([{ bookingId, status: 'pending' }]);
  expect(intake.requests).toEqual(['QueryCommand', 'BatchGetItemCommand', 'QueryCommand']);
});

test('what the header counts a list reads no more, when the rest is decided', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 1250);
  const decideUpTo = async (from: number, to: number): Promise<void> => {
    for (let chunk = from; chunk < to; chunk++) {
      const outcome = outcomeOf(granted(chunk === 12 ? 50 : 100));
      await record(intake, { bookingId, chunkIndex: chunk, outcome, first: chunk * 100 });
    }
  };
  await decideUpTo(0, 11);
  await statusOf(intake, bookingId);
  expect((await headerOf(intake, bookingId)).countedChunks).toBe(11);
  await decideUpTo(11, 13);
  const asked: string[] = [];
  intake.fault((command, input) => {
    if (command === 'QueryCommand') asked.push(...(JSON.stringify(input).match(/c#\d{5}/g) ?? []));
    return undefined;
  });
  expect((await list(intake)).bookings).toMatchObject([{ status: 'decided', granted: 1250, rejected: 0 }]);
  expect(asked).toEqual(['c#00012', 'c#00012', 'c#00011', 'c#00011']);
});

const lost = [
  { chunk: 0, counts: { granted: 150, pending: 100 }, nextCursor: '0' },
  { chunk: 1, counts: { granted: 150, pending: 100 }, nextCursor: '100' },
  { chunk: 2, counts: { granted: 200, pending: 50 }, nextCursor: '200' },
];

test.each(lost)(
  'chunk $chunk of three, counted and unreadable now, is undecided, and no count of it holds',
  async (given) => {
    const intake = await startIntake();
    const bookingId = await submitted(intake, 250);
    for (const [chunk, count] of [100, 100, 50].entries()) {
      await record(intake, { bookingId, chunkIndex: chunk, outcome: outcomeOf(granted(count)), first: chunk * 100 });
    }
    expect((await statusOf(intake, bookingId)).page.status).toBe('decided');
    await damage(intake, keys.ledger({ bookingId, chunkIndex: given.chunk }), 'outcome', new Uint8Array([255]));
    const { page } = await statusOf(intake, bookingId);
    expect(page).toMatchObject({ status: 'pending', counts: given.counts, nextCursor: given.nextCursor });
    expect((await headerOf(intake, bookingId)).countedChunks).toBe(3);
  },
);
