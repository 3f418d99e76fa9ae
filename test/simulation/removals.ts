import { chunkKeyOf, retention } from '@usher/limiter-core/bulk';
import { expiresAt, keys } from '@usher/limiter-core/bulk/dynamodb';
import { outcomesIn, windowsOf } from './account-items.ts';
import type { Item } from './expressions.ts';
import type { TableWrite } from './table.ts';
import type { World } from './world.ts';

/**
 * The removals that a write of an account may make, checked at its instant: a receipt whose every chunk is in the
 * ledger, or which is past its time; a window that is past its time. One that is packed is there as before.
 */
export function checkRemovals(world: World, accountId: string, { before = {}, after, by }: TableWrite): void {
  const latestMs = world.scheduler.nowMs + aheadMs(world);
  const kept = windowsOf(after);
  for (const [date, was] of windowsOf(before)) {
    const is = kept.get(date);
    if (is === undefined && latestMs - Date.parse(date) < retention.windowMs)
      world.violate(7, `${by?.name} removed the window ${date} of ${accountId}, which is not past its time`);
    else if (is !== undefined && (is.used < was.used || is.rejected < was.rejected || is.over < was.over))
      world.violate(7, `${by?.name} lost what ${accountId} had counted in ${date}`);
  }
  for (const name of Object.keys(before)) {
    if (!name.startsWith('receipt:') || name in after) continue;
    for (const chunkId of missingOf(world, before, name, latestMs)) {
      world.violate(2, `${by?.name} removed the receipt of ${chunkId}, which is not in the ledger`);
    }
  }
}

/** Chunks of a receipt that are in time and not in the ledger. */
function missingOf(world: World, item: Item, attribute: string, latestMs: number): string[] {
  return [...outcomesIn(item, attribute)]
    .filter(([chunkId, { settledAtMs }]) => {
      if (latestMs - settledAtMs >= retention.outcomeMs) return false;
      const recorded = world.table.read(keys.ledger(chunkKeyOf(chunkId)))?.expiresAt?.N;
      return recorded !== String(expiresAt(settledAtMs, retention.outcomeMs));
    })
    .map(([chunkId]) => chunkId);
}

/** The most by which a clock is ahead: a wrong one takes the time of windows for past as much sooner. */
function aheadMs({ scenario }: World): number {
  return Math.max(scenario.maxSkewMs, scenario.wrongClock?.aheadMs ?? 0);
}
