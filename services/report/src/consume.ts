import { errorFields } from '@usher/service';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { closingGraceMs } from './aggregate/state.ts';
import { reportMetrics } from './metrics.ts';
import type { ReportPorts } from './ports.ts';
import { type ReadDelivery, readDelivery } from './read-delivery.ts';
import { factId, type LateMark } from './store/event-facts.ts';
import { daysAfter, utcDate } from './store/quarantine-day.ts';

/** Accounts that a warm consumer remembers to have noted; noting one again changes nothing. */
const rememberedAccounts = 20_000;
/** A mark too many costs one look at a day, a mark too few leaves a report without an event: clocks may differ by this. */
const markMarginMs = 60_000;

interface Read {
  readonly record: SQSRecord;
  readonly read: ReadDelivery;
}

/** Puts the events of batches into the table. It keeps nothing but the names of the accounts it has noted. */
export class Consumer {
  readonly #ports: ReportPorts;
  readonly #noted = new Set<string>();

  constructor(ports: ReportPorts) {
    this.#ports = ports;
  }

  /** Works off one batch; what could not be read or put is answered as failed, and comes again. */
  async consume({ Records }: SQSEvent): Promise<SQSBatchResponse> {
    const { log, meter } = this.#ports;
    const failed = new Set<string>();
    const fail = (messageId: string, error: unknown): void => {
      failed.add(messageId);
      log.error('An event could not be stored', { messageId, ...errorFields(error) });
    };
    const reads: Read[] = [];
    for (const record of Records) {
      try {
        const read = readDelivery(record);
        if (read !== undefined) reads.push({ record, read });
      } catch (error) {
        fail(record.messageId, error);
      }
    }
    try {
      for (const [messageId, error] of await this.#store(reads)) fail(messageId, error);
    } catch (error) {
      for (const { record } of reads) fail(record.messageId, error);
    }
    meter.count(reportMetrics.factsStored, Records.length - failed.size);
    if (failed.size > 0) meter.count(reportMetrics.factFailures, failed.size);
    return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };
  }

  async #store(reads: readonly Read[]): Promise<Map<string, Error>> {
    const { facts, clock, meter } = this.#ports;
    // One batch may hold a delivery twice, and a store refuses one key twice in a call.
    const distinct = [...new Map(reads.map(({ read }) => [factId(read.fact), read])).values()];
    const failures = await facts.put({
      usage: distinct.flatMap((read) => (read.kind === 'usage' ? [read.fact] : [])),
      quarantined: distinct.flatMap((read) => (read.kind === 'quarantined' ? [read.fact] : [])),
    });
    const stored = distinct.filter(({ fact }) => !failures.has(factId(fact)));
    await this.#noteAccounts(stored);
    // After the put: a report that began before now may not have seen it, one that begins later does.
    const marks = stored.map((read) => marksOf(read, clock())).filter((ofOne) => ofOne.length > 0);
    if (marks.length > 0) {
      meter.count(reportMetrics.lateFacts, marks.length);
      await facts.noteLate(marks.flat());
    }
    return new Map(
      reads.flatMap(({ record, read }) => {
        const error = failures.get(factId(read.fact));
        return error === undefined ? [] : [[record.messageId, error] as const];
      }),
    );
  }

  async #noteAccounts(stored: readonly ReadDelivery[]): Promise<void> {
    const named = new Set(stored.flatMap((read) => (read.kind === 'usage' ? [read.fact.accountId] : [])));
    const unknown = [...named].filter((accountId) => !this.#noted.has(accountId));
    if (unknown.length === 0) return;
    await this.#ports.facts.noteAccounts(unknown);
    if (this.#noted.size > rememberedAccounts) this.#noted.clear();
    for (const accountId of unknown) this.#noted.add(accountId);
  }
}

/**
 * The marks that an event leaves where a report of its day may have been made. A quarantine event tells no day. One that names a
 * booking marks that, early or late; one that names none marks the days around it in UTC, where it comes as late as a report.
 */
function marksOf(read: ReadDelivery, storedAtMs: number): LateMark[] {
  const isLate = (sinceMs: number): boolean => storedAtMs >= sinceMs + closingGraceMs - markMarginMs;
  if (read.kind === 'usage') {
    const { date, resetsAt } = read.fact.event.data.window;
    return isLate(Date.parse(resetsAt)) ? [{ date, storedAtMs }] : [];
  }
  const { accountId, occurredAtMs, event } = read.fact;
  const { bookingId } = event.data;
  if (accountId !== undefined && bookingId !== undefined) return [{ accountId, bookingId, storedAtMs }];
  if (!isLate(occurredAtMs)) return [];
  return [-1, 0, 1].map((days) => ({ date: daysAfter(utcDate(occurredAtMs), days), storedAtMs }));
}
