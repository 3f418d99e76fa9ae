/** Shows how far a run is. */
export interface Progress {
  /** Begins a stage of so many rows. */
  stage(name: string, total: number): void;
  /** Adds rows that are done. */
  add(rows: number): void;
  /** Leaves the line free for other output. */
  end(): void;
}

const barWidth = 30;

/** A bar that redraws itself where there is a terminal; else one line a stage, when it begins. */
export function createProgress(out: { isTTY?: boolean; write(text: string): unknown }): Progress {
  let name = '';
  let total = 0;
  let done = 0;
  const draw = (): void => {
    if (!out.isTTY) return;
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const filled = Math.round(share * barWidth);
    const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
    out.write(`\r\u001b[2K${name.padEnd(10)} ${bar} ${done} / ${total} rows`);
  };
  return {
    stage: (next, rows) => {
      name = next;
      total = rows;
      done = 0;
      if (out.isTTY) draw();
      else out.write(`${name}: ${total} rows\n`);
    },
    add: (rows) => {
      done += rows;
      draw();
    },
    end: () => {
      if (out.isTTY) out.write('\r\u001b[2K');
    },
  };
}
