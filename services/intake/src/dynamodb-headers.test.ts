import { BookingAccepted } from '@usher/contracts';
import { expect, test } from 'vitest';
import { DynamoDbHeaders } from './dynamodb-headers.ts';
import { tableName } from './testing/dynalite-table.ts';
import { headerOf, headersIn } from './testing/items.ts';
import { noon, rows, startIntake, type TestIntake } from './testing/start-intake.ts';

async function submitted(intake: TestIntake, count: number): Promise<string> {
  const response = await intake.submit({ reservations: rows(count) });
  return BookingAccepted.assert(await response.json()).bookingId;
}

test('a header is stored in one form', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 230);
  const [item] = (await intake.table.items()).filter(({ sk }) => sk === 'header');
  expect(item).toEqual({
    pk: 'booking#bk_uhqo3wzdj7abpcrstvlg4cuuaf',
    sk: 'header',
    bookingId: 'bk_uhqo3wzdj7abpcrstvlg4cuuafbuits2jqa',
    accountId: 'acme',
    acceptedAt: noon,
    window: {
      date: '2026-11-29',
      timezone: 'UTC',
      startsAt: '2026-11-29T00:00:00.000Z',
      resetsAt: '2026-11-30T00:00:00.000Z',
    },
    mode: 'partial',
    total: 230,
    cut: '100x2,30',
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    state: 'accepted',
    nonce: expect.any(String),
    expiresAt: Date.parse('2027-02-27T12:00:00.000Z') / 1000,
    listAccountId: 'acme',
    listKey: `${noon}#${bookingId}`,
    dayKey: '2026-11-29#15',
    daySort: 'acme#bk_uhqo3wzdj7abpcrstvlg4cuuafbuits2jqa',
  });
});

test('fewer chunks never take the place of more, nor those of a booking that had the key before', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 300);
  const header = await headerOf(intake, bookingId);
  const { client } = intake.table;
  const headers = new DynamoDbHeaders({ client, tableName, retry: { sleep: async () => undefined, random: () => 0 } });
  expect(await headers.keepCounts(header, { chunks: 2, granted: 200, rejected: 0 })).toBe(true);
  expect(await headers.keepCounts(header, { chunks: 1, granted: 100, rejected: 0 })).toBe(false);
  const before = { ...header, acceptedAt: '2026-08-01T00:00:00.000Z' };
  expect(await headers.keepCounts(before, { chunks: 3, granted: 300, rejected: 0 })).toBe(false);
  expect((await headerOf(intake, bookingId)).countedChunks).toBe(2);
});

test('no attempt changes the header of another instant, even under its own nonce', async () => {
  const intake = await startIntake();
  intake.queue.answer(() => new Error('down'));
  await intake.submit({ reservations: rows(1) });
  const [header] = await headersIn(intake);
  if (header === undefined) throw new Error('there is no header');
  const { client } = intake.table;
  const headers = new DynamoDbHeaders({ client, tableName, retry: { sleep: async () => undefined, random: () => 0 } });
  const before = { ...header, acceptedAt: '2026-08-01T00:00:00.000Z' };
  expect(await headers.markAccepted(before)).toBe(false);
  expect(await headers.giveUp(before)).toBe(false);
  expect(await headers.takeOver(before, { nonce: 'mine', leaseUntilMs: 1 })).toBe(false);
  expect(await headersIn(intake)).toEqual([header]);
});

test('the lease of an accepted booking can be neither taken over nor given up, even by its own attempt', async () => {
  const intake = await startIntake();
  const bookingId = await submitted(intake, 1);
  const accepted = await headerOf(intake, bookingId);
  const { client } = intake.table;
  const headers = new DynamoDbHeaders({ client, tableName, retry: { sleep: async () => undefined, random: () => 0 } });
  const seen = { ...accepted, state: 'accepting', leaseUntilMs: 0 } as const;
  expect(await headers.takeOver(seen, { nonce: 'mine', leaseUntilMs: 1 })).toBe(false);
  expect(await headers.giveUp(seen)).toBe(false);
  expect(await headerOf(intake, bookingId)).toEqual(accepted);
});
