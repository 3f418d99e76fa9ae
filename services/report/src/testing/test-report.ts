import { bookingIdOf, bookingKeyFor, eventIds, type UsherEvent } from '@usher/contracts';
import {
  builtInPolicy,
  MemoryAccountStore,
  type Outcome,
  type Policy,
  type RejectReason,
  toRfc3339,
  type VirtualClock,
  virtualClock,
  windowAt,
} from '@usher/limiter-core/bulk';
import { type LogEntry, recordingLog, recordingMeter } from '@usher/service/testing';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { createReport, type ReportService } from '../create-report.ts';
import { DayReport } from '../model/report.ts';
import type { ReportPorts } from '../ports.ts';
import { MemoryDays } from '../store/memory-days.ts';
import { MemoryEventFacts } from '../store/memory-event-facts.ts';
import { MemoryReportFiles } from '../store/memory-report-files.ts';
import { MemoryRuns } from '../store/memory-runs.ts';

/** A booking of one chunk or more, as a test tells it. */
export interface ToldBooking {
  readonly accountId?: string;
  readonly key?: string;
  /** @default noon */
  readonly acceptedAt?: string;
  /** The rows of each chunk: a cost and what speaks against it. */
  readonly chunks?: readonly (readonly (readonly [cost: number, reason: RejectReason | null])[])[];
  readonly timezone?: string;
  /** Chunks of the header that are never decided, behind those that are. */
  readonly stuck?: number;
  readonly state?: 'accepting' | 'accepted';
}

export const date = '2026-11-29';
export const noon = `${date}T12:00:00.000Z`;
/** A quarter of an hour after the day's end in UTC: its report is due. */
export const due = '2026-11-30T00:15:00.000Z';

/** The report service on ports in memory, and a small world that it reports of. */
export class TestReport {
  readonly clock: VirtualClock = virtualClock(noon);
  readonly accounts = new MemoryAccountStore();
  readonly days = new MemoryDays({ accounts: this.accounts, defaultPolicy: builtInPolicy });
  readonly facts = new MemoryEventFacts();
  readonly files = new MemoryReportFiles();
  readonly runs = new MemoryRuns();
  readonly published: UsherEvent[] = [];
  readonly logged: LogEntry[] = [];
  readonly metrics = new Map<string, number>();
  /** Messages in the queues of dead letters. */
  dead: { queue: string; messages: number }[] = [];
  #service: ReportService;
  #deliveries = 0;

  constructor() {
    this.#service = createReport(this.ports());
  }

  /** The ports, with others in place of some. */
  ports(others: Partial<ReportPorts> = {}): ReportPorts {
    return {
      facts: this.facts,
      days: this.days,
      files: this.files,
      runs: this.runs,
      publish: async (event) => void this.published.push(event),
      deadLetters: async () => this.dead,
      defaultPolicy: builtInPolicy,
      clock: this.clock,
      randomId: () => `attempt-${++this.#deliveries}`,
      log: recordingLog(this.logged),
      meter: recordingMeter(this.metrics),
      ...others,
    };
  }

  /** Another process in place of this one; what it kept in memory is gone. */
  restart(others: Partial<ReportPorts> = {}): void {
    this.#service = createReport(this.ports(others));
  }

  /** Moves the clock to an instant and runs the closer. */
  async closeAt(at: string): Promise<string[]> {
    this.clock.advance(Date.parse(at) - this.clock());
    const { told } = await this.#service.close();
    return told.map(({ date: of, timezone }) => `${of} ${timezone}`);
  }

  /** Settles a booking as intake and worker would; answers its usage events. */
  async book(told: ToldBooking = {}): Promise<UsherEvent[]> {
    const { accountId = 'acme', key = 'key-1', acceptedAt = noon, timezone = 'UTC', stuck = 0 } = told;
    const chunks = told.chunks ?? [[[3, null]]];
    const acceptedAtMs = Date.parse(acceptedAt);
    const bookingId = bookingIdOf(bookingKeyFor(accountId, key), acceptedAtMs);
    const window = windowAt(acceptedAtMs, timezone);
    this.days.setBooking({
      accountId,
      bookingId,
      acceptedAt,
      ...window,
      rows: chunks.flat().length + stuck,
      chunks: chunks.length + stuck,
      state: told.state ?? 'accepted',
    });
    const events: UsherEvent[] = [];
    for (const [chunkIndex, rows] of chunks.entries()) {
      const cost = (is: (reason: RejectReason | null) => boolean): number =>
        rows.reduce((sum, [one, reason]) => sum + (is(reason) ? one : 0), 0);
      const granted = cost((reason) => reason === null);
      const rejected = cost((reason) => reason !== null);
      const stored = (await this.accounts.readAccounts([accountId])).get(accountId);
      const usedBefore = stored?.state.usage.get(window.date)?.used ?? 0;
      const outcome: Outcome = {
        digest: '0'.repeat(32),
        date: window.date,
        reasons: rows.map(([, reason]) => reason),
        usedBefore,
        grantedCost: granted,
        rejectedCost: rejected,
        limit: builtInPolicy.dailyLimit,
        limitBefore: null,
        debtMicros: 0,
        refillPerSecond: builtInPolicy.refillPerSecond,
        burst: builtInPolicy.burst,
        policyMode: 'enforce',
        thresholds: [],
        settledAtMs: acceptedAtMs + 250,
      };
      await this.accounts.writeAccount({
        accountId,
        seenRev: stored?.state.rev ?? null,
        enforced: false,
        windows: new Map([[window.date, { granted, rejected, over: 0, limit: outcome.limit }]]),
        history: undefined,
        endedDates: [],
        bucket: undefined,
        receipt: new Map(),
        prunedReceipts: [],
      });
      const ledgerRows = rows.map(([one], row) => ({ id: `r${row}`, cost: one }));
      await this.accounts.writeLedger([{ bookingId, chunkIndex, accountId, outcome, rows: ledgerRows }]);
      events.push(usageOf({ accountId, bookingId, chunkIndex, window, outcome, rows }));
    }
    return events;
  }

  /** A message with an event, as EventBridge puts it into the queue at the clock's instant. */
  message(event: UsherEvent, { replay }: { readonly replay?: string } = {}): SQSRecord {
    const id = `delivery-${++this.#deliveries}`;
    return record(id, this.clock(), {
      id,
      'detail-type': event.detailType,
      detail: event.detail,
      ...(replay === undefined ? {} : { 'replay-name': replay }),
    });
  }

  async consume(...Records: SQSRecord[]): Promise<SQSBatchResponse> {
    const event: SQSEvent = { Records };
    return this.#service.consume(event);
  }

  async deliver(events: readonly UsherEvent[], options: { readonly replay?: string } = {}): Promise<void> {
    const { batchItemFailures } = await this.consume(...events.map((event) => this.message(event, options)));
    if (batchItemFailures.length > 0) throw new Error('an event was not stored');
  }

  /** The newest report of a day. */
  async report(timezone = 'UTC', of = date): Promise<DayReport> {
    const { sealed } = await this.runs.read({ date: of, timezone });
    return DayReport.assert(JSON.parse(this.files.texts.get(`${sealed?.folder}/report.json`) ?? ''));
  }

  /** The ids of the events published, with their repeats. */
  publishedIds(): string[] {
    return this.published.map(({ detail }) => detail.metadata.id);
  }
}

export function record(messageId: string, sentAtMs: number, body: object | string): SQSRecord {
  return {
    messageId,
    receiptHandle: messageId,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: String(sentAtMs),
      SenderId: 'events',
      ApproximateFirstReceiveTimestamp: String(sentAtMs),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:usher-report',
    awsRegion: 'eu-central-1',
  };
}

interface DecidedChunk {
  readonly accountId: string;
  readonly bookingId: string;
  readonly chunkIndex: number;
  readonly window: ReturnType<typeof windowAt>;
  readonly outcome: Outcome;
  readonly rows: readonly (readonly [cost: number, reason: RejectReason | null])[];
}

function usageOf({ accountId, bookingId, chunkIndex, window, outcome, rows }: DecidedChunk): UsherEvent {
  const byReason: Partial<Record<RejectReason, { count: number; cost: number }>> = {};
  for (const [cost, reason] of rows) {
    if (reason === null) continue;
    const { count, cost: sum } = byReason[reason] ?? { count: 0, cost: 0 };
    byReason[reason] = { count: count + 1, cost: sum + cost };
  }
  const rejectedCount = rows.filter(([, reason]) => reason !== null).length;
  return {
    detailType: 'Quota Usage Recorded',
    detail: {
      metadata: {
        id: eventIds.usage({ bookingId, chunkIndex }),
        occurredAt: toRfc3339(outcome.settledAtMs),
        schemaVersion: 1,
        correlationId: bookingId,
      },
      data: {
        accountId,
        bookingId,
        chunk: chunkIndex,
        acceptedAt: toRfc3339(outcome.settledAtMs - 250),
        decidedAt: toRfc3339(outcome.settledAtMs),
        window,
        limit: outcome.limit,
        used: outcome.usedBefore + outcome.grantedCost,
        mode: 'enforce' satisfies Policy['mode'],
        granted: { count: rows.length - rejectedCount, cost: outcome.grantedCost },
        rejected: { count: rejectedCount, cost: outcome.rejectedCost, byReason },
      },
    },
  };
}

/** The event of a chunk that was put aside. */
export function quarantined(of: {
  readonly accountId?: string;
  readonly bookingId?: string;
  readonly chunk?: number;
  readonly occurredAt?: string;
  readonly messageId?: string;
}): UsherEvent {
  const { occurredAt = noon, messageId = 'message-1', ...data } = of;
  return {
    detailType: 'Message Quarantined',
    detail: {
      metadata: { id: eventIds.quarantined(messageId), occurredAt, schemaVersion: 1 },
      data: { reason: 'processing_failed', messageId, ...data },
    },
  };
}
