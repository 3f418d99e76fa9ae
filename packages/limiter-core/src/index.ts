export { type AccountState, newAccount, readAccountItem, type WindowUsage } from './account-state.ts';
export type { AccountStore, StoredAccount, StoredOutcome } from './account-store.ts';
export { type AccountUpdate, applyChange, toUpdate } from './account-update.ts';
export { jitteredMs, type RetryEnvironment, systemRetry } from './backoff.ts';
export type { BucketStore, Take, Taken } from './bucket-store.ts';
export { type Clock, systemClock, type VirtualClock, virtualClock } from './clock.ts';
export { documentTranslation } from './document-translation.ts';
export { DynamoDbAccountStore, type DynamoDbAccountStoreOptions } from './dynamodb-account-store.ts';
export { DynamoDbBucketStore, type DynamoDbBucketStoreOptions } from './dynamodb-bucket-store.ts';
export * from './errors.ts';
export { type ChunkKey, chunkIdOf, chunkKeyOf, type ItemKey, keys } from './keys.ts';
export { type LedgerEntry, type LedgerRows, readLedgerItem, toLedgerItem } from './ledger-item.ts';
export { type Check, type Level, Limiter, type LimiterOptions } from './limiter.ts';
export { MemoryAccountStore } from './memory-account-store.ts';
export { MemoryBucketStore } from './memory-bucket-store.ts';
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
  canonicalTimezone,
  isTimezone,
  type Policy,
  PolicyFile,
  PolicyOverrides,
  type PolicySet,
  policyOf,
  readPolicyFile,
  resolvePolicy,
} from './policy.ts';
export { decodeOutcome, encodeOutcome } from './receipt.ts';
export { RecordedChunks } from './recorded-chunks.ts';
export { expiresAt, isExpired, isKept, retention } from './retention.ts';
export {
  type AccountChange,
  type ChunkToSettle,
  type RefusalReason,
  type SettledChunk,
  type SettleInput,
  type Settlement,
  settle,
  type WindowChange,
} from './settle.ts';
export { type AccountChunk, type ChunkResult, type SettleAccountsOptions, settleAccounts } from './settle-accounts.ts';
export { type Bucket, bucketOwing, debtAt, maxDebtMicros, type Rate, type Schedule, schedule } from './token-bucket.ts';
export { toRfc3339, type Window, windowAt, windowOn } from './window.ts';
