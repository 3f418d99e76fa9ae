import { optionsFor } from './options.ts';

/** The rules: everything that decides, counts, paces or remembers, and asks no database. */
export default optionsFor('limiter-core', [
  'policy',
  'policy-file',
  'timezone',
  'window',
  'token-bucket',
  'settle',
  'decide-rows',
  'outcome',
  'ledger',
  'account',
  'retention',
  'settler',
  'receipt-pruning',
  'ledger-memory',
  'dynamodb/account-item',
  'dynamodb/account-update',
  'dynamodb/bytes',
  'dynamodb/keys',
  'dynamodb/ledger-item',
  'dynamodb/outcome-bytes',
  'dynamodb/ttl',
]);
