import type { BulkBooking } from '@usher/local-stack/testing';
import { Prng } from '../simulation/prng.ts';

/** One account of a scenario, and its policy. */
export interface Account {
  readonly accountId: string;
  readonly policy: { readonly dailyLimit: number; readonly refillPerSecond: number; readonly burst: number };
}

const accountCount = 24;
/** The largest cost that a row may have. */
const maxCost = 10_000;

/**
 * The accounts of a scenario. A third of them is never full; the others reject a good part of what a run of so many
 * seconds asks for. Slow refills make dispatches wait, though none much longer than the run.
 */
export function accountsOf(seconds: number): Account[] {
  return Array.from({ length: accountCount }, (_, n) => {
    const refillPerSecond = [15, 60, 1_000][n % 3] ?? 1_000;
    const dailyLimit =
      n % 3 === 2 ? 1_000_000 : Math.min(maxCost - 1, Math.max(50, Math.round(refillPerSecond * seconds * 0.5)));
    return { accountId: `account-${n}`, policy: { dailyLimit, refillPerSecond, burst: 2 * refillPerSecond } };
  });
}

/** One partner's behaviour, by its own seed: its bookings, one after another, and the pauses between them. */
export class Partner {
  readonly account: Account;
  readonly #prng: Prng;
  #bookings = 0;

  constructor(account: Account, seed: number) {
    this.account = account;
    this.#prng = new Prng(seed);
  }

  nextBooking(): BulkBooking {
    const { accountId, policy } = this.account;
    const prng = this.#prng;
    const idempotencyKey = `${accountId}-${this.#bookings++}`;
    const rows = prng.pick([prng.int(1, 10), prng.int(1, 40), prng.int(1, 40), prng.int(60, 320)]);
    const tooLarge = policy.dailyLimit < maxCost && prng.chance(0.03) ? prng.int(0, rows - 1) : -1;
    const costOf = (row: number): number =>
      row === tooLarge ? policy.dailyLimit + 1 : prng.chance(0.9) ? 1 : prng.int(2, 9);
    const reservations = Array.from({ length: rows }, (_, row) => ({
      id: `${idempotencyKey}-${row}`,
      cost: costOf(row),
    }));
    return { accountId, idempotencyKey, reservations };
  }

  /** True where the partner sends its booking again, as a client does that has lost its answer. */
  repeats(): boolean {
    return this.#prng.chance(0.1);
  }

  /** True where the partner asks for the booking that it has sent. */
  looks(): boolean {
    return this.#prng.chance(0.2);
  }

  pauseMs(): number {
    return this.#prng.int(200, 1_400);
  }
}
