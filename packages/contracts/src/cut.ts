/**
 * A booking's cut: the rows of each of its chunks, in order. Its header keeps it as text, `100x9,37` for nine chunks of
 * 100 rows and one of 37, so that every later attempt and every reader of a page goes by it.
 */
export const cutPattern = /^[1-9]\d{0,4}(x[1-9]\d{0,4})?(,[1-9]\d{0,4}(x[1-9]\d{0,4})?)*$/;

/** The text of a cut. */
export function cutText(rowCounts: readonly number[]): string {
  const runs: { rows: number; times: number }[] = [];
  for (const rows of rowCounts) {
    const run = runs.at(-1);
    if (run?.rows === rows) run.times++;
    else runs.push({ rows, times: 1 });
  }
  return runs.map(({ rows, times }) => (times === 1 ? String(rows) : `${rows}x${times}`)).join(',');
}

/** The rows of each chunk that a cut's text tells. */
export function rowCountsOf(cut: string): number[] {
  return runsOf(cut).flatMap(({ rows, times }) => Array<number>(times).fill(rows));
}

/** The rows of all chunks together. */
export function rowsInCut(cut: string): number {
  return runsOf(cut).reduce((sum, { rows, times }) => sum + rows * times, 0);
}

/** Cuts rows as they were cut before. */
export function cutBy<Row>(rows: readonly Row[], cut: string): Row[][] {
  let end = 0;
  return rowCountsOf(cut).map((count) => {
    end += count;
    return rows.slice(end - count, end);
  });
}

function runsOf(cut: string): { rows: number; times: number }[] {
  return cut.split(',').map((run) => {
    const [rows, times = '1'] = run.split('x');
    return { rows: Number(rows), times: Number(times) };
  });
}
