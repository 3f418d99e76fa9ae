import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { type DailyQuotaReport, eventDetails } from '@usher/contracts';
import { policyOf, readPolicyFile, type VirtualClock, virtualClock } from '@usher/limiter-core/bulk';
import { allZones } from '@usher/report';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack.ts';
import { type FileBookings, readBookingFiles } from './input/booking-file.ts';
import { rowsAsCsv } from './output/rows-file.ts';
import { awaitDecisions, type DecidedBooking } from './run/decisions.ts';
import { drain, worked } from './run/drain.ts';
import { readEvent, readLedger } from './run/evidence.ts';
import { type Patience, patienceUntil } from './run/patience.ts';
import { submitAll } from './run/submit.ts';
import { expectReport } from './testing/expect-report.ts';
import { localHour } from './testing/local-hour.ts';
import { type AccountPolicy, type RowReport, reportFromRows } from './testing/report-from-rows.ts';

const file = join(import.meta.dirname, '../../../../test/data/flights-5k.csv');
/** Evening of a Saturday on the American west coast, where clocks go forward in the night that follows. */
const startsAt = '2026-03-08T04:00:00.000Z';
/** The last of these zones has ended the Sunday. */
const overAt = '2026-03-09T10:15:00.000Z';
const finalAt = '2026-03-12T10:15:00.000Z';
const dates = ['2026-03-07', '2026-03-08'];
const hourMs = 3_600_000;

const pacific = { timezone: 'America/Los_Angeles' };
const policies = readPolicyFile({
  default: { dailyLimit: 60 },
  accounts: {
    LAX: { ...pacific, dailyLimit: 90 },
    SFO: pacific,
    SAN: { ...pacific, dailyLimit: 1 },
    JFK: { dailyLimit: 2 },
    HNL: { timezone: 'Pacific/Honolulu' },
    PHX: { timezone: 'America/Phoenix' },
    DEN: { timezone: 'America/Denver' },
    DFW: { timezone: 'America/Chicago', mode: 'observe' },
    ORD: { timezone: 'Asia/Kolkata', dailyLimit: 300 },
    'without-bookings': { timezone: 'Asia/Kolkata', dailyLimit: 7 },
  },
});

const patience: Patience = patienceUntil(new AbortController().signal);

let folder: string;
let clock: VirtualClock;
let stack: Stack;
const logged: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usher-flights-'));
  clock = virtualClock(startsAt);
  logged.length = 0;
  const note = (message: string): void => void logged.push(message);
  const log = { info: () => undefined, warn: note, error: note };
  stack = await startStack({ dataDir: folder, port: 0, policies, clock, log });
});
afterEach(async () => {
  await stack.close();
  await rm(folder, { recursive: true });
});

test('reports of real bookings tell what the rows add up to, whatever is replayed', async () => {
  const given = await readBookingFiles([file]);
  const decided = await book(given);
  const bodies = await eventBodies();
  const ledger = await readLedger(stack.clients);
  const counters = new Map();
  const csv = rowsAsCsv(given.rows, { bookings: decided, ledger, counters, events: [], dispatches: [] });
  const rows = new Map(dates.map((date) => [date, reportFromRows(csv, date, accountsOn(date, given))]));
  expectEveryKindOfRow(rows);

  await replay(bodies, 'before-the-report');
  await closeAt(overAt);
  const complete = await runs();
  expect(complete.every((run) => run.endsWith('run-1'))).toBe(true);
  await expectReports(complete, { rows, state: 'complete', run: 1 });
  expectEvents(await eventBodies(), rows);

  for (const name of ['first', 'second']) {
    await replay(bodies, name);
    clock.advance(15 * 60_000);
    await stack.closeDays();
    expect(await runs()).toEqual(complete);
    expect(await eventBodies()).toEqual([]);
  }
  await expectReports(complete, { rows, state: 'complete', run: 1 });

  await closeAt(finalAt);
  const final = (await runs()).filter((run) => dates.some((date) => run.startsWith(date)) && run.endsWith('run-2'));
  expect(final).toHaveLength(complete.length);
  await expectReports(final, { rows, state: 'final', run: 2 });
  const all = await runs();
  await replay(bodies, 'after-the-last-report');
  clock.advance(15 * 60_000);
  await stack.closeDays();
  expect(await runs()).toEqual(all);
  expect((await readdir(stack.reportsDir, { recursive: true })).filter((path) => path.includes('corrections'))).toEqual(
    [],
  );
  expect(logged).toEqual([]);
});

/** Submits the bookings over half a day, a part of them each hour, and sees each part through. */
async function book({ bookings }: FileBookings): Promise<DecidedBooking[]> {
  const partSize = Math.ceil(bookings.length / 12);
  const decided: DecidedBooking[] = [];
  for (let from = 0; from < bookings.length; from += partSize) {
    const submitted = await submitAll(stack.url, bookings.slice(from, from + partSize), {
      concurrency: 16,
      patience,
      onAccepted: () => clock.advance(500),
    });
    decided.push(...(await awaitDecisions(stack.url, submitted, { concurrency: 16, patience, onDecided: () => {} })));
    await worked(stack.clients.sqs, stack.queues.bookings, patience);
    await worked(stack.clients.sqs, stack.queues.report, patience);
    clock.advance(hourMs);
  }
  return decided;
}

/** The accounts whose day of a date was not over when the stack started, with the policies they have. */
function accountsOn(date: string, { rows }: FileBookings): Map<string, AccountPolicy> {
  const ids = new Set([...rows.map(({ accountId }) => accountId), ...policies.overrides.keys()]);
  const accounts = [...ids].map((accountId): [string, AccountPolicy] => {
    const overrides = policies.overrides.get(accountId) ?? {};
    const { timezone, dailyLimit, mode } = policyOf(accountId, policies.defaultPolicy, overrides);
    return [accountId, { timezone, limit: dailyLimit, mode }];
  });
  return new Map(accounts.filter(([, { timezone }]) => localHour(startsAt, timezone).date <= date));
}

/** Requires rows of every kind: a comparison of nothing is worth nothing. */
function expectEveryKindOfRow(rows: ReadonlyMap<string, RowReport>): void {
  const [saturday, sunday] = dates.map((date) => rows.get(date)?.totals);
  expect(saturday).toMatchObject({ activeAccounts: expect.toSatisfy((active: number) => active > 5) });
  expect(Object.keys(sunday?.rejectedByReason ?? {}).sort()).toEqual(['daily_quota_exceeded', 'exceeds_limit']);
  expect(Object.keys(sunday?.wouldRejectByReason ?? {})).toEqual(['daily_quota_exceeded']);
  const hours = rows
    .get('2026-03-08')
    ?.zones.get(pacific.timezone)
    ?.hours.map(({ hour }) => hour);
  expect(hours).toEqual(expect.arrayContaining(['01:00-08:00', '05:00-07:00']));
}

/** Takes every event that the bus has handed out since the last look, as its rule delivered it. */
async function eventBodies(): Promise<string[]> {
  const bodies: string[] = [];
  await drain(stack.clients.sqs, stack.queues.events, (body) => bodies.push(body));
  return bodies;
}

/** Hands events to the report's queue once more, as a replay of the archive does, and waits until they are worked off. */
async function replay(bodies: readonly string[], name: string): Promise<void> {
  const { sqs } = stack.clients;
  const replayed = bodies.map((body, at) => ({
    Id: String(at),
    MessageBody: body.replace(/}$/, `,"replay-name":${JSON.stringify(name)}}`),
  }));
  for (let from = 0; from < replayed.length; from += 10) {
    const Entries = replayed.slice(from, from + 10);
    const { Failed } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: stack.queues.report.url, Entries }));
    expect(Failed ?? []).toEqual([]);
  }
  await worked(sqs, stack.queues.report, patience);
}

async function closeAt(at: string): Promise<void> {
  clock.advance(Date.parse(at) - clock());
  await stack.closeDays();
}

/** The folders of all runs. */
async function runs(): Promise<string[]> {
  const paths = await readdir(stack.reportsDir, { recursive: true });
  return paths.filter((path) => /run-\d+$/.test(path)).sort();
}

async function expectReports(
  folders: readonly string[],
  { rows, ...told }: { rows: ReadonlyMap<string, RowReport>; state: string; run: number },
): Promise<void> {
  const zones = [...rows].flatMap(([date, { zones: own }]) =>
    [allZones, ...own.keys()].map((zone) => `${date} ${zone}`),
  );
  const reports = [];
  for (const run of folders) {
    const report = await expectReport(join(stack.reportsDir, run), rows.get(run.slice(0, 10)) as RowReport);
    expect(report).toMatchObject(told);
    reports.push(`${report.date} ${report.timezone}`);
  }
  expect(reports.sort()).toEqual(zones.sort());
}

/** The events of reports over all zones tell the totals of the rows. */
function expectEvents(bodies: readonly string[], rows: ReadonlyMap<string, RowReport>): void {
  const told = bodies.map(readEvent).flatMap(({ detailType, detail }): DailyQuotaReport['data'][] => {
    if (detailType !== 'Daily Quota Report') return [];
    return [eventDetails[detailType].assert(detail).data];
  });
  for (const [date, { totals }] of rows) {
    const event = told.filter((data) => data.date === date && data.timezone === allZones);
    expect(event.map((data) => data.totals)).toEqual([
      {
        accounts: totals.accounts,
        granted: { count: totals.granted, cost: totals.grantedCost },
        rejected: { count: totals.rejected, cost: totals.rejectedCost, byReason: totals.rejectedByReason },
        ...(totals.wouldReject > 0 && {
          observed: { count: totals.wouldReject, cost: totals.wouldRejectCost, byReason: totals.wouldRejectByReason },
        }),
      },
    ]);
  }
}
