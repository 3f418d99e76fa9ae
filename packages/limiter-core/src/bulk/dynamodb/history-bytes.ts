import type { WindowUsage } from '../account.ts';
import { ByteWriter } from './bytes.ts';
import { dateOfDay, dayOf, decoded } from './outcome-bytes.ts';

const version = 1;

/** Writes closed windows as bytes, about ten for a window: each date by its days after the one before. */
export function encodeHistory(history: ReadonlyMap<string, WindowUsage>): Uint8Array {
  const out = new ByteWriter();
  out.byte(version);
  out.uint(history.size);
  let last = 0;
  for (const [date, usage] of [...history].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const day = dayOf(date);
    out.uint(day - last);
    last = day;
    out.uint(usage.used);
    out.uint(usage.rejected);
    out.uint(usage.over);
    out.uint(usage.limit === null ? 0 : usage.limit + 1);
  }
  return out.bytes();
}

/**
 * Reads the bytes of {@link encodeHistory}.
 *
 * @param item the item's name, for the error where the bytes are no history
 * @throws CorruptItemError
 */
export function decodeHistory(bytes: Uint8Array, item: string): Map<string, WindowUsage> {
  return decoded(bytes, { item, what: 'history', version }, (input) => {
    const history = new Map<string, WindowUsage>();
    const windows = input.uint();
    let day = 0;
    while (history.size < windows) {
      const days = input.uint();
      if (days === 0 && history.size > 0) throw new RangeError('a date is in it twice');
      day += days;
      const [used, rejected, over, limit] = [input.uint(), input.uint(), input.uint(), input.uint()];
      history.set(dateOfDay(day), { used, rejected, over, limit: limit === 0 ? null : limit - 1 });
    }
    return history;
  });
}
