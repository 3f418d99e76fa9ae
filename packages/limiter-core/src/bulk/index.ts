export { jitteredMs, type RetryEnvironment, systemRetry } from '../backoff.ts';
export { type Clock, systemClock, type VirtualClock, virtualClock } from '../clock.ts';
export * from '../errors.ts';
export {
  type AccountChange,
  type AccountState,
  newAccount,
  type Receipt,
  type WindowChange,
  type WindowUsage,
} from './account.ts';
export type { AccountStore, StoredAccount, StoredOutcome } from './account-store.ts';
export type { HopClaim, HopStore } from './hop-store.ts';
export {
  type ChunkKey,
  type ChunkRange,
  type ChunkRow,
  chunkIdOf,
  chunkKeyOf,
  type LedgerEntry,
  type LedgerPart,
  type LedgerReader,
} from './ledger.ts';
export type { LedgerMemory } from './ledger-memory.ts';
export { MemoryAccountStore } from './memory-account-store.ts';
export { MemoryHopStore } from './memory-hop-store.ts';
export {
  type Amount,
  amounts,
  dispatchTimes,
  isGranted,
  type Outcome,
  type RejectReason,
  rejectReasons,
  thresholdsReached,
  usedAfter,
} from './outcome.ts';
export { builtInPolicy, type Policy } from './policy.ts';
export { PolicyFile, PolicyOverrides, type PolicySet, policyOf, readPolicyFile, resolvePolicy } from './policy-file.ts';
export { isKept, isWindowClosed, isWindowKept, retention } from './retention.ts';
export {
  type ChunkToSettle,
  type RefusalReason,
  type SettledChunk,
  type SettleInput,
  type Settlement,
  settle,
} from './settle.ts';
export {
  type ChunkResult,
  type ChunksByAccount,
  type ResultsByAccount,
  type SettleCall,
  Settler,
  type SettlerOptions,
} from './settler.ts';
export { canonicalTimezone, isTimezone } from './timezone.ts';
export { type Bucket, type BucketAt, maxBacklogMs, type Rate, type Schedule, schedule } from './token-bucket.ts';
export { toRfc3339, type Window, windowAt, windowOn } from './window.ts';
