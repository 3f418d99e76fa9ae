import type { AccountDayFacts, HeaderFact, QuarantineEvent, UsageEvent } from '../model/facts.ts';
import type { Missing } from '../model/report.ts';
import { compareText } from './limits.ts';

/** A booking that is still being accepted can be resumed for so long; no chunk of it is sent later. */
export const resumableMs = 14 * 86_400_000;

/**
 * The parts of an account's day that are missing, by name. A day misses nothing where every booking's header is accepted, or too
 * old to be resumed, and every chunk of an accepted one is decided or in quarantine.
 */
export function missingOf(
  { accountId, timezone, headers }: Pick<AccountDayFacts, 'accountId' | 'timezone' | 'headers'>,
  events: { readonly usage: readonly UsageEvent[]; readonly quarantined: readonly QuarantineEvent[] },
  nowMs: number,
): Missing[] {
  const seen = chunksSeen(events);
  const unknown = new Set(seen.keys());
  const missing: Missing[] = [];
  for (const header of new Map(headers.map((one) => [one.bookingId, one])).values()) {
    const { bookingId } = header;
    unknown.delete(bookingId);
    const subject = { accountId, timezone, bookingId };
    if (header.status === 'accepting') {
      if (nowMs - Date.parse(header.acceptedAt) < resumableMs)
        missing.push({ ...subject, kind: 'acceptance', count: 0 });
      continue;
    }
    const chunks = missingChunks(header, seen.get(bookingId) ?? new Set());
    if (chunks.length > 0) missing.push({ ...subject, kind: 'chunks', chunks: rangesOf(chunks), count: chunks.length });
  }
  for (const bookingId of unknown) missing.push({ accountId, timezone, bookingId, kind: 'header', count: 0 });
  return missing.sort((a, b) => compareText(a.bookingId, b.bookingId));
}

/** The chunks of each booking that an event accounts for. */
function chunksSeen(events: Parameters<typeof missingOf>[1]): Map<string, Set<number>> {
  const seen = new Map<string, Set<number>>();
  for (const { data } of [...events.usage, ...events.quarantined]) {
    if (data.bookingId === undefined || data.chunk === undefined) continue;
    const chunks = seen.get(data.bookingId) ?? new Set();
    seen.set(data.bookingId, chunks.add(data.chunk));
  }
  return seen;
}

function missingChunks({ chunks }: HeaderFact, seen: ReadonlySet<number>): number[] {
  return Array.from({ length: chunks }, (_, chunk) => chunk).filter((chunk) => !seen.has(chunk));
}

/** Ascending numbers as ranges: `0-3,7`. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] === number - 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(',');
}
