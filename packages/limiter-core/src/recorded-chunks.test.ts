import { expect, test } from 'vitest';
import { RecordedChunks } from './recorded-chunks.ts';

test('it knows what was added and nothing else', () => {
  const recorded = new RecordedChunks();
  recorded.add('bk_a#0', { settledAt: 7 });
  expect(recorded.has('bk_a#0', { settledAt: 7 })).toBe(true);
  expect(recorded.has('bk_a#1', { settledAt: 7 })).toBe(false);
});

test('an outcome of another time is another outcome, for a key may be used again after 90 days', () => {
  const recorded = new RecordedChunks();
  recorded.add('bk_a#0', { settledAt: 7 });
  expect(recorded.has('bk_a#0', { settledAt: 8 })).toBe(false);
  recorded.add('bk_a#0', { settledAt: 8 });
  expect(recorded.has('bk_a#0', { settledAt: 8 })).toBe(true);
});

test('past its capacity it forgets the one added longest ago; adding again makes young', () => {
  const recorded = new RecordedChunks(2);
  for (const id of ['a', 'b', 'a', 'c']) recorded.add(id, { settledAt: 7 });
  expect(['a', 'b', 'c'].filter((id) => recorded.has(id, { settledAt: 7 }))).toEqual(['a', 'c']);
});
