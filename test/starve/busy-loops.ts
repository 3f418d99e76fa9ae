import { spawn, spawnSync } from 'node:child_process';

/** Nothing can be pinned to the core that was asked for. */
export class NoTasksetError extends Error {
  override readonly name = 'NoTasksetError';
}

/** Loops that take all the time of a core that they get. They also end by themselves when this process is gone. */
export function startBusyLoops({ core, loops }: { core: number; loops: number }): {
  end(): void;
} {
  const { error, status } = spawnSync('taskset', ['-c', String(core), 'true']);
  if (error !== undefined)
    throw new NoTasksetError('taskset is needed to pin a run to a core; it comes with util-linux.');
  if (status !== 0) throw new NoTasksetError(`taskset cannot run anything on core ${core}.`);
  const loop = `while kill -0 ${process.pid} 2>/dev/null; do :; done`;
  const children = Array.from({ length: loops }, () =>
    spawn('taskset', ['-c', String(core), 'sh', '-c', loop], { stdio: 'ignore' }),
  );
  return {
    end: () => {
      for (const child of children) child.kill('SIGKILL');
    },
  };
}
