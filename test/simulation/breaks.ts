import type { Break } from './break.ts';
import { coreBreaks } from './core-breaks.ts';
import { pacingBreaks } from './pacing-breaks.ts';
import { serviceBreaks } from './service-breaks.ts';

/**
 * All breaks. Each is put into the product's code as it is loaded, in a module graph of its own; the product has no
 * switch for it.
 */
export const breaks: readonly Break[] = [...coreBreaks, ...serviceBreaks, ...pacingBreaks];
