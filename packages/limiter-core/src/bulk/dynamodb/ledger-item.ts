import { type } from 'arktype';
import { CorruptItemError } from '../../errors.ts';
import type { LedgerEntry } from '../ledger.ts';
import { amounts } from '../outcome.ts';
import { retention } from '../retention.ts';
import { chunkOfLedgerKey, keys } from './keys.ts';
import { decodeOutcome, encodeOutcome } from './outcome-bytes.ts';
import { decodeRows, encodeRows } from './row-bytes.ts';
import { expiresAt } from './ttl.ts';

const LedgerItem = type({
  pk: 'string',
  sk: 'string',
  accountId: 'string',
  outcome: type.instanceOf(Uint8Array),
  'rows?': type.instanceOf(Uint8Array),
});

/**
 * The item of a ledger entry. Its content follows from the entry alone, so that writing it twice changes nothing.
 * Beside the outcome's bytes it spells out figures for people and reports; the chunk is named by its keys alone.
 */
export function toLedgerItem(entry: LedgerEntry): Record<string, unknown> {
  const { outcome, rows, accountId } = entry;
  const { granted, rejected } = amounts(outcome);
  return {
    ...keys.ledger(entry),
    accountId,
    date: outcome.date,
    granted: granted.cost,
    rejected: rejected.cost,
    outcome: encodeOutcome(outcome),
    // Told apart from the rows so that a replay can ask for it without reading them.
    complete: rows !== undefined,
    ...(rows === undefined ? {} : { rows: encodeRows(rows) }),
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
  const chunk = chunkOfLedgerKey(read);
  if (chunk === undefined) throw new CorruptItemError(name, 'its keys must name a chunk');
  const outcome = decodeOutcome(read.outcome, name);
  const entry = { ...chunk, accountId: read.accountId, outcome };
  if (read.rows === undefined) return entry;
  const rows = decodeRows(read.rows, name);
  if (rows.length !== outcome.reasons.length) {
    throw new CorruptItemError(name, `rows must have ${outcome.reasons.length} entries`);
  }
  return { ...entry, rows };
}
