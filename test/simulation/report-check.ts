import { dayShardOf } from '@usher/contracts';
import { amounts, builtInPolicy, type LedgerEntry } from '@usher/limiter-core/bulk';
import { allZones, createReport, makeReport, type ReportPorts } from '@usher/report';
import { MemoryEventFacts, MemoryReportFiles, MemoryRuns } from '@usher/report/testing';
import { silentMeter } from '@usher/service';
import type { SQSRecord } from 'aws-lambda';
import { type DayFigures, reportDifferences } from '../support/report-differences.ts';
import { silentLog } from '../support/silent-log.ts';
import { type Settlement, walkSettlements } from './settlements.ts';
import { dayMs } from './times.ts';
import type { World } from './world.ts';

/** Events that the queue hands to the consumer at once. */
const batchSize = 10;

/**
 * Books = report: the report service is given every event that the bus took, as often as it took it, the last one first, and then
 * all of them once more as a replay. Its report of each day must tell what was settled, account by account.
 */
export async function checkReports(world: World): Promise<void> {
  const violate = (message: string): void => world.violate(7, message);
  const settled = [...walkSettlements(world.history, () => undefined)].flatMap(([accountId, own]) =>
    [...own.values()].map((settlement) => ({ accountId, ...settlement })),
  );
  const ports = portsFor(settled);
  await consumeAll(ports, world, violate);
  for (const [date, own] of Map.groupBy(settled, ({ message }) => message.window.date)) {
    const nowMs = Date.parse(date) + 2 * dayMs;
    const run = { run: 1, nowMs, deadLetters: [], carries: [] };
    const report = await makeReport(ports, { date, timezone: allZones }, run);
    const accounts = Map.groupBy(own, ({ accountId }) => accountId);
    const days = new Map([...accounts].map(([accountId, ofAccount]) => [accountId, figuresOf(ofAccount)]));
    for (const difference of reportDifferences(report, days)) violate(difference);
  }
}

type Settled = Settlement & { readonly accountId: string };

function figuresOf(settled: readonly Settled[]): DayFigures {
  const sum = (of: 'granted' | 'rejected', part: 'count' | 'cost'): number =>
    settled.reduce((total, { outcome }) => total + amounts(outcome)[of][part], 0);
  return {
    granted: sum('granted', 'count'),
    grantedCost: sum('granted', 'cost'),
    rejected: sum('rejected', 'count'),
    rejectedCost: sum('rejected', 'cost'),
    bookings: new Set(settled.map(({ message }) => message.bookingId)).size,
  };
}

async function consumeAll(ports: ReportPorts, { history }: World, violate: (message: string) => void): Promise<void> {
  const { consume } = createReport(ports);
  const messages = history.events.map(({ detailType, detail, atMs }, at) => ({
    id: `e-${at}`,
    detailType,
    detail,
    atMs,
  }));
  for (const replay of [undefined, 'replay']) {
    for (let at = 0; at < messages.length; at += batchSize) {
      const Records = messages
        .toReversed()
        .slice(at, at + batchSize)
        .map((message) => record(message, replay));
      const { batchItemFailures } = await consume({ Records });
      for (const { itemIdentifier } of batchItemFailures)
        violate(`the report's consumer cannot store ${itemIdentifier}`);
    }
  }
}

function record(
  { id, detailType, detail, atMs }: { id: string; detailType: string; detail: string; atMs: number },
  replay: string | undefined,
): SQSRecord {
  const of = replay === undefined ? '' : `,"replay-name":"${replay}"`;
  return {
    messageId: `${id} ${detailType}`,
    receiptHandle: id,
    body: `{"id":"${id}","detail-type":"${detailType}","detail":${detail}${of}}`,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: String(atMs),
      SenderId: 'events',
      ApproximateFirstReceiveTimestamp: String(atMs),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:usher-report',
    awsRegion: 'eu-central-1',
  };
}

/** Ports in memory: bookings and the ledger as they were settled; accounts are not read, their counters are checked elsewhere. */
function portsFor(settled: readonly Settled[]): ReportPorts {
  const bookings = [...new Map(settled.map((one) => [one.message.bookingId, one])).values()];
  return {
    facts: new MemoryEventFacts(),
    files: new MemoryReportFiles(),
    runs: new MemoryRuns(),
    days: {
      async *bookings(date, shard) {
        for (const { accountId, message } of bookings) {
          if (message.window.date !== date || dayShardOf(accountId) !== shard) continue;
          const { bookingId, acceptedAt } = message;
          yield { accountId, bookingId, acceptedAt, ...message.window, rows: 0, chunks: 0 };
        }
      },
      async *policies() {},
      headers: async () => new Map(),
      accounts: async () => new Map(),
      ledger: async (bookingId) =>
        settled.filter(({ message }) => message.bookingId === bookingId).map((one) => entryOf(one)),
    },
    publish: async () => undefined,
    deadLetters: async () => [],
    defaultPolicy: builtInPolicy,
    clock: () => 0,
    randomId: () => 'simulation',
    log: silentLog,
    meter: silentMeter,
  };
}

function entryOf({ chunkId, accountId, outcome, message }: Settled): LedgerEntry {
  const at = chunkId.lastIndexOf('#');
  return {
    bookingId: chunkId.slice(0, at),
    chunkIndex: Number(chunkId.slice(at + 1)),
    accountId,
    outcome,
    rows: message.reservations,
  };
}
