// The forms of stored items, for readers of a table beside Usher: the demo, benchmarks, the simulation and tests.
// They are no promise: a store may keep its items in any form.
export { readAccountItem } from './account-item.ts';
export { decodeHistory, encodeHistory } from './history-bytes.ts';
export { readLedgerItem, toLedgerItem } from './ledger-item.ts';
export { decodeOutcome, encodeOutcome } from './outcome-bytes.ts';
export { decodeReceipt, encodeReceipt } from './receipt-bytes.ts';
export { decodeRows, encodeRows } from './row-bytes.ts';
