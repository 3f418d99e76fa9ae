import { expect, test } from 'vitest';
import { powertoolsMeter } from './meter.ts';

test('what is counted and what is timed have their units', () => {
  const added: unknown[] = [];
  const meter = powertoolsMeter({ addMetric: (...metric) => void added.push(metric) });
  meter.count('Granted', 3);
  meter.time('SettleLatency', 0);
  expect(added).toEqual([
    ['Granted', 'Count', 3],
    ['SettleLatency', 'Milliseconds', 0],
  ]);
});
