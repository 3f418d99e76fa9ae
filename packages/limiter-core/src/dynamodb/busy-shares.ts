import { LruMap } from '../limiter/lru-map.ts';
import type { Policy } from '../limiter/store.ts';
import type { StoredItem } from './stored-item.ts';
import type { Updated } from './table.ts';

/** The least weight of an observation: the last sixteen or so count. The first ones weigh more. */
const minWeight = 1 / 16;

/** Idle observations that each bucket begins with: one that is busy at first may be a chance. */
const prior = 2;

/** The share from which on a bucket is guessed to be busy. About one half either guess is as good, and idle the cheaper to mend. */
const likely = 0.55;

interface Share {
  readonly busy: number;
  readonly observations: number;
}

/**
 * For buckets that this process last saw idle, the share of times that others had made them busy since. Above one half the
 * next such bucket is guessed to be busy. A process that is alone never learns a share above 0.
 */
export class BusyShares {
  readonly #shares: LruMap<Share>;

  /** @param max the most buckets that are kept */
  constructor(max: number) {
    this.#shares = new LruMap(max);
  }

  isLikelyBusy(id: string, policy: string): boolean {
    return (this.#shares.get(keyOf(id, policy))?.busy ?? 0) > likely;
  }

  /** Learns from an update that was guessed by an item as it was last seen. */
  learn(
    id: string,
    policies: readonly Policy[],
    { last, updated, nowMs }: { readonly last: StoredItem; readonly updated: Updated; readonly nowMs: number },
  ): void {
    for (const { name, strategy } of policies) {
      if (strategy.kind !== 'bucket') continue;
      const now = nowMs * strategy.ticksPerMs;
      const [before, after] = [last.bucket(name), updated.item.bucket(name)];
      if (before === undefined || before.tat >= now || after === undefined) continue;
      // A take leaves the instant since which a busy bucket has not been full, and begins an idle one anew.
      const wasBusy = updated.isDone ? after.sinceMs < nowMs : after.tat >= now;
      const { busy, observations } = this.#shares.get(keyOf(id, name)) ?? { busy: 0, observations: prior };
      const weight = Math.max(minWeight, 1 / (observations + 1));
      const share = busy + ((wasBusy ? 1 : 0) - busy) * weight;
      this.#shares.set(keyOf(id, name), { busy: share, observations: observations + 1 });
    }
  }
}

function keyOf(id: string, policy: string): string {
  return `${policy} ${id}`;
}
