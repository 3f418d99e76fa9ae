import { expect, test } from 'vitest';
import { outcomesOf } from './account.ts';
import { outcomeOf } from './testing/build.ts';

test('the outcomes of receipts come in the order in which they were decided, whatever order the receipts were read in', () => {
  const receipts = new Map([
    [10, new Map([['bk_a#2', outcomeOf()]])],
    [
      9,
      new Map([
        ['bk_a#1', outcomeOf()],
        ['bk_a#0', outcomeOf()],
      ]),
    ],
  ]);
  expect([...outcomesOf(receipts).keys()]).toEqual(['bk_a#1', 'bk_a#0', 'bk_a#2']);
});
