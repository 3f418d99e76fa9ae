import { ledgerReaderContract } from '../ledger-reader.contract.ts';
import { MemoryAccountStore } from '../memory-account-store.ts';
import { MemoryLedgerReader } from './memory-ledger-reader.ts';

ledgerReaderContract('MemoryLedgerReader', async () => {
  const store = new MemoryAccountStore();
  return { store, reader: new MemoryLedgerReader(store) };
});
