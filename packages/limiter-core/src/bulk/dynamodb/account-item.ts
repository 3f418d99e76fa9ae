import { CorruptItemError } from '../../errors.ts';
import { type AccountState, noUsage, type Receipt, type WindowUsage } from '../account.ts';
import type { Bucket } from '../token-bucket.ts';
import { decodeHistory } from './history-bytes.ts';
import { decodeReceipt } from './receipt-bytes.ts';

/**
 * Reads an account item as lib-dynamodb hands it out.
 *
 * @throws CorruptItemError naming the attribute, so that nothing is decided on what cannot be read
 */
export function readAccountItem(item: Readonly<Record<string, unknown>>): AccountState {
  const name = String(item.pk);
  const usage = new Map<string, WindowUsage>();
  const receipts = new Map<number, Receipt>();
  for (const [attribute, value] of Object.entries(item)) {
    const colon = attribute.indexOf(':');
    if (colon < 0) continue;
    const kind = attribute.slice(0, colon);
    const rest = attribute.slice(colon + 1);
    if (kind === 'receipt') {
      if (!/^[1-9]\d{0,15}$/.test(rest)) throw new CorruptItemError(name, `${attribute} must name a rev`);
      if (!(value instanceof Uint8Array)) throw new CorruptItemError(name, `${attribute} must be binary`);
      receipts.set(Number(rest), decodeReceipt(value, `${name} ${attribute}`));
    } else if (kind === 'used' || kind === 'rejected' || kind === 'over' || kind === 'limit') {
      usage.set(rest, { ...(usage.get(rest) ?? noUsage), [kind]: count(name, attribute, value) });
    }
  }
  const history = readHistory(name, item.history);
  for (const [date, closed] of history) {
    if (usage.has(date)) throw new CorruptItemError(name, `${date} is in history and has counters`);
    usage.set(date, closed);
  }
  const closed = new Set(history.keys());
  return { rev: count(name, 'rev', item.rev), usage, closed, bucket: readBucket(name, item), receipts };
}

function readHistory(name: string, history: unknown): Map<string, WindowUsage> {
  if (history === undefined) return new Map();
  if (!(history instanceof Uint8Array)) throw new CorruptItemError(name, 'history must be binary');
  return decodeHistory(history, `${name} history`);
}

function readBucket(name: string, item: Readonly<Record<string, unknown>>): Bucket | undefined {
  if (item.tat === undefined) return undefined;
  const refillPerSecond = item.refill;
  if (typeof refillPerSecond !== 'number' || refillPerSecond <= 0) {
    throw new CorruptItemError(name, 'refill must be a number > 0');
  }
  const burst = count(name, 'burst', item.burst);
  if (burst === 0) throw new CorruptItemError(name, 'burst must be a whole number ≥ 1');
  return {
    tatMicros: count(name, 'tat', item.tat),
    refillPerSecond,
    burst,
    asOfMs: count(name, 'asOf', item.asOf),
  };
}

function count(item: string, attribute: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new CorruptItemError(item, `${attribute} must be a whole number ≥ 0`);
  }
  return value;
}
