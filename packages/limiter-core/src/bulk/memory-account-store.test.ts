import { expect, test } from 'vitest';
import { accountStoreContract } from './account-store.contract.ts';
import { MemoryAccountStore } from './memory-account-store.ts';
import { outcomeOf } from './testing/build.ts';

accountStoreContract('MemoryAccountStore', async () => {
  const store = new MemoryAccountStore();
  return { store, setOverrides: async (accountId, overrides) => store.setOverrides(accountId, overrides) };
});

test('its ledger can be listed, and overrides can be removed again', async () => {
  const store = new MemoryAccountStore();
  const entry = { bookingId: 'bk_a', chunkIndex: 0, accountId: 'acme', outcome: outcomeOf() };
  await store.writeLedger([entry]);
  expect(store.ledger()).toEqual([entry]);
  store.setOverrides('acme', { burst: 1 });
  store.setOverrides('acme', undefined);
  expect((await store.readAccounts(['acme'])).get('acme')?.overrides).toBeUndefined();
});
