import { expect, test } from 'vitest';
import { retention } from './retention.ts';

test('each kind outlives what may still ask for it', () => {
  expect(retention.outcomeMs).toBeGreaterThan(retention.unsettledMs);
  expect(retention.headerMs).toBeGreaterThanOrEqual(retention.unsettledMs + retention.outcomeMs);
});
