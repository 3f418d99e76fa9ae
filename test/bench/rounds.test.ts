import { expect, test } from 'vitest';
import type { Contender } from './contender.ts';
import { newLatencies } from './latencies.ts';
import { emptyTally } from './meter.ts';
import { type RoundsOptions, runRounds } from './rounds.ts';
import { missingBounds, summarise } from './summary.ts';

/** A contender whose rounds, after the search, take the seconds of a list, and the last of them from then on. */
function contenderOf(key: string, baseline: string, seconds: readonly number[]): Contender {
  let rounds = 0;
  return {
    key,
    name: key,
    algorithm: 'token bucket',
    endpoint: 'memory',
    baseline,
    widths: [1],
    run: async ({ name }) => {
      const took = name.startsWith('trial') ? 1 : (seconds[rounds++] ?? seconds.at(-1) ?? 1);
      return { decisions: 100, seconds: took, tally: emptyTally, latencies: newLatencies() };
    },
    close: () => undefined,
  };
}

const options: RoundsOptions = {
  rounds: 3,
  budgetMs: 0,
  trialShare: 1,
  searchPasses: 1,
  contention: { callers: 1, processes: 1, asksPerCaller: 1, limit: 1 },
  missing: (measured) =>
    missingBounds(
      summarise(measured),
      new Map([
        ['hit', { minRatio: 1 }],
        ['spared', { minRatio: 1 }],
      ]),
    ),
  onProgress: () => undefined,
};

test('who misses a bound is measured for longer beside its baseline, and all its rounds count', async () => {
  const measured = await runRounds(
    [
      contenderOf('hit', 'baseline', [4, 4, 4, 0.5]),
      contenderOf('spared', 'baseline', [0.5]),
      contenderOf('baseline', 'baseline', [1]),
    ],
    options,
  );
  expect(measured.map(({ rates }) => rates.length)).toEqual([11, 3, 11]);
  expect(summarise(measured).map(({ ratio }) => ratio)).toMatchObject([
    { median: 2, min: 0.25 },
    { median: 2, min: 2 },
    { median: 1 },
  ]);
  expect(measured[0]?.decisions).toBe(1100);
});

test('who is slower than its bound misses it however long it is measured', async () => {
  const measured = await runRounds(
    [contenderOf('hit', 'baseline', [3, 2, 3]), contenderOf('baseline', 'baseline', [1])],
    options,
  );
  expect(options.missing(measured)).toEqual(new Set(['hit']));
});

test('who keeps its bounds is not measured again', async () => {
  const measured = await runRounds(
    [contenderOf('hit', 'baseline', [0.5]), contenderOf('baseline', 'baseline', [1])],
    options,
  );
  expect(measured.map(({ rates }) => rates.length)).toEqual([3, 3]);
});
