import { hopStoreContract } from './hop-store.contract.ts';
import { MemoryHopStore } from './memory-hop-store.ts';

hopStoreContract('MemoryHopStore', async () => new MemoryHopStore());
