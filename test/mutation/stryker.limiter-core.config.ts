import { optionsFor } from './options.ts';

/** The rules: everything that decides, counts, paces or remembers, and asks no database. */
export default optionsFor('limiter-core', [
  'policy',
  'window',
  'token-bucket',
  'settle',
  'outcome',
  'bytes',
  'receipt',
  'ledger-item',
  'keys',
  'retention',
  'account-state',
  'account-update',
  'settle-accounts',
  'recorded-chunks',
]);
