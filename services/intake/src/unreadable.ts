import { CorruptItemError } from '@usher/limiter-core';
import { errorFields, type Log, type Meter } from '@usher/service';
import { type IntakeMetric, intakeMetrics } from './metrics.ts';

/**
 * Tells operators of one stored item that cannot be read, where the answer goes on without it.
 *
 * @throws the error itself where it is any other
 */
export function reportUnreadable(
  { log, meter }: { readonly log: Log; readonly meter: Meter<IntakeMetric> },
  error: unknown,
  where: { readonly accountId: string; readonly bookingId?: string },
): void {
  if (!(error instanceof CorruptItemError)) throw error;
  log.error('stored item left out', { ...where, ...errorFields(error) });
  meter.count(intakeMetrics.unreadableItems, 1);
}
