// The forms of stored items, for what looks at a table beside Usher: the demo, benchmarks, the simulation and tests.
export { readAccountItem } from './account-item.ts';
export { readLedgerItem, toLedgerItem } from './ledger-item.ts';
export { decodeOutcome } from './outcome-bytes.ts';
