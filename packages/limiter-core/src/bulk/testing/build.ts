import { type AccountChange, newAccount } from '../account.ts';
import { type ChunkRow, chunkIdOf } from '../ledger.ts';
import type { Outcome } from '../outcome.ts';
import { builtInPolicy, type Policy } from '../policy.ts';
import type { ChunkToSettle, SettledChunk, SettleInput } from '../settle.ts';

/** Noon of the day that most tests play on. */
export const noon = Date.parse('2026-11-29T12:00:00.000Z');
export const today = '2026-11-29';
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** A digest of one repeated hexadecimal digit. */
export function digestOf(digit: string): string {
  return digit.repeat(32);
}

export function policyOf(fields: Partial<Policy> = {}): Policy {
  return { ...builtInPolicy, dailyLimit: 10, ...fields };
}

/** A chunk of a booking `bk_a` accepted at noon; the fields that matter are given, its rows by their costs. */
export function chunkOf({
  costs,
  ...fields
}: Partial<ChunkToSettle> & { costs?: readonly number[] } = {}): ChunkToSettle {
  return {
    bookingId: 'bk_a',
    chunkIndex: 0,
    digest: digestOf('a'),
    acceptedAtMs: noon,
    date: today,
    bookingMode: 'partial',
    rows: rowsOf([1]),
    ...fields,
    ...(costs && { rows: rowsOf(costs) }),
  };
}

/** Rows `row-0` … of these costs. */
export function rowsOf(costs: readonly number[]): ChunkRow[] {
  return costs.map((cost, row) => ({ id: `row-${row}`, cost }));
}

export function inputOf(fields: Partial<SettleInput> = {}): SettleInput {
  return {
    accountId: 'acme',
    state: newAccount,
    chunks: [chunkOf()],
    ledger: new Map(),
    policy: policyOf(),
    nowMs: noon,
    prunable: new Set(),
    ...fields,
  };
}

export function outcomeOf(fields: Partial<Outcome> = {}): Outcome {
  return {
    digest: digestOf('a'),
    date: today,
    reasons: [null],
    usedBefore: 0,
    grantedCost: 1,
    rejectedCost: 0,
    limit: 10,
    limitBefore: null,
    debtMicros: 0,
    refillPerSecond: 10,
    burst: 20,
    policyMode: 'enforce',
    thresholds: [0.8, 1],
    settledAtMs: noon,
    ...fields,
  };
}

/** A change that grants one row of cost 1 today. */
export function changeOf(fields: Partial<AccountChange> = {}): AccountChange {
  return {
    accountId: 'acme',
    seenRev: null,
    enforced: true,
    windows: new Map([[today, { granted: 1, rejected: 0, over: 0, limit: 10 }]]),
    bucket: { tatMicros: noon * 1000, refillPerSecond: 10, burst: 20, asOfMs: noon },
    history: undefined,
    endedDates: [],
    receipt: new Map([[chunkIdOf(chunkOf()), outcomeOf()]]),
    prunedReceipts: [],
    ...fields,
  };
}

/** The outcome of a result that must be settled. */
export function settledOutcome(result: SettledChunk | { kind: 'failed'; error: Error } | undefined): Outcome {
  if (result?.kind === 'settled') return result.outcome;
  throw new Error(`expected a settled chunk, not ${JSON.stringify(result)}`, {
    cause: result?.kind === 'failed' ? result.error : undefined,
  });
}
