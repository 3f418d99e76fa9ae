import { type } from 'arktype';

/** The order to the process that closes days: its folder, its time, and the step at which it is to die. */
export const CloserOrder = type({
  dataDir: 'string > 0',
  startsAtMs: 'number.integer',
  policies: 'object',
  /** In the first file whose path begins so, or before a step of the first run that comes to it. */
  'dies?': { 'in?': 'string', 'before?': "'sealing' | 'telling' | 'noting'" },
});
export type CloserOrder = typeof CloserOrder.infer;
