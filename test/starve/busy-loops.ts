import { spawn, spawnSync } from 'node:child_process';

/** Loops that take all the time of a core that they get. They also end by themselves when this process is gone. */
export function startBusyLoops({ core, loops }: { core: number; loops: number }): {
  readonly pids: readonly number[];
  end(): void;
} {
  const { error, status } = spawnSync('taskset', ['-c', String(core), 'true']);
  if (error !== undefined) throw new Error('taskset is needed to pin a run to a core; it comes with util-linux.');
  if (status !== 0) throw new Error(`taskset cannot run anything on core ${core}.`);
  const loop = `while kill -0 ${process.pid} 2>/dev/null; do :; done`;
  const children = Array.from({ length: loops }, () =>
    spawn('taskset', ['-c', String(core), 'sh', '-c', loop], { stdio: 'ignore' }),
  );
  return {
    pids: children.map(({ pid }) => pid ?? 0),
    end: () => {
      for (const child of children) child.kill('SIGKILL');
    },
  };
}
