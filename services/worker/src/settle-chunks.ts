import {
  amounts,
  type ChunkResult,
  DeterministicError,
  InvalidPolicyError,
  type RefusalReason,
  type SettleCall,
  type Settler,
  UsherError,
} from '@usher/limiter-core/bulk';
import { errorFields } from '@usher/service';
import type { BadDelivery, ChunkDelivery, SettledDelivery } from './deliveries.ts';
import type { Invocation } from './invocation.ts';
import { workerMetrics } from './metrics.ts';
import type { WorkerPorts } from './ports.ts';
import { isLastTry } from './receives.ts';

/** The fault of a chunk that settle refuses, in words. */
const problems: Record<RefusalReason, string> = {
  too_old: 'the booking was accepted more than 28 days ago',
  digest_mismatch: 'the chunk was settled before, with another content',
};

/** Deliveries that are decided: settled, or refused for good. */
export interface Decided {
  readonly settled: readonly SettledDelivery[];
  readonly bad: readonly (ChunkDelivery & BadDelivery)[];
}

/**
 * Settles the chunks of a batch, account by account in order, and marks as failed those that could not be. An account
 * that others change meanwhile is tried again only when the next round is asked for: what is decided of the others can
 * be handed on before. There is one round at least, and some may be empty.
 */
export async function* settleChunks(
  deliveries: readonly ChunkDelivery[],
  settler: Settler,
  invocation: Invocation,
): AsyncGenerator<Decided, void, void> {
  if (deliveries.length === 0) {
    yield { settled: [], bad: [] };
    return;
  }
  const { ports } = invocation;
  const byAccount = Map.groupBy(deliveries, ({ accountId }) => accountId);
  const groups = new Map([...byAccount].map(([id, own]) => [id, own.map(({ chunk }) => chunk)]));
  let startedAtMs = ports.clock();
  let spentMs = 0;
  for await (const round of settler.settleInRounds(groups, callOf(invocation))) {
    const results = new Map(round);
    for (const accountId of round.keys()) {
      const own = byAccount.get(accountId) ?? [];
      if (isSuspicious(own, results.get(accountId) ?? [])) {
        results.set(accountId, await settleAlone(own, settler, invocation));
      }
    }
    spentMs += Math.max(0, ports.clock() - startedAtMs);
    tellPolicies(results, ports);
    const decided = deliveries.filter(({ accountId }) => results.has(accountId));
    yield sortOut(decided, results, invocation);
    startedAtMs = ports.clock();
  }
  ports.meter.time(workerMetrics.settleLatency, spentMs);
}

/** Tells settled and refused deliveries apart, in the order of the batch, and marks as failed what is neither. */
function sortOut(
  deliveries: readonly ChunkDelivery[],
  results: ReadonlyMap<string, readonly ChunkResult[]>,
  invocation: Invocation,
): Decided {
  const settled: SettledDelivery[] = [];
  const bad: (ChunkDelivery & BadDelivery)[] = [];
  const byAccount = Map.groupBy(deliveries, ({ accountId }) => accountId);
  const resultOf = new Map([...byAccount].flatMap(([id, own]) => own.map((one, i) => [one, results.get(id)?.[i]])));
  // In the order of the batch, so that what time is left for is done for its first messages.
  for (const one of deliveries) {
    const result = resultOf.get(one);
    if (result?.kind === 'settled') {
      settled.push({ ...one, outcome: result.outcome, origin: result.origin });
    } else if (result?.kind === 'refused') {
      bad.push({ ...one, names: one.chunk, reason: result.reason, problem: problems[result.reason] });
    } else {
      fail(one, result?.error, invocation);
    }
  }
  count(settled, invocation.ports);
  return { settled, bad };
}

function callOf({ ports, isOverdue }: Invocation): SettleCall {
  return {
    isOverdue,
    onContention: () => ports.meter.count(workerMetrics.contentionRetries, 1),
    onWrongClock: (accountId, aheadMs) => {
      ports.log.warn('A bucket was scheduled by a wrong clock', { accountId, aheadMs });
      ports.meter.count(workerMetrics.wrongClocks, 1);
    },
  };
}

/** True where one chunk at its last try may have failed all of its account, which is written as a whole. */
function isSuspicious(own: readonly ChunkDelivery[], results: readonly ChunkResult[]): boolean {
  if (own.length < 2 || !own.some(({ delivery }) => isLastTry(delivery))) return false;
  return results.every((result) => result.kind === 'failed' && result.error instanceof DeterministicError);
}

/** Settles an account's chunks one by one up to the first that fails: that one is at fault, the rest wait behind it. */
async function settleAlone(
  own: readonly ChunkDelivery[],
  settler: Settler,
  invocation: Invocation,
): Promise<ChunkResult[]> {
  const results: ChunkResult[] = [];
  for (const one of own) {
    const { accountId } = one;
    const [result] = await settler.settle(accountId, [one.chunk], callOf(invocation));
    if (result !== undefined) results.push(result);
    if (result?.kind !== 'settled' && result?.kind !== 'refused') break;
  }
  const behind: ChunkResult = { kind: 'failed', error: new BehindFailedError() };
  return [...results, ...own.slice(results.length).map(() => behind)];
}

/** A chunk was not tried, for one before it has failed. */
class BehindFailedError extends UsherError {
  override readonly name = 'BehindFailedError';
}

function fail(one: ChunkDelivery, error: Error | undefined, { ports, failed, broken }: Invocation): void {
  const { messageId } = one.delivery;
  const { accountId, bookingId, chunkIndex: chunk } = one.chunk;
  failed.add(messageId);
  if (error instanceof DeterministicError) broken.set(messageId, error);
  ports.log.error('A chunk could not be settled', { accountId, bookingId, chunk, messageId, ...errorFields(error) });
}

/** A policy that cannot be read is an operator's to mend: its account waits, and is named. */
function tellPolicies(results: ReadonlyMap<string, readonly ChunkResult[]>, { log, meter }: WorkerPorts): void {
  for (const [accountId, own] of results) {
    const unreadable = own.find((result) => result.kind === 'failed' && result.error instanceof InvalidPolicyError);
    if (unreadable?.kind !== 'failed') continue;
    log.error("An account's policy cannot be read", { accountId, ...errorFields(unreadable.error) });
    meter.count(workerMetrics.unreadablePolicies, 1);
  }
}

/** The deliveries without those that carry the same chunk once more: one of them is enough to publish and dispatch. */
export function distinctChunks(settled: readonly SettledDelivery[]): SettledDelivery[] {
  const seen = new Set<string>();
  return settled.filter(({ chunk: { digest } }) => seen.size < seen.add(digest).size);
}

function count(settled: readonly SettledDelivery[], { meter, log }: WorkerPorts): void {
  let granted = 0;
  let rejected = 0;
  let replayed = 0;
  for (const { chunk: booked, outcome, origin } of settled) {
    const counts = amounts(outcome);
    if (origin === 'new') {
      granted += counts.granted.count;
      rejected += counts.rejected.count;
    } else {
      replayed += 1;
    }
    const { accountId, bookingId, chunkIndex: chunk } = booked;
    log.info('Chunk settled', { accountId, bookingId, chunk, origin, ...counts });
  }
  meter.count(workerMetrics.granted, granted);
  meter.count(workerMetrics.rejected, rejected);
  meter.count(workerMetrics.replayed, replayed);
}
