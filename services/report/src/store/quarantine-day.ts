import { acceptedAtMsOf } from '@usher/contracts';
import { toRfc3339 } from '@usher/limiter-core/bulk';
import type { QuarantineFact } from './event-facts.ts';

/** The day of UTC under which a quarantine event lies: that of its booking's acceptance, else of the event. */
export function quarantineDay({ event, occurredAtMs }: Pick<QuarantineFact, 'event' | 'occurredAtMs'>): string {
  const { bookingId } = event.data;
  return utcDate(bookingId === undefined ? occurredAtMs : acceptedAtMsOf(bookingId));
}

/** The calendar day of UTC at an instant. */
export function utcDate(epochMs: number): string {
  return toRfc3339(epochMs).slice(0, 10);
}

const dayMs = 86_400_000;

/** A calendar day so many days later. */
export function daysAfter(date: string, days: number): string {
  return utcDate(Date.parse(date) + days * dayMs);
}
