import { amounts, chunkIdOf, isGranted, isWindowKept, type LedgerEntry, toRfc3339 } from '@usher/limiter-core/bulk';
import { closingGraceMs } from '../aggregate/state.ts';
import type { AccountDayFacts, BacklogFact, CounterFact, HeaderFact, LateEvent, LedgerFact } from '../model/facts.ts';
import type { ReportPorts } from '../ports.ts';
import type { AccountLook } from '../store/days.ts';
import type { QuarantineFact, UsageFact } from '../store/event-facts.ts';
import type { AccountDay } from './account-days.ts';
import { inLanes } from './lanes.ts';

/** Accounts that are read together: as many as one BatchGetItem takes, with their policies. */
const togetherAccounts = 50;
/** Accounts of which ledger and events are read at once. A ledger's rows are many, and are held no longer than one booking. */
const accountLanes = 8;

interface Surroundings {
  readonly date: string;
  /** Quarantine events around the date, by account. */
  readonly quarantined: ReadonlyMap<string, readonly QuarantineFact[]>;
}

type Ports = Pick<ReportPorts, 'facts' | 'days' | 'clock'>;

/**
 * The facts of accounts' days, some accounts at a time. Counters are read first and last: where one moved in between, nothing
 * is compared.
 */
export async function* factsOf(
  ports: Ports,
  accountDays: AsyncIterable<AccountDay>,
  around: Surroundings,
): AsyncGenerator<AccountDayFacts> {
  let together: AccountDay[] = [];
  for await (const day of accountDays) {
    if (together.push(day) < togetherAccounts) continue;
    yield* await factsOfSome(ports, together, around);
    together = [];
  }
  yield* await factsOfSome(ports, together, around);
}

async function factsOfSome(
  { facts, days, clock }: Ports,
  together: readonly AccountDay[],
  { date, quarantined }: Surroundings,
): Promise<AccountDayFacts[]> {
  const ids = together.map(({ accountId }) => accountId);
  if (ids.length === 0) return [];
  const before = await days.accounts(ids);
  const lookedAtMs = clock();
  const read: { day: AccountDay; ledger: readonly LedgerFact[] | undefined; usage: readonly UsageFact[] }[] = [];
  await inLanes(together.entries(), accountLanes, async ([at, indexed]) => {
    const usage = await facts.usage(indexed.accountId, date);
    const day = await withHeaders(days, indexed, { date, usage });
    read[at] = { day, ledger: await ledgerOf(days, day, date), usage };
  });
  const after = await days.accounts(ids);
  const made = read.map(({ day, ledger, usage }) => {
    const own = ownQuarantined(day, quarantined.get(day.accountId) ?? []);
    return factsOfDay(day, {
      date,
      usage,
      quarantined: own,
      ledger,
      look: before.get(day.accountId),
      lookAfter: after.get(day.accountId),
      lookedAtMs,
    });
  });
  return withStates(days, made);
}

interface ReadDay {
  readonly date: string;
  readonly usage: readonly UsageFact[];
  readonly quarantined: readonly QuarantineFact[];
  readonly ledger: readonly LedgerFact[] | undefined;
  readonly look: AccountLook | undefined;
  readonly lookAfter: AccountLook | undefined;
  readonly lookedAtMs: number;
}

function factsOfDay({ accountId, timezone, window, bookings }: AccountDay, read: ReadDay): AccountDayFacts {
  const { date, look, lookAfter, lookedAtMs } = read;
  const usage = counted(read.usage);
  const quarantined = counted(read.quarantined);
  const closesAtMs = Date.parse(window.resetsAt) + closingGraceMs;
  return {
    accountId,
    date,
    timezone,
    window,
    usageEvents: usage.events,
    quarantineEvents: quarantined.events,
    repeats: usage.repeats + quarantined.repeats,
    lateEvents: [...lateAmong(read.usage, closesAtMs), ...lateAmong(read.quarantined, closesAtMs)],
    headers: bookings.map(
      ({ bookingId, acceptedAt, rows, chunks }): HeaderFact => ({
        bookingId,
        acceptedAt,
        rows,
        chunks,
        status: 'accepted',
      }),
    ),
    counter: counterOf(look, date, lookedAtMs),
    counterAfter: counterOf(lookAfter, date, lookedAtMs),
    ledger: read.ledger,
    policy: look?.policy,
    backlog: look && backlogOf(look, lookedAtMs),
    deadLetters: undefined,
  };
}

/** The counter of a date; undefined where the account was not read, or keeps that date's no more. */
function counterOf(look: AccountLook | undefined, date: string, nowMs: number): CounterFact | undefined {
  if (look === undefined) return undefined;
  const none = isWindowKept(date, nowMs) ? { used: 0, rejected: 0, over: 0, limit: null } : undefined;
  return look.state.usage.get(date) ?? none;
}

/** One delivery of each event, and the others that are no replays. */
function counted<E extends { readonly metadata: { readonly id: string } }>(
  facts: readonly { readonly event: E; readonly delivery: UsageFact['delivery'] }[],
): { events: E[]; repeats: number } {
  const byId = [...Map.groupBy(facts, ({ event }) => event.metadata.id).values()];
  return {
    events: byId.flatMap(([first]) => (first === undefined ? [] : [first.event])),
    repeats: byId.reduce(
      (sum, deliveries) => sum + Math.max(0, deliveries.filter(({ delivery }) => !delivery.isReplay).length - 1),
      0,
    ),
  };
}

/** The events of which even the first delivery came after the day was closed. */
function lateAmong(facts: readonly (UsageFact | QuarantineFact)[], closesAtMs: number): LateEvent[] {
  return [...Map.groupBy(facts, ({ event }) => event.metadata.id)].flatMap(([eventId, deliveries]) => {
    const firstMs = Math.min(...deliveries.map(({ delivery }) => delivery.receivedAtMs));
    return firstMs < closesAtMs ? [] : [{ eventId, receivedAt: toRfc3339(firstMs) }];
  });
}

/**
 * The quarantine events of an account's day: those of its bookings, and by the instant those that name none. One that names a
 * booking which the account does not have on that day is another day's, or nobody's: bodies can say anything.
 */
function ownQuarantined(day: AccountDay, facts: readonly QuarantineFact[]): QuarantineFact[] {
  const own = new Set(day.bookings.map(({ bookingId }) => bookingId));
  const fromMs = Date.parse(day.window.startsAt);
  const toMs = Date.parse(day.window.resetsAt);
  return facts.filter(({ event, occurredAtMs }) => {
    const { bookingId } = event.data;
    return bookingId === undefined ? occurredAtMs >= fromMs && occurredAtMs < toMs : own.has(bookingId);
  });
}

/** The day with those bookings that events name and the index does not show yet, or cannot show: it lags behind. */
async function withHeaders(
  days: Ports['days'],
  day: AccountDay,
  { date, usage }: { readonly date: string; readonly usage: readonly UsageFact[] },
): Promise<AccountDay> {
  const named = new Set(usage.map(({ event }) => event.data.bookingId));
  for (const { bookingId } of day.bookings) named.delete(bookingId);
  if (named.size === 0) return day;
  const headers = [...(await days.headers([...named])).values()];
  const own = headers.filter((header) => header.accountId === day.accountId && header.date === date);
  return { ...day, bookings: [...day.bookings, ...own] };
}

async function ledgerOf(days: Ports['days'], day: AccountDay, date: string): Promise<LedgerFact[] | undefined> {
  const ledger: LedgerFact[] = [];
  for (const { bookingId } of day.bookings) {
    const entries = await days.ledger(bookingId);
    for (const entry of entries ?? []) {
      const fact = entry.outcome.date === date ? ledgerFact(entry) : [];
      if (fact === undefined) return undefined;
      ledger.push(...fact);
    }
    if (entries === undefined) return undefined;
  }
  return ledger;
}

/** A chunk's costs; undefined where its rows are missing and observe mode granted some: then nobody knows how much. */
function ledgerFact({ bookingId, chunkIndex, outcome, rows }: LedgerEntry): LedgerFact[] | undefined {
  const { granted, rejected } = amounts(outcome);
  const observed = outcome.reasons.flatMap((reason, row) =>
    reason !== null && isGranted(outcome, reason) ? [row] : [],
  );
  if (observed.length > 0 && rows === undefined) return undefined;
  const overCost = observed.reduce((sum, row) => sum + (rows?.[row]?.cost ?? 0), 0);
  return [{ bookingId, chunkIndex, grantedCost: granted.cost, rejectedCost: rejected.cost, overCost }];
}

/** The cost that waits in the account's bucket: its last row is due a burst before the bucket is full again. */
function backlogOf({ state: { bucket } }: AccountLook, nowMs: number): BacklogFact | undefined {
  if (bucket === undefined) return undefined;
  const clearsAtMs = Math.ceil(bucket.tatMicros / 1000 - (bucket.burst / bucket.refillPerSecond) * 1000);
  const cost = Math.max(0, Math.ceil(((clearsAtMs - nowMs) / 1000) * bucket.refillPerSecond));
  return { cost, clearsAt: cost === 0 ? null : toRfc3339(clearsAtMs), lookedAt: toRfc3339(nowMs) };
}

/** The facts with the state of those bookings of which a chunk is missing; of the others nothing can be undecided. */
async function withStates(days: Ports['days'], made: readonly AccountDayFacts[]): Promise<AccountDayFacts[]> {
  const seen = new Set(
    made.flatMap(({ usageEvents, quarantineEvents }) =>
      [...usageEvents, ...quarantineEvents].map(({ data: { bookingId = '', chunk = -1 } }) =>
        chunkIdOf({ bookingId, chunkIndex: chunk }),
      ),
    ),
  );
  const isWhole = ({ bookingId, chunks }: HeaderFact): boolean =>
    Array.from({ length: chunks }, (_, chunkIndex) => seen.has(chunkIdOf({ bookingId, chunkIndex }))).every(Boolean);
  const open = made.flatMap(({ headers }) => headers.filter((header) => !isWhole(header)));
  const found = await days.headers(open.map(({ bookingId }) => bookingId));
  const isOpen = new Set(open.map(({ bookingId }) => bookingId));
  return made.map((facts) => ({
    ...facts,
    headers: facts.headers.map((header) =>
      isOpen.has(header.bookingId) && found.get(header.bookingId)?.state !== 'accepted'
        ? { ...header, status: 'accepting' as const }
        : header,
    ),
  }));
}
