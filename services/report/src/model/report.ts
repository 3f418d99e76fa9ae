import { Instant, PlainDate } from '@usher/contracts';
import { type } from 'arktype';
import { ByReason, Count, figureFields } from './figures.ts';

/** The version of the report's shape. A field that comes, goes or changes its meaning raises it. */
export const reportSchemaVersion = 1;
/** Stands for the zone in a report over all zones. */
export const allZones = 'all';

/** A text that a report takes over from outside. Whoever shows it escapes it. */
const Id = type('1 <= string <= 512');
const Timezone = type('1 <= string <= 64').describe('an IANA time zone name');
const Mode = type("'enforce' | 'observe'");

/**
 * A report's state. `provisional`: something of the day can still be undecided. `complete`: nothing can. `final`: 72 hours
 * after the day's end; it is never written again.
 */
export const ReportState = type("'provisional' | 'complete' | 'final'");
export type ReportState = typeof ReportState.infer;

/** An hour of the account's day by the clock on its wall, with its offset: `02:00+01:00`. */
export const HourFigures = type({
  '+': 'reject',
  hour: /^\d{2}:\d{2}([+-]\d{2}:\d{2}(:\d{2})?)?$/,
  /** Absent in totals over all zones, where an hour is that of each account's own day. */
  'startsAt?': Instant,
  ...figureFields,
});
export type HourFigures = typeof HourFigures.infer;

/** The hour with the most granted cost; the earliest of several. */
export const PeakHour = type({ '+': 'reject', hour: 'string', grantedCost: Count });

/** Milliseconds from acceptance to decision, of chunks, by nearest rank: the ⌈p·n⌉-th smallest of n. */
export const Latency = type({ '+': 'reject', chunks: Count, p50Ms: Count, p95Ms: Count });
export type Latency = typeof Latency.infer;

/** Granted cost that was not due yet when it was looked at, and the instant at which the last of it is due. */
export const Backlog = type({ '+': 'reject', cost: Count, clearsAt: Instant.or('null'), lookedAt: Instant });
export type Backlog = typeof Backlog.infer;

/** The same weekday, seven days before. */
export const WeekBefore = type({ '+': 'reject', used: Count, granted: Count, rejected: Count, bookings: Count });
export type WeekBefore = typeof WeekBefore.infer;

/** One figure as counter, events and ledger have it; null where it was not read. */
export const Difference = type({
  '+': 'reject',
  figure: "'granted' | 'rejected' | 'wouldReject'",
  counter: Count.or('null'),
  events: Count,
  ledger: Count.or('null'),
});
export type Difference = typeof Difference.infer;

/**
 * The comparison of an account's counter, events and ledger. `agrees`: all say the same cost. `drift`: they do not. `moved`:
 * the counter changed while they were read, so nothing was compared. `unknown`: neither counter nor ledger was read.
 */
export const Reconciliation = type({
  '+': 'reject',
  state: "'agrees' | 'drift' | 'moved' | 'unknown'",
  differences: Difference.array(),
});
export type Reconciliation = typeof Reconciliation.infer;

/** A limit from the decision on that first went by it. */
export const LimitFrom = type({ '+': 'reject', from: Instant, limit: Count });
export type LimitFrom = typeof LimitFrom.infer;

const activity = {
  /** Granted cost: the counter where it was read, else the events' sum. */
  used: Count,
  ...figureFields,
  rejectedByReason: ByReason,
  wouldRejectByReason: ByReason,
  bookings: Count,
  /** Chunks decided. */
  chunks: Count,
  /** The hours in which anything was accepted. */
  hours: HourFigures.array(),
  peakHour: PeakHour.or('null'),
  latency: Latency.or('null'),
  backlog: Backlog.or('null'),
  quarantined: Count,
  /** Events received again, and events received after the window closed and the time allowed had passed. */
  repeats: Count,
  late: Count,
} as const;

/** One account's day. */
export const AccountReport = type({
  '+': 'reject',
  accountId: Id,
  timezone: Timezone,
  startsAt: Instant,
  resetsAt: Instant,
  mode: Mode.or('null'),
  /** The last limit of the day; null where none is known. */
  limit: Count.or('null'),
  limits: LimitFrom.array(),
  /** `used` ÷ `limit`, to four decimals; null without a limit or with one of 0. */
  shareOfLimit: type('number >= 0').or('null'),
  ...activity,
  /** The first decision that rejected a row. */
  firstRefusalAt: Instant.or('null'),
  weekBefore: WeekBefore.or('null'),
  /** Null where nobody looked. */
  deadLetters: Count.or('null'),
  /** False where something of the account's day is missing. */
  complete: 'boolean',
  reconciliation: Reconciliation,
});
export type AccountReport = typeof AccountReport.infer;

/** Sums over accounts, and the same weekday before. */
const totalFields = {
  accounts: Count,
  /** Accounts with a booking. */
  activeAccounts: Count,
  /** Accounts with a rejected row. */
  refusedAccounts: Count,
  ...activity,
  weekBefore: type({ '...': WeekBefore, '+': 'reject', activeAccounts: Count }).or('null'),
  /** Messages put aside, by reason, those of no account among them. */
  quarantinedByReason: type({ '[string]': Count }),
} as const;

export const Totals = type({ '+': 'reject', ...totalFields });
export type Totals = typeof Totals.infer;

/** The sums of one zone's accounts. */
export const ZoneReport = type({
  '+': 'reject',
  timezone: Timezone,
  startsAt: Instant,
  resetsAt: Instant,
  state: ReportState,
  ...totalFields,
});
export type ZoneReport = typeof ZoneReport.infer;

/**
 * A part of the day that is missing. `header`: events name a booking that has none. `acceptance`: a booking that can still be
 * resumed. `chunks`: chunks neither decided nor quarantined, as ranges: `0-3,7`.
 */
export const Missing = type({
  '+': 'reject',
  accountId: Id,
  timezone: Timezone,
  bookingId: Id,
  kind: "'header' | 'acceptance' | 'chunks'",
  'chunks?': /^\d+(-\d+)?(,\d+(-\d+)?)*$/,
  /** Chunks missing; 0 where it is the header or its acceptance. */
  count: Count,
});
export type Missing = typeof Missing.infer;

/** The reasons for which an account needs attention, the weightiest first. */
export const attentionReasons = [
  'drift',
  'missing',
  'dead_letters',
  'quarantined',
  'refused',
  'fell',
  'rose',
  'late',
] as const;
export const Attention = type({
  '+': 'reject',
  accountId: Id,
  timezone: Timezone,
  reasons: type
    .enumerated(...attentionReasons)
    .array()
    .atLeastLength(1),
});
export type Attention = typeof Attention.infer;

/** Figures that a correction changes. */
export const CorrectedFigures = type({ '+': 'reject', used: Count, ...figureFields });
export type CorrectedFigures = typeof CorrectedFigures.infer;

/** A later fact about a day whose report is final: the figures as reported until then, and as they are now. */
export const Correction = type({
  '+': 'reject',
  date: PlainDate,
  timezone: Timezone,
  accountId: Id,
  foundAt: Instant,
  before: CorrectedFigures,
  after: CorrectedFigures,
});
export type Correction = typeof Correction.infer;

/** Messages in a dead-letter queue when it was looked at. */
export const DeadLetters = type({ '+': 'reject', queue: 'string > 0', messages: Count, lookedAt: Instant });
export type DeadLetters = typeof DeadLetters.infer;

/** An event that came after its window closed and the time allowed had passed. */
export const LateRow = type({ '+': 'reject', accountId: Id, timezone: Timezone, eventId: Id, receivedAt: Instant });
export type LateRow = typeof LateRow.infer;

/** The report of a day: of one zone's accounts, or of all. */
export const DayReport = type({
  '+': 'reject',
  schemaVersion: '1',
  date: PlainDate,
  timezone: Timezone.describe("an IANA time zone name, or 'all'"),
  state: ReportState,
  /** 1 for the first report of this day and zone. */
  run: Count,
  /** The id of the event that told of the run before. */
  'supersedes?': Id,
  generatedAt: Instant,
  /** From the first account's first instant to the last one's end; final from `finalAt` on. */
  bounds: { '+': 'reject', startsAt: Instant, resetsAt: Instant, finalAt: Instant },
  missing: Missing.array(),
  totals: Totals,
  zones: ZoneReport.array(),
  reconciliation: { '+': 'reject', agrees: Count, drift: Count, moved: Count, unknown: Count },
  deadLetters: DeadLetters.array(),
  attention: Attention.array(),
  corrections: Correction.array(),
  /** The first hundred; `totals.late` counts all. */
  lateEvents: LateRow.array(),
  /** By account id, then zone. */
  accounts: AccountReport.array(),
});
export type DayReport = typeof DayReport.infer;
