import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BookingAccepted } from '@usher/contracts';
import { DayReport } from '@usher/report';
import { type } from 'arktype';
import { expect, onTestFinished, test } from 'vitest';
import { Consumer } from '../support/books.ts';
import { startChild } from '../support/child.ts';
import { connectWith, noCrash } from '../support/process.ts';
import { messagesIn } from '../support/read-back.ts';
import { untilTrue } from '../support/until.ts';
import type { CloserOrder } from './closer-order.ts';
import { Addresses } from './worker-order.ts';

const date = '2026-11-29';
const dueAtMs = Date.parse('2026-11-30T00:15:00.000Z');
const policies = { default: { dailyLimit: 100, refillPerSecond: 1_000, burst: 1_000 } };
const Running = type('string.json.parse').to(type(Addresses, '&', { url: 'string' }));

/** The steps at which one start after the other dies, in the order in which a closer comes to them. */
const deaths: NonNullable<CloserOrder['dies']>[] = [
  { in: `${date}/UTC/run-1/accounts/` },
  { in: `${date}/UTC/run-1/report.json` },
  { in: `${date}/UTC/run-1/report.html` },
  { before: 'sealing' },
  { before: 'telling' },
  { before: 'noting' },
  { in: `${date}/all/run-1/report.json` },
];

const startStack = (order: Omit<CloserOrder, 'policies'>) =>
  startChild(new URL('./closer-process.ts', import.meta.url), { ...order, policies });

/** Lets two accounts spend a day in a folder, all of it decided and stored for the report, and kills the stack. */
async function spendDay(dataDir: string): Promise<void> {
  const child = startStack({ dataDir, startsAtMs: Date.parse(`${date}T12:00:00.000Z`) });
  const { url, urls, queues } = Running.assert(await child.firstLine());
  for (const [accountId, rows] of [
    ['ada', 150],
    ['bob', 20],
  ] as const) {
    const headers = {
      Authorization: `Bearer dev:${accountId}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': 'key-1',
    };
    const body = JSON.stringify({
      reservations: Array.from({ length: rows }, (_, row) => ({ id: `r${row}`, cost: 1 })),
    });
    const answer = await fetch(`${url}/v1/bookings`, { method: 'POST', headers, body });
    BookingAccepted.assert(await answer.json());
  }
  const { clients, destroy } = connectWith(urls, {}, noCrash);
  onTestFinished(destroy);
  for (const queue of [queues.bookings, queues.report]) {
    await untilTrue(`${queue.url} is empty`, async () => (await messagesIn(clients, queue.url)) === 0);
  }
  await child.kill();
}

/** The files below a folder of reports by path: those in their place, and those that were being written. */
async function filesBelow(reports: string): Promise<{ placed: Map<string, string>; parts: string[] }> {
  const placed = new Map<string, string>();
  const parts: string[] = [];
  for (const entry of await readdir(reports, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if (entry.name.endsWith('.part')) parts.push(path);
    else placed.set(path.slice(reports.length + 1), await readFile(path, 'utf8'));
  }
  return { placed, parts };
}

/** A file that ends as its kind does. */
function isWhole(path: string, text: string): boolean {
  if (path.endsWith('.json')) return type('string.json.parse').allows(text);
  return text.endsWith(path.endsWith('.csv') ? '\r\n' : '</html>\n');
}

/** All that a report says, but for the instants at which it looked. */
function saidBy(text: string | undefined): object {
  const {
    generatedAt: _,
    deadLetters,
    accounts,
    totals,
    zones,
    ...said
  } = type('string.json.parse').to(DayReport).assert(text);
  const blank = <T extends { backlog: unknown }>({ backlog, ...rest }: T) => rest;
  return {
    ...said,
    deadLetters: deadLetters.map(({ queue, messages }) => ({ queue, messages })),
    accounts: accounts.map(blank),
    totals: blank(totals),
    zones: zones.map(blank),
  };
}

test('a stack that is killed at any step of closing a day finishes the same report at its next start, told once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'usher-closing-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [undisturbed, killed] = [join(folder, 'undisturbed'), join(folder, 'killed')];
  await spendDay(undisturbed);
  await cp(undisturbed, killed, { recursive: true });
  const control = startStack({ dataDir: undisturbed, startsAtMs: dueAtMs });
  await control.firstLine();
  await control.kill();
  const expected = await filesBelow(join(undisturbed, 'reports'));
  expect(expected.parts).toEqual([]);

  const reports = join(killed, 'reports');
  let halves = 0;
  for (const [start, dies] of deaths.entries()) {
    // A minute apart: what one has claimed the next one takes over, and waits for no lease.
    const child = startStack({ dataDir: killed, startsAtMs: dueAtMs + start * 60_000, dies });
    const end = child.firstLine().then(
      () => 'has closed all that is due',
      () => child.ended,
    );
    expect([dies, await end]).toEqual([dies, 'SIGKILL']);
    const { placed, parts } = await filesBelow(reports);
    if (dies.in !== undefined) halves++;
    expect(parts).toHaveLength(halves);
    for (const [path, text] of placed) expect([path, isWhole(path, text)]).toEqual([path, true]);
  }
  const last = startStack({ dataDir: killed, startsAtMs: dueAtMs + deaths.length * 60_000 });
  const { urls, queues } = Running.assert(await last.firstLine());

  const { placed } = await filesBelow(reports);
  expect([...placed.keys()].sort()).toEqual([...expected.placed.keys()].sort());
  for (const zone of ['UTC', 'all']) {
    const run = `${date}/${zone}/run-1`;
    expect(saidBy(placed.get(`${run}/report.json`))).toEqual(saidBy(expected.placed.get(`${run}/report.json`)));
    expect(placed.get(`${run}/billing.csv`)).toBe(expected.placed.get(`${run}/billing.csv`));
  }
  expect(DayReport.assert(JSON.parse(placed.get(`${date}/all/run-1/report.json`) ?? '')).accounts).toMatchObject([
    { accountId: 'ada', used: 100, granted: 100, rejected: 50 },
    { accountId: 'bob', used: 20, granted: 20, rejected: 0 },
  ]);

  const { clients, destroy } = connectWith(urls, {}, noCrash);
  onTestFinished(destroy);
  const consumer = new Consumer();
  // Of two events under one id it fails where they differ.
  await consumer.drain(clients, queues, Number.POSITIVE_INFINITY);
  const told = [...consumer.events.values()].flatMap((event) =>
    event.detailType === 'Daily Quota Report' ? [event.detail] : [],
  );
  expect(told.map(({ metadata: { id } }) => [id, consumer.times.get(id)])).toEqual([
    [`${date}#UTC#report#1`, 2],
    [`${date}#all#report#1`, 1],
  ]);
  for (const { name, sha256 } of told.flatMap(({ data }) => data.files)) {
    expect([
      name,
      createHash('sha256')
        .update(placed.get(name) ?? '')
        .digest('hex'),
    ]).toEqual([name, sha256]);
  }
});
