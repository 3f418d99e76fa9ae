import { expect, it } from 'vitest';
import { runChaos } from './run-chaos.ts';

it('keeps every promise while its processes are killed, its calls fail and its disk fills up', {
  timeout: 300_000,
}, async () => {
  const { signal } = new AbortController();
  const report = await runChaos({ seed: 20_261_129, seconds: 10, onProgress: () => undefined, signal });
  expect(report.differences).toEqual([]);
  for (const fault of ['workers killed', 'intake killed', 'stack killed', 'disk full']) {
    expect(report.faults.of(fault), fault).toBeGreaterThan(0);
  }
  for (const deed of ['calls refused', 'calls stalled', 'writes refused by the disk']) {
    expect(report.deeds.of(deed), deed).toBeGreaterThan(0);
  }
  expect(report.deeds.of('requests cut') + report.deeds.of('replies cut')).toBeGreaterThan(0);
  expect(report.answers.of('without answer')).toBeGreaterThan(0);
  expect(report.deliveries.again).toBeGreaterThan(0);
});
