import { expect, test } from 'vitest';
import { BodyBudget } from './body-budget.ts';

test('a budget of bodies gives what is free, and takes it back once however often it is returned', () => {
  const budget = new BodyBudget(10);
  const first = budget.take(6);
  expect(budget.take(5)).toBeUndefined();
  first?.();
  first?.();
  expect(budget.take(11)).toBeUndefined();
  expect(budget.take(10)).toBeTypeOf('function');
});
