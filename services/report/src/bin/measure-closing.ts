import { bookingIdOf, bookingKeyFor, cutText, dayShardOf, dayShards, eventIds, rowCountsOf } from '@usher/contracts';
import {
  builtInPolicy,
  type LedgerEntry,
  newAccount,
  systemClock,
  toRfc3339,
  virtualClock,
  windowOn,
} from '@usher/limiter-core/bulk';
import { silentMeter } from '@usher/service';
import { close } from '../close/close.ts';
import { readUsage, toUsageItem } from '../dynamodb/fact-items.ts';
import type { ReportPorts } from '../ports.ts';
import type { DayBooking } from '../store/days.ts';
import type { UsageFact } from '../store/event-facts.ts';
import { MemoryRuns } from '../store/memory-runs.ts';

/**
 * Seconds and peak memory of a closer of ten thousand accounts with a hundred chunks each. Stores and files are made up as they
 * are asked for, in the very items that the tables hold, so that what is measured is the closer alone.
 */
const accounts = 10_000;
const chunks = 100;
const date = '2026-11-29';
const window = windowOn(date, 'UTC');
const noonMs = Date.parse(`${date}T12:00:00.000Z`);
const rowCost = 3;
const rowCount = 100;
const cut = cutText(Array<number>(chunks).fill(rowCount));

const ids = Array.from({ length: accounts }, (_, at) => `agency-${String(at).padStart(5, '0')}`);
const bookingOf = (accountId: string): string => bookingIdOf(bookingKeyFor(accountId, 'key'), noonMs);

function usageItem(accountId: string, chunk: number): Record<string, unknown> {
  const bookingId = bookingOf(accountId);
  const fact: UsageFact = {
    accountId,
    event: {
      metadata: { id: eventIds.usage({ bookingId, chunkIndex: chunk }) },
      data: {
        bookingId,
        chunk,
        window,
        limit: 100_000,
        acceptedAt: toRfc3339(noonMs + chunk),
        decidedAt: toRfc3339(noonMs + chunk + 250),
        mode: 'enforce',
        granted: { count: rowCount, cost: rowCount * rowCost },
        rejected: { byReason: {} },
      },
    },
    delivery: { id: '00000000-0000-4000-8000-000000000000', isReplay: false, receivedAtMs: noonMs + chunk + 500 },
  };
  return toUsageItem(fact);
}

function ledgerOf(bookingId: string, accountId: string): LedgerEntry[] {
  return Array.from({ length: chunks }, (_, chunkIndex) => ({
    bookingId,
    chunkIndex,
    accountId,
    outcome: {
      digest: '0'.repeat(32),
      date,
      reasons: Array<null>(rowCount).fill(null),
      usedBefore: 0,
      grantedCost: rowCount * rowCost,
      rejectedCost: 0,
      limit: 100_000,
      limitBefore: null,
      debtMicros: 0,
      refillPerSecond: 10,
      burst: 20,
      policyMode: 'enforce' as const,
      thresholds: [],
      settledAtMs: noonMs,
    },
    rows: Array.from({ length: rowCount }, (_, row) => ({ id: `row-${row}`, cost: rowCost })),
  }));
}

const owners = new Map(ids.map((accountId) => [bookingOf(accountId), accountId]));
const used = chunks * rowCount * rowCost;
const bytes = { files: 0, written: 0 };
const clock = virtualClock('2026-11-30T00:15:00.000Z');

const ports: ReportPorts = {
  facts: {
    put: async () => new Map(),
    noteAccounts: async () => undefined,
    noteLate: async () => undefined,
    usage: async (accountId, of) =>
      of === date
        ? Array.from({ length: chunks }, (_, chunk) => readUsage({ accountId, date }, usageItem(accountId, chunk)))
        : [],
    quarantined: async () => [],
    async *accounts() {},
    marks: async () => [],
  },
  days: {
    async *bookings(of, shard) {
      if (of !== date) return;
      for (const accountId of ids) {
        if (dayShardOf(accountId) !== shard) continue;
        const booking: DayBooking = {
          accountId,
          bookingId: bookingOf(accountId),
          acceptedAt: toRfc3339(noonMs),
          timezone: 'UTC',
          startsAt: window.startsAt,
          resetsAt: window.resetsAt,
          rows: rowCount * chunks,
          chunks: rowCountsOf(cut).length,
        };
        yield booking;
      }
    },
    async *policies() {},
    headers: async () => new Map(),
    accounts: async (accountIds) => {
      const usage = new Map([[date, { used, rejected: 0, over: 0, limit: 100_000 }]]);
      return new Map(accountIds.map((id) => [id, { state: { ...newAccount, usage }, policy: builtInPolicy }]));
    },
    ledger: async (bookingId) => ledgerOf(bookingId, owners.get(bookingId) ?? ''),
  },
  files: {
    put: async (_path, { content }) => {
      bytes.files++;
      for await (const piece of content) bytes.written += Buffer.byteLength(piece);
    },
    read: async () => undefined,
  },
  runs: new MemoryRuns(),
  publish: async () => undefined,
  deadLetters: async () => [],
  defaultPolicy: builtInPolicy,
  clock,
  randomId: () => 'measure',
  log: { info: () => undefined, warn: () => undefined, error: (message, fields) => console.error(message, fields) },
  meter: silentMeter,
};

const beganMs = systemClock();
const { told } = await close(ports);
const seconds = (systemClock() - beganMs) / 1000;
const peakMb = process.resourceUsage().maxRSS / 1024;
console.log(
  `${told.length} reports of ${accounts} accounts × ${chunks} chunks, ${dayShards} shards: ${seconds.toFixed(1)} s, ` +
    `at most ${peakMb.toFixed(0)} MB; ${bytes.files} files, ${(bytes.written / 1e6).toFixed(0)} MB`,
);
