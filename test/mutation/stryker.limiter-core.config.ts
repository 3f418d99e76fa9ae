import { optionsFor } from './options.ts';

/** The rules: everything that decides, counts, paces or remembers, and asks no database. */
export default optionsFor('limiter-core', [
  'bulk/policy',
  'bulk/policy-file',
  'bulk/timezone',
  'bulk/window',
  'bulk/token-bucket',
  'bulk/settle',
  'bulk/decide-rows',
  'bulk/outcome',
  'bulk/ledger',
  'bulk/account',
  'bulk/retention',
  'bulk/settler',
  'bulk/receipt-pruning',
  'bulk/ledger-memory',
  'bulk/dynamodb/account-item',
  'bulk/dynamodb/account-update',
  'bulk/dynamodb/bytes',
  'bulk/dynamodb/keys',
  'bulk/dynamodb/ledger-item',
  'bulk/dynamodb/outcome-bytes',
  'bulk/dynamodb/ttl',
]);
