import { expect, test } from 'vitest';
import { LedgerMemory } from './ledger-memory.ts';

test('it knows what was added and nothing else', () => {
  const memory = new LedgerMemory();
  memory.add('bk_a#0');
  expect(memory.has('bk_a#0')).toBe(true);
  expect(memory.has('bk_a#1')).toBe(false);
});

test('past its capacity it forgets the one added longest ago; adding again makes young', () => {
  const memory = new LedgerMemory(2);
  for (const id of ['a', 'b', 'a', 'c']) memory.add(id);
  expect(['a', 'b', 'c'].filter((id) => memory.has(id))).toEqual(['a', 'c']);
});
