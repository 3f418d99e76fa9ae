import { expect, test } from 'vitest';
import { distinct } from './events.ts';

const first = { metadata: { id: 'a' }, data: 1 };
const other = { metadata: { id: 'a' }, data: 2 };

test('of repeated events one stays, and the others are counted', () => {
  expect(distinct([first, structuredClone(first), { metadata: { id: 'b' }, data: 1 }])).toEqual({
    events: [first, { metadata: { id: 'b' }, data: 1 }],
    repeats: 1,
  });
});

test('of events that differ under one id the same one stays, whichever came first', () => {
  expect(distinct([first, other])).toEqual({ events: [first], repeats: 1 });
  expect(distinct([other, first])).toEqual({ events: [first], repeats: 1 });
});
