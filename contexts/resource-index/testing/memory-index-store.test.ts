import { indexStoreContract } from './index-store-contract.ts';
import { MemoryIndexStore } from './memory-index-store.ts';

indexStoreContract('memory', async (targets) => ({ store: new MemoryIndexStore(targets), close: async () => {} }));
