import { AccountId, BookingId, ChunkIndex, Instant, PlainDate, quarantineReasons } from '@usher/contracts';
import { CorruptItemError } from '@usher/limiter-core/bulk';
import { expiresAt } from '@usher/limiter-core/bulk/dynamodb';
import { type } from 'arktype';
import { Amount, ByReason, Count } from '../model/figures.ts';
import type { Delivery, LateMark, QuarantineFact, UsageFact } from '../store/event-facts.ts';
import { quarantineDay } from '../store/quarantine-day.ts';
import { factsKeptMs } from '../store/runs.ts';
import { reportKeys } from './table-definition.ts';

/** A usage event as its item has it, in JSON: as text a hundred rows' event is half a write unit. */
const UsageText = type('string.json.parse').to({
  bookingId: BookingId,
  chunk: ChunkIndex,
  timezone: 'string',
  startsAt: Instant,
  resetsAt: Instant,
  limit: Count,
  acceptedAt: Instant,
  decidedAt: Instant,
  mode: "'enforce' | 'observe'",
  granted: Amount,
  rejected: ByReason,
  'observed?': ByReason,
});
const UsageItem = type({ sk: 'string', event: UsageText, receivedAtMs: Count });

const QuarantinedItem = type({
  sk: 'string',
  'accountId?': AccountId,
  occurredAtMs: Count,
  reason: type.enumerated(...quarantineReasons),
  'bookingId?': BookingId,
  'chunk?': ChunkIndex,
  receivedAtMs: Count,
});

const MarkItem = type({ date: PlainDate, storedAtMs: Count }).or({
  accountId: AccountId,
  bookingId: BookingId,
  storedAtMs: Count,
});

export function toUsageItem({ accountId, event, delivery }: UsageFact) {
  const { bookingId, chunk, window, limit, acceptedAt, decidedAt, mode, granted, rejected, observed } = event.data;
  const { date, timezone, startsAt, resetsAt } = window;
  return {
    pk: reportKeys.usagePartition(accountId, date),
    sk: sortKeyOf(event.metadata.id, delivery),
    event: JSON.stringify({
      bookingId,
      chunk,
      timezone,
      startsAt,
      resetsAt,
      limit,
      acceptedAt,
      decidedAt,
      mode,
      granted,
      rejected: rejected.byReason,
      observed: observed?.byReason,
    }),
    receivedAtMs: delivery.receivedAtMs,
    expiresAt: expiresAt(Date.parse(resetsAt), factsKeptMs),
  };
}

/** @throws CorruptItemError */
export function readUsage(
  { accountId, date }: { readonly accountId: string; readonly date: string },
  item: Record<string, unknown>,
): UsageFact {
  const { sk, event, receivedAtMs } = checked(`usage of ${accountId} on ${date}`, UsageItem(item));
  const { timezone, startsAt, resetsAt, rejected, observed, ...data } = event;
  const { id, delivery } = namesIn(sk, receivedAtMs);
  return {
    accountId,
    event: {
      metadata: { id },
      data: {
        ...data,
        window: { date, timezone, startsAt, resetsAt },
        rejected: { byReason: rejected },
        ...(observed === undefined ? {} : { observed: { byReason: observed } }),
      },
    },
    delivery,
  };
}

export function toQuarantinedItem(fact: QuarantineFact) {
  const { accountId, occurredAtMs, event, delivery } = fact;
  const { reason, bookingId, chunk } = event.data;
  return {
    pk: reportKeys.quarantinedPartition(quarantineDay(fact)),
    sk: sortKeyOf(event.metadata.id, delivery),
    ...(accountId === undefined ? {} : { accountId }),
    occurredAtMs,
    reason,
    ...(bookingId === undefined ? {} : { bookingId }),
    ...(chunk === undefined ? {} : { chunk }),
    receivedAtMs: delivery.receivedAtMs,
    expiresAt: expiresAt(delivery.receivedAtMs, factsKeptMs),
  };
}

/** @throws CorruptItemError */
export function readQuarantined(item: Record<string, unknown>): QuarantineFact {
  const read = checked('a quarantine event', QuarantinedItem(item));
  const { sk, accountId, occurredAtMs, reason, bookingId, chunk, receivedAtMs } = read;
  const { id, delivery } = namesIn(sk, receivedAtMs);
  return {
    ...(accountId === undefined ? {} : { accountId }),
    occurredAtMs,
    event: {
      metadata: { id },
      data: {
        reason,
        ...(bookingId === undefined ? {} : { bookingId }),
        ...(chunk === undefined ? {} : { chunk }),
      },
    },
    delivery,
  };
}

export function readAccount({ sk }: Record<string, unknown>): string {
  return String(sk);
}

/** @throws CorruptItemError */
export function readMark(item: Record<string, unknown>): LateMark {
  const read = checked('a mark', MarkItem(item));
  const { storedAtMs } = read;
  return 'date' in read
    ? { date: read.date, storedAtMs }
    : { accountId: read.accountId, bookingId: read.bookingId, storedAtMs };
}

/** The event's id, then the delivery's: an envelope's id or a replay's name, neither of which has the sign between. */
function sortKeyOf(eventId: string, { id }: Delivery): string {
  return `${eventId}#${id}`;
}

function namesIn(sk: string, receivedAtMs: number): { id: string; delivery: Delivery } {
  const at = sk.lastIndexOf('#');
  const delivery = sk.slice(at + 1);
  return { id: sk.slice(0, at), delivery: { id: delivery, isReplay: delivery.startsWith('replay/'), receivedAtMs } };
}

function checked<T>(name: string, read: T | type.errors): T {
  if (read instanceof type.errors) throw new CorruptItemError(name, read.summary);
  return read;
}
