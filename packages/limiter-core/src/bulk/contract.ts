export { type AccountStoreUnderTest, accountStoreContract } from './account-store.contract.ts';
export { hopStoreContract } from './hop-store.contract.ts';
export { type LedgerReaderUnderTest, ledgerReaderContract } from './ledger-reader.contract.ts';
