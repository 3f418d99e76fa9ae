export { DynamoDbAccountStore, type DynamoDbAccountStoreOptions } from './account-store.ts';
export { type BatchTarget, getItems, type Item, itemId, putItems } from './batch.ts';
export { documentTranslation } from './document-translation.ts';
export { DynamoDbHopStore, type DynamoDbHopStoreOptions } from './hop-store.ts';
export { type ItemKey, keys, limitKeys } from './keys.ts';
export { DynamoDbLedgerReader } from './ledger-reader.ts';
export { tableDefinition } from './table-definition.ts';
export { expiresAt, isExpired } from './ttl.ts';
