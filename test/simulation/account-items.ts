import type { Outcome } from '@usher/limiter-core/bulk';
import { decodeHistory, decodeReceipt } from '@usher/limiter-core/bulk/dynamodb/items';
import { type Item, numberOf } from './expressions.ts';

/** The counted cost of one window, wherever the item keeps it. */
export interface Counted {
  readonly used: number;
  readonly rejected: number;
  readonly over: number;
}

const nothing: Counted = { used: 0, rejected: 0, over: 0 };

/** The windows of an account's item by date, closed ones among them. */
export function windowsOf(item: Item | undefined): Map<string, Counted> {
  const windows = new Map<string, Counted>(closedWindowsOf(item));
  for (const [name, value] of Object.entries(item ?? {})) {
    const [kind = '', date = ''] = name.split(':');
    if (kind !== 'used' && kind !== 'rejected' && kind !== 'over') continue;
    windows.set(date, { ...nothing, ...windows.get(date), [kind]: numberOf(value) });
  }
  return windows;
}

/** The closed windows of an account's item by date. */
export function closedWindowsOf(item: Item | undefined): Map<string, Counted> {
  const history = item?.history?.B;
  return new Map(
    [...(history === undefined ? [] : decodeHistory(history, 'history'))].map(([date, { used, rejected, over }]) => [
      date,
      { used, rejected, over },
    ]),
  );
}

/** The outcomes of a receipt attribute by chunk id, in the order in which they were decided. */
export function outcomesIn(item: Item, attribute: string): Map<string, Outcome> {
  return decodeReceipt(item[attribute]?.B ?? new Uint8Array(), attribute);
}
