import { type AccountChange, newAccount } from '../account.ts';
import { chunkIdOf } from '../ledger.ts';
import type { Outcome } from '../outcome.ts';
import { builtInPolicy, type Policy } from '../policy.ts';
import type { ChunkToSettle, SettledChunk, SettleInput } from '../settle.ts';
import type { AccountChunk } from '../settler.ts';

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

/** A chunk of a booking `bk_a` accepted at noon; the fields that matter are given. */
export function chunkOf(fields: Partial<ChunkToSettle> = {}): ChunkToSettle {
  return {
    bookingId: 'bk_a',
    chunk: 0,
    digest: digestOf('a'),
    acceptedAt: noon,
    date: today,
    mode: 'partial',
    costs: [1],
    ...fields,
  };
}

/** The same with row ids, as a Settler wants it. */
export function accountChunkOf(fields: Partial<ChunkToSettle> = {}): AccountChunk {
  const chunk = chunkOf(fields);
  return { ...chunk, ids: chunk.costs.map((_, row) => `row-${row}`) };
}

export function inputOf(fields: Partial<SettleInput> = {}): SettleInput {
  return {
    accountId: 'acme',
    state: newAccount,
    chunks: [chunkOf()],
    recorded: new Map(),
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
    mode: 'enforce',
    thresholds: [0.8, 1],
    settledAt: noon,
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
    bucket: { tatMicros: noon * 1000, refillPerSecond: 10 },
    receipts: new Map([[chunkIdOf(chunkOf()), outcomeOf()]]),
    prunedReceipts: [],
    prunedDates: [],
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
