import { type AccountState, noUsage, type WindowUsage } from '../account.ts';
import { CorruptItemError } from '../errors.ts';
import type { Outcome } from '../outcome.ts';
import type { Bucket } from '../token-bucket.ts';
import { decodeOutcome } from './outcome-bytes.ts';

/**
 * Reads an account item as lib-dynamodb hands it out.
 *
 * @throws CorruptItemError naming the attribute, so that nothing is decided on what cannot be read
 */
export function readAccountItem(item: Readonly<Record<string, unknown>>): AccountState {
  const name = String(item.pk);
  const usage = new Map<string, WindowUsage>();
  const receipts = new Map<string, Outcome>();
  for (const [attribute, value] of Object.entries(item)) {
    const colon = attribute.indexOf(':');
    if (colon < 0) continue;
    const kind = attribute.slice(0, colon);
    const rest = attribute.slice(colon + 1);
    if (kind === 'receipt') {
      // Asked about by its name: one that is no key would fail the question for every account of the batch.
      if (!/^.{1,128}#\d{1,5}$/.test(rest)) throw new CorruptItemError(name, `${attribute} must name a chunk`);
      if (!(value instanceof Uint8Array)) throw new CorruptItemError(name, `${attribute} must be binary`);
      receipts.set(rest, decodeOutcome(value, `${name} ${attribute}`));
    } else if (kind === 'used' || kind === 'rejected' || kind === 'over' || kind === 'limit') {
      usage.set(rest, { ...(usage.get(rest) ?? noUsage), [kind]: count(name, attribute, value) });
    }
  }
  return { rev: count(name, 'rev', item.rev), usage, bucket: readBucket(name, item), receipts };
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
