import { type } from 'arktype';
import { CorruptItemError } from '../errors.ts';
import type { LedgerEntry } from '../ledger.ts';
import { amounts } from '../outcome.ts';
import { retention } from '../retention.ts';
import { keys } from './keys.ts';
import { decodeOutcome, encodeOutcome } from './outcome-bytes.ts';
import { expiresAt } from './ttl.ts';

const LedgerItem = type({
  bookingId: 'string',
  chunk: 'number.integer >= 0',
  accountId: 'string',
  outcome: type.instanceOf(Uint8Array),
  'ids?': 'string[]',
  'costs?': /^([1-9]\d*(,[1-9]\d*)*)?$/,
});

/**
 * The item of a ledger entry. Its content follows from the entry alone, so that writing it twice changes nothing.
 * Beside the outcome's bytes it spells out figures for people and reports.
 */
export function toLedgerItem(entry: LedgerEntry): Record<string, unknown> {
  const { outcome, rows, bookingId, chunkIndex, accountId } = entry;
  const { granted, rejected } = amounts(outcome);
  return {
    ...keys.ledger(entry),
    bookingId,
    chunk: chunkIndex,
    accountId,
    date: outcome.date,
    granted: granted.cost,
    rejected: rejected.cost,
    outcome: encodeOutcome(outcome),
    // Told apart from the rows so that a replay can ask for it without reading them.
    complete: rows !== undefined,
    // As text, costs take fewer bytes than a list of numbers, and a call with a thousand rows half the values to parse.
    ...(rows === undefined ? {} : { ids: rows.map(({ id }) => id), costs: rows.map(({ cost }) => cost).join(',') }),
    expiresAt: expiresAt(outcome.settledAtMs, retention.outcomeMs),
  };
}

/**
 * Reads a ledger item as lib-dynamodb hands it out.
 *
 * @throws CorruptItemError
 */
export function readLedgerItem(item: Readonly<Record<string, unknown>>): LedgerEntry {
  const name = `${String(item.pk)} ${String(item.sk)}`;
  const read = LedgerItem(item);
  if (read instanceof type.errors) throw new CorruptItemError(name, read.summary);
  const { bookingId, chunk: chunkIndex, accountId, ids } = read;
  const costs = read.costs?.split(',').filter(Boolean).map(Number);
  const outcome = decodeOutcome(read.outcome, name);
  const entry = { bookingId, chunkIndex, accountId, outcome };
  if (ids === undefined || costs === undefined) return entry;
  if (ids.length !== outcome.reasons.length || costs.length !== outcome.reasons.length) {
    throw new CorruptItemError(name, `ids and costs must have ${outcome.reasons.length} entries`);
  }
  return { ...entry, rows: ids.map((id, row) => ({ id, cost: costs[row] ?? 0 })) };
}
