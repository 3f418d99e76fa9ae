import { rowCountsOf } from '@usher/contracts';
import { builtInPolicy, MemoryAccountStore } from '@usher/limiter-core/bulk';
import { daysContract } from './days.contract.ts';
import { MemoryDays } from './memory-days.ts';

daysContract('MemoryDays', async () => {
  const store = new MemoryAccountStore();
  const days = new MemoryDays({ accounts: store, defaultPolicy: builtInPolicy });
  return {
    days,
    store,
    putHeader: async ({ window, cut, total, ...header }) => {
      days.setBooking({ ...header, ...window, rows: total, chunks: rowCountsOf(cut).length });
    },
    putPolicy: async (accountId, overrides) => days.setPolicy(accountId, overrides),
  };
});
