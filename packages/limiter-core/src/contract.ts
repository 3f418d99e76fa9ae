export { type AccountStoreUnderTest, accountStoreContract } from './account-store.contract.ts';
export { bucketStoreContract } from './bucket-store.contract.ts';
