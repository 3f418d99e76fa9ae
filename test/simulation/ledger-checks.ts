import { inflateRawSync } from 'node:zlib';
import { retention } from '@usher/limiter-core/bulk';
import { expiresAt } from '@usher/limiter-core/bulk/dynamodb';
import { decodeOutcome } from '@usher/limiter-core/bulk/dynamodb/items';
import type { Item } from './expressions.ts';
import type { Violation } from './history.ts';
import type { Settlement } from './settlements.ts';
import type { TableWrite } from './table.ts';
import { minuteMs } from './times.ts';
import type { World } from './world.ts';

type Violate = (promise: Violation['promise'], message: string) => void;
type Settled = ReadonlyMap<string, Settlement>;

/** Promise 2: whatever the ledger was ever given for a chunk is its first verdict, and it never forgets the rows. */
export function checkLedger({ history, scenario }: World, settled: Settled, violate: Violate): void {
  for (const { key, before, after, atMs } of history.ledgerWrites) {
    const chunkId = chunkIdOf(key);
    const first = settled.get(chunkId);
    if (first === undefined) violate(2, `the ledger got ${chunkId}, which no write of its account settled`);
    else if (!isVerdict(after, first)) violate(2, `the ledger got another verdict for ${chunkId} than its first`);
    // What is written a little late in its last minute does no harm: nobody counts it any more.
    if (Number(after.expiresAt?.N) * 1000 < atMs - scenario.maxSkewMs - minuteMs) {
      violate(2, `the ledger got ${chunkId} after its time`);
    }
    if (before?.complete?.BOOL === true && after.complete?.BOOL !== true) {
      violate(3, `the ledger's ${chunkId} lost its rows`);
    }
  }
}

/** True where a ledger item tells an outcome, in bytes and in the clear, and, if any rows, those of its message. */
function isVerdict({ outcome, granted, rejected, complete, rows, expiresAt: gone }: Item, first: Settlement): boolean {
  const { reservations } = first.message;
  const isOutcome =
    JSON.stringify(decodeOutcome(outcome?.B ?? new Uint8Array(), first.chunkId)) === JSON.stringify(first.outcome) &&
    granted?.N === String(first.outcome.grantedCost) &&
    rejected?.N === String(first.outcome.rejectedCost) &&
    gone?.N === expiryOf(first);
  if (!isOutcome || complete?.BOOL !== true) return isOutcome;
  const [ids, costs]: unknown[] = JSON.parse(inflateRawSync(rows?.B ?? new Uint8Array()).toString());
  return (
    JSON.stringify(ids) === JSON.stringify(reservations.map(({ id }) => id)) &&
    JSON.stringify(costs) === JSON.stringify(reservations.map(({ cost }) => cost))
  );
}

/** The expiry of a chunk's ledger item, as the item says it. */
export function expiryOf({ outcome }: Settlement): string {
  return String(expiresAt(outcome.settledAtMs, retention.outcomeMs));
}

export function chunkIdOf({ pk, sk }: TableWrite['key']): string {
  return `${pk.slice('ledger#'.length)}#${Number(sk.slice('c#'.length))}`;
}
