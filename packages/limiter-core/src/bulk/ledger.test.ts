import { expect, test } from 'vitest';
import { chunkIdOf, chunkKeyOf } from './ledger.ts';

test('a chunk id names its chunk, also where the booking id holds the separator', () => {
  for (const key of [
    { bookingId: 'bk_a', chunkIndex: 0 },
    { bookingId: 'a#b', chunkIndex: 99 },
  ]) {
    expect(chunkKeyOf(chunkIdOf(key))).toEqual(key);
  }
});
