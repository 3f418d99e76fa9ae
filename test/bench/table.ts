import { type CallsRow, demandShares } from './calls-table.ts';
import type { Cost } from './costs.ts';
import type { Line } from './summary.ts';

interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
}

const absent = '–';

const columns: readonly Column<Line>[] = [
  { title: 'contender', cell: ({ name }) => name },
  { title: 'algorithm', cell: ({ algorithm }) => algorithm },
  { title: 'store', cell: ({ endpoint }) => endpoint },
  { title: 'in flight', cell: ({ width }) => whole(width) },
  { title: 'decisions', cell: ({ decisions }) => whole(decisions) },
  { title: 'decisions/s', cell: ({ ratePerSecond }) => whole(ratePerSecond) },
  {
    title: 'ratio (min–max)',
    cell: ({ ratio }) => (ratio ? `${fixed(ratio.median)}× (${fixed(ratio.min)}–${fixed(ratio.max)})` : absent),
  },
  { title: 'p50 ms', cell: ({ p50Ms }) => short(p50Ms) },
  { title: 'p99 ms', cell: ({ p99Ms }) => short(p99Ms) },
  { title: 'calls', cell: ({ callsPer1000 }) => fixed(callsPer1000) },
  { title: 'of them reads', cell: ({ readsPer1000 }) => fixed(readsPer1000) },
  { title: 'write units', cell: ({ writeUnitsPer1000 }) => fixed(writeUnitsPer1000) },
  { title: 'read units', cell: ({ readUnitsPer1000 }) => fixed(readUnitsPer1000) },
  { title: 'overshoot', cell: ({ overshoot }) => whole(overshoot) },
];

const costColumns: readonly Column<Cost>[] = [
  { title: 'work', cell: ({ name }) => name },
  { title: 'for', cell: ({ per }) => per },
  ...(
    [
      ['calls', 'calls'],
      ['read units', 'readUnits'],
      ['write units', 'writeUnits'],
    ] as const
  ).map(([title, kind]) => ({
    title: `${title} (at most)`,
    cell: (cost: Cost) => fixed(cost[kind]) + (cost.bounds[kind] === undefined ? '' : ` (${cost.bounds[kind]})`),
  })),
];

const callsColumns: readonly Column<CallsRow>[] = [
  { title: 'strategy', cell: ({ strategy }) => strategy },
  { title: 'processes', cell: ({ processes }) => whole(processes) },
  ...demandShares.map((share, i) => ({
    title: `ρ = ${share}`,
    cell: ({ callsPerAllowed }: CallsRow) => (callsPerAllowed[i] ?? Number.NaN).toFixed(2),
  })),
];

/** The lines as a Markdown table with columns of even width, to read in a terminal and to paste into the docs. */
export function toTable(lines: readonly Line[]): string {
  return tableOf(columns, lines, 3);
}

/** The costs as such a table, each with its bound beside it. */
export function toCostTable(costs: readonly Cost[]): string {
  return tableOf(costColumns, costs, 2);
}

/** Calls per allowed check as such a table. */
export function toCallsTable(rows: readonly CallsRow[]): string {
  return tableOf(callsColumns, rows, 1);
}

function tableOf<Row>(columns: readonly Column<Row>[], lines: readonly Row[], textColumns: number): string {
  const filled = columns.map(({ title, cell }, i) => {
    const cells = [title, ...lines.map(cell)];
    const width = Math.max(...cells.map((text) => text.length));
    const isText = i < textColumns;
    const padded = cells.map((text) => (isText ? text.padEnd(width) : text.padStart(width)));
    return { padded, rule: isText ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:` };
  });
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rows = [0, ...lines.map((_, i) => i + 1)].map((at) => row(filled.map(({ padded }) => padded[at] ?? '')));
  return rows.toSpliced(1, 0, row(filled.map(({ rule }) => rule))).join('\n');
}

function whole(value: number | undefined): string {
  return value === undefined ? absent : Math.round(value).toLocaleString('en');
}

function fixed(value: number | undefined): string {
  if (value === undefined) return absent;
  return value.toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** Two significant digits: times in memory and over a network are a factor of 10,000 apart. */
function short(value: number | undefined): string {
  if (value === undefined) return absent;
  return value.toLocaleString('en', { maximumSignificantDigits: 2 });
}
