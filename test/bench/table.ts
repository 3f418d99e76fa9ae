import type { Cost } from './costs.ts';
import type { Line } from './summary.ts';

interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
}

const columns: readonly Column<Line>[] = [
  { title: 'contender', cell: ({ name }) => name },
  { title: 'in flight', cell: ({ width }) => String(width) },
  { title: 'reservations', cell: ({ reservations }) => whole(reservations) },
  { title: 'calls/1,000', cell: ({ callsPer1000 }) => fixed(callsPer1000) },
  { title: 'write units/1,000', cell: ({ writeUnitsPer1000 }) => fixed(writeUnitsPer1000) },
  { title: 'read units/1,000', cell: ({ readUnitsPer1000 }) => fixed(readUnitsPer1000) },
  { title: 'failed conditions/1,000', cell: ({ failedConditionsPer1000 }) => fixed(failedConditionsPer1000) },
  { title: 'reservations/s', cell: ({ ratePerSecond }) => whole(ratePerSecond) },
  {
    title: 'ratio (min–max)',
    cell: ({ ratio }) => `${fixed(ratio.median)}× (${fixed(ratio.min)}–${fixed(ratio.max)})`,
  },
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

/** The lines as a Markdown table with columns of even width, to read in a terminal and to paste into the docs. */
export function toTable(lines: readonly Line[]): string {
  return tableOf(columns, lines, 1);
}

/** The costs as such a table, each with its bound beside it. */
export function toCostTable(costs: readonly Cost[]): string {
  return tableOf(costColumns, costs, 2);
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

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function fixed(value: number): string {
  return value.toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}
