import { chunkKeyOf, retention } from '@usher/limiter-core';
import { expiresAt, keys } from '@usher/limiter-core/dynamodb';
import { decodeOutcome } from '@usher/limiter-core/dynamodb/items';
import type { TableWrite } from './table.ts';
import type { World } from './world.ts';

/**
 * The removals that a write of an account may make, checked at its instant: a receipt whose ledger item is there, or
 * which is past its time; a counter of a day that is past its time.
 */
export function checkRemovals(world: World, accountId: string, { before, after, by }: TableWrite): void {
  const latestMs = world.scheduler.nowMs + world.scenario.maxSkewMs;
  const isPast = (atMs: number): boolean => latestMs - atMs >= retention.outcomeMs;
  for (const [name, value] of Object.entries(before ?? {})) {
    if (name in after) continue;
    const kind = name.slice(0, name.indexOf(':'));
    const rest = name.slice(kind.length + 1);
    if (kind !== 'receipt') {
      if (isPast(Date.parse(rest))) continue;
      world.violate(7, `${by?.name} removed ${name} of ${accountId}, which is not past its time`);
      continue;
    }
    const { settledAtMs } = decodeOutcome(value.B ?? new Uint8Array(), rest);
    if (isPast(settledAtMs)) continue;
    const recorded = world.table.read(keys.ledger(chunkKeyOf(rest)))?.expiresAt?.N;
    if (recorded === String(expiresAt(settledAtMs, retention.outcomeMs))) continue;
    world.violate(2, `${by?.name} removed the receipt of ${rest}, which is not in the ledger`);
  }
}
