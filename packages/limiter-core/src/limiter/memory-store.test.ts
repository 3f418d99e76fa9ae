import { limitStoreConformance } from './conformance.ts';
import { memory } from './memory-store.ts';

limitStoreConformance('memory', () => ({ store: memory() }));
