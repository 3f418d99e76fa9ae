import { faultKinds, incidentKinds, isPossible } from './faults.ts';
import type { CoverageCounts } from './run-seeds.ts';
import { steps } from './steps.ts';

/** Faults × steps as a table: how often each pair was tried. `·` cannot be, `0` was not. */
export function coverageTable({ pairs, incidents, calls, overdue }: CoverageCounts): string {
  const head = ['step', 'calls', ...faultKinds, 'visibility over'];
  const rows = steps.map((step) => [
    step,
    String(calls[step] ?? 0),
    ...faultKinds.map((kind) => (isPossible(kind, step) ? String(pairs[`${step}|${kind}`] ?? 0) : '·')),
    step.startsWith('intake') ? '·' : String(overdue[step] ?? 0),
  ]);
  const table = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
  );
  const happened = incidentKinds.map((kind) => `${kind} ${incidents[kind] ?? 0}`);
  const untried = steps.flatMap((step) =>
    faultKinds.filter((kind) => isPossible(kind, step) && !pairs[`${step}|${kind}`]).map((kind) => `${step} × ${kind}`),
  );
  return [
    ...lines,
    '',
    `Also happened: ${happened.join(', ')}.`,
    untried.length === 0 ? 'Every pair was tried.' : `Untried: ${untried.join('; ')}.`,
  ].join('\n');
}
