export { type AccountState, newAccount, readAccountItem, type WindowUsage } from './account-state.ts';
export { type Clock, systemClock, type VirtualClock, virtualClock } from './clock.ts';
export * from './errors.ts';
export { type ChunkKey, chunkIdOf, chunkKeyOf, type ItemKey, keys } from './keys.ts';
export { type LedgerEntry, type LedgerRows, readLedgerItem, toLedgerItem } from './ledger-item.ts';
export {
  type Amount,
  amounts,
  dispatchTimes,
  isGranted,
  type Outcome,
  type RejectReason,
  thresholdsReached,
  usedAfter,
} from './outcome.ts';
export {
  builtInPolicy,
  type Policy,
  PolicyFile,
  PolicyOverrides,
  type PolicySet,
  readPolicyFile,
  resolvePolicy,
} from './policy.ts';
export { decodeOutcome, encodeOutcome } from './receipt.ts';
export { expiresAt, isExpired, retention } from './retention.ts';
export { type Bucket, bucketOwing, debtAt, maxDebtMicros, type Rate, type Schedule, schedule } from './token-bucket.ts';
export { toRfc3339, type Window, windowAt } from './window.ts';
