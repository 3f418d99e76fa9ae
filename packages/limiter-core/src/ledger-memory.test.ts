import { expect, test } from 'vitest';
import { LedgerMemory } from './ledger-memory.ts';

test('it knows what was added and nothing else', () => {
  const memory = new LedgerMemory();
  memory.add('bk_a#0', { settledAtMs: 7 });
  expect(memory.has('bk_a#0', { settledAtMs: 7 })).toBe(true);
  expect(memory.has('bk_a#1', { settledAtMs: 7 })).toBe(false);
});

test('an outcome of another time is another outcome, for a key may be used again after 90 days', () => {
  const memory = new LedgerMemory();
  memory.add('bk_a#0', { settledAtMs: 7 });
  expect(memory.has('bk_a#0', { settledAtMs: 8 })).toBe(false);
  memory.add('bk_a#0', { settledAtMs: 8 });
  expect(memory.has('bk_a#0', { settledAtMs: 8 })).toBe(true);
});

test('past its capacity it forgets the one added longest ago; adding again makes young', () => {
  const memory = new LedgerMemory(2);
  for (const id of ['a', 'b', 'a', 'c']) memory.add(id, { settledAtMs: 7 });
  expect(['a', 'b', 'c'].filter((id) => memory.has(id, { settledAtMs: 7 }))).toEqual(['a', 'c']);
});
