/** Shows how far a run is. */
export interface Progress {
  /** Begins a stage of so many rows. */
  stage(name: string, total: number): void;
  /** Adds rows that are done. */
  add(rows: number): void;
  /** Says what the run waits for, until something is done; with seconds where it is known how long. */
  wait(what: string, seconds?: number): void;
  /** Leaves the line free for other output. */
  end(): void;
}

const longestBar = 30;
const shortestBar = 5;

/** A bar that redraws itself where there is a terminal; else one line a stage, when it begins. */
export function createProgress(out: { isTTY?: boolean; columns?: number; write(text: string): unknown }): Progress {
  let name = '';
  let total = 0;
  let done = 0;
  let waiting = '';
  const toldOf = new Set<string>();
  const draw = (): void => {
    if (!out.isTTY) return;
    const columns = Math.max(1, (out.columns ?? 80) - 1);
    const told = `${done} / ${total} rows${waiting}`;
    const barWidth = Math.min(longestBar, Math.max(shortestBar, columns - 12 - told.length));
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const filled = Math.round(share * barWidth);
    const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
    out.write(`\r\u001b[2K${`${name.padEnd(10)} ${bar} ${told}`.slice(0, columns)}`);
  };
  return {
    stage: (next, rows) => {
      name = next;
      total = rows;
      done = 0;
      waiting = '';
      if (out.isTTY) draw();
      else out.write(`${name}: ${total} rows\n`);
    },
    add: (rows) => {
      done += rows;
      waiting = '';
      draw();
    },
    wait: (what, seconds) => {
      const line = `waiting for ${what}${seconds === undefined ? '' : `, ${seconds} s`}`;
      waiting = `, ${line}`;
      draw();
      // Without a terminal a wait that lasts is told once; the others are over before they are read.
      if (out.isTTY || seconds === undefined || toldOf.has(what)) return;
      toldOf.add(what);
      out.write(`${line}\n`);
    },
    end: () => {
      if (out.isTTY) out.write('\r\u001b[2K');
    },
  };
}
