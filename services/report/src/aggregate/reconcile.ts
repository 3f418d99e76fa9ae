import type { AccountDayFacts, LedgerFact } from '../model/facts.ts';
import type { Figures } from '../model/figures.ts';
import type { Difference, Reconciliation } from '../model/report.ts';

/** Cost by decision, as one source has it. */
interface Costs {
  readonly granted: number;
  readonly rejected: number;
  readonly wouldReject: number;
}

/**
 * Compares an account's counter, events and ledger, where the counter stood still while they were read. A source that was not
 * read is left out; without any but the events there is nothing to compare.
 */
export function reconcile(
  { counter, counterAfter, ledger }: Pick<AccountDayFacts, 'counter' | 'counterAfter' | 'ledger'>,
  events: Figures,
): Reconciliation {
  if (counter?.used !== counterAfter?.used || counter?.rejected !== counterAfter?.rejected) {
    return { state: 'moved', differences: [] };
  }
  if (counter === undefined && ledger === undefined) return { state: 'unknown', differences: [] };
  const sources = {
    counter: counter && { granted: counter.used, rejected: counter.rejected, wouldReject: counter.over },
    events: { granted: events.grantedCost, rejected: events.rejectedCost, wouldReject: events.wouldRejectCost },
    ledger: ledger && ledgerCosts(ledger),
  };
  const differences = (['granted', 'rejected', 'wouldReject'] as const).flatMap((figure) =>
    differenceIn(figure, sources),
  );
  return { state: differences.length === 0 ? 'agrees' : 'drift', differences };
}

function differenceIn(
  figure: Difference['figure'],
  sources: { readonly counter: Costs | undefined; readonly events: Costs; readonly ledger: Costs | undefined },
): Difference[] {
  const counter = sources.counter?.[figure] ?? null;
  const events = sources.events[figure];
  const ledger = sources.ledger?.[figure] ?? null;
  const agree = [counter, ledger].every((value) => value === null || value === events);
  return agree ? [] : [{ figure, counter, events, ledger }];
}

function ledgerCosts(ledger: readonly LedgerFact[]): Costs {
  const chunks = new Map(ledger.map((entry) => [`${entry.bookingId}#${entry.chunkIndex}`, entry]));
  const costs = { granted: 0, rejected: 0, wouldReject: 0 };
  for (const { grantedCost, rejectedCost, overCost } of chunks.values()) {
    costs.granted += grantedCost;
    costs.rejected += rejectedCost;
    costs.wouldReject += overCost;
  }
  return costs;
}
