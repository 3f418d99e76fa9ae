import { rejectReasons } from '@usher/limiter-core/bulk';
import { type } from 'arktype';

/** A whole number ≥ 0. */
export const Count = type('0 <= number.integer <= 9007199254740991').describe('a whole number ≥ 0');

/** Rows and their cost. */
export const Amount = type({ '+': 'reject', count: Count, cost: Count });
export type Amount = typeof Amount.infer;

/** Amounts by the reason for which rows were rejected; only reasons that occurred. */
export const ByReason = type({
  '+': 'reject',
  'daily_quota_exceeded?': Amount,
  'exceeds_limit?': Amount,
  'pacing_backlog_full?': Amount,
});
export type ByReason = typeof ByReason.infer;

/** The fields of {@link Figures}, for types that have them among others. */
export const figureFields = {
  /** Rows granted, and their cost. */
  granted: Count,
  grantedCost: Count,
  /** Rows rejected, and their cost. */
  rejected: Count,
  rejectedCost: Count,
  /** The part of the rows granted that enforce mode would have rejected, and their cost. */
  wouldReject: Count,
  wouldRejectCost: Count,
} as const;

/** Figures: rows and cost by decision. `wouldReject` is a part of `granted`, never of `rejected`. */
export const Figures = type({ '+': 'reject', ...figureFields });
export type Figures = typeof Figures.infer;

export type FigureName = keyof Figures;

/** The names of all figures, in the order in which files list them. */
export const figureNames: readonly FigureName[] = [
  'granted',
  'grantedCost',
  'rejected',
  'rejectedCost',
  'wouldReject',
  'wouldRejectCost',
];

export function noFigures(): Figures {
  return { granted: 0, grantedCost: 0, rejected: 0, rejectedCost: 0, wouldReject: 0, wouldRejectCost: 0 };
}

/** Adds figures onto others. */
export function addFigures(onto: Figures, more: Figures): void {
  for (const name of figureNames) onto[name] += more[name];
}

/** The figures among an object's fields. */
export function figuresOf(of: Figures): Figures {
  const figures = noFigures();
  addFigures(figures, of);
  return figures;
}

/** Amounts in the order of the reasons, whatever the order in which they were added: equal amounts are one text. */
export function inReasonOrder(of: ByReason): ByReason {
  const ordered: ByReason = {};
  addByReason(ordered, of);
  return ordered;
}

/** Adds amounts by reason onto others. */
export function addByReason(onto: ByReason, more: ByReason): void {
  for (const reason of rejectReasons) {
    const amount = more[reason];
    if (amount === undefined) continue;
    const before = onto[reason] ?? { count: 0, cost: 0 };
    onto[reason] = { count: before.count + amount.count, cost: before.cost + amount.cost };
  }
}
