import { expect, test } from 'vitest';
import { RecordedChunks } from './recorded-chunks.ts';

test('it knows what was added and nothing else', () => {
  const recorded = new RecordedChunks();
  recorded.add('bk_a#0');
  expect(recorded.has('bk_a#0')).toBe(true);
  expect(recorded.has('bk_a#1')).toBe(false);
});

test('past its capacity it forgets the one added longest ago; adding again makes young', () => {
  const recorded = new RecordedChunks(2);
  for (const id of ['a', 'b', 'a', 'c']) recorded.add(id);
  expect(['a', 'b', 'c'].filter((id) => recorded.has(id))).toEqual(['a', 'c']);
});
