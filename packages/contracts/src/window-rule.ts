import type { Window } from './fields.ts';

const hourMs = 3_600_000;
/** The first instant that a booking can have been accepted at: Usher is younger. */
const earliest = '2020-01-01T00:00:00.000Z';
/** Offsets of zones reach from −12 to +14 hours; a day whose midnight does not exist begins up to three hours late. */
const offsetHours = { least: -12, most: 14, lateStart: 3 } as const;
/** Days are 23 to 25 hours long, and were 21 and 27 where a zone moved by three hours. */
const lengthHours = { least: 20, most: 28 } as const;

/**
 * The fault of a message's window, by its field; undefined where it can be the local day of the acceptance. The window is
 * not computed again: the sender's time zone data may be newer or older than ours, and the window that the partner was
 * told holds. It only has to contain the instant, and to be a day of about the length and place that a zone can give it.
 */
export function windowProblem({
  acceptedAt,
  window,
}: {
  readonly acceptedAt: string;
  readonly window: typeof Window.infer;
}): { readonly path: readonly string[]; readonly expected: string } | undefined {
  // Instants of one form compare as text.
  if (acceptedAt < earliest) return { path: ['acceptedAt'], expected: `at or after ${earliest}` };
  if (acceptedAt < window.startsAt) return { path: ['window', 'startsAt'], expected: 'at or before acceptedAt' };
  if (acceptedAt >= window.resetsAt) return { path: ['window', 'resetsAt'], expected: 'after acceptedAt' };
  const startMs = Date.parse(window.startsAt);
  if (!isWithin(Date.parse(window.resetsAt) - startMs, lengthHours.least, lengthHours.most)) {
    return { path: ['window', 'resetsAt'], expected: 'about a day after startsAt' };
  }
  const { least, most, lateStart } = offsetHours;
  if (!isWithin(startMs - Date.parse(window.date), -most, -least + lateStart)) {
    return { path: ['window', 'date'], expected: 'the local day that begins at startsAt' };
  }
  return undefined;
}

function isWithin(spanMs: number, leastHours: number, mostHours: number): boolean {
  return spanMs >= leastHours * hourMs && spanMs <= mostHours * hourMs;
}
