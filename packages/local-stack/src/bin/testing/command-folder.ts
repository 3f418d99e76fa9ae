import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Command {
  /** All that it has written so far. */
  readonly out: { stdout: string; stderr: string };
  /** Resolves once it has written what matches. */
  said(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** A folder of its own to call commands from, and another for their temporary files. Closing ends what still runs. */
export class CommandFolder {
  readonly path: string;
  readonly temporary: string;
  readonly #running: Command[] = [];

  private constructor(path: string, temporary: string) {
    this.path = path;
    this.temporary = temporary;
  }

  static async make(): Promise<CommandFolder> {
    const path = await mkdtemp(join(tmpdir(), 'usher-commands-'));
    const temporary = join(path, 'tmp');
    await mkdir(temporary);
    return new CommandFolder(path, temporary);
  }

  async close(): Promise<void> {
    await Promise.all(this.#running.map((command) => command.kill('SIGKILL')));
    await rm(this.path, { recursive: true });
  }

  /** Writes a file into the folder; its path. */
  async file(name: string, content: string): Promise<string> {
    const path = join(this.path, name);
    await writeFile(path, content);
    return path;
  }

  /** Runs a command as a process of its own, with nothing in its environment but what is given. */
  run(name: 'demo' | 'start', args: readonly string[] = [], env: Record<string, string> = {}): Command {
    const script = join(import.meta.dirname, `../${name}.ts`);
    const child = spawn(process.execPath, [script, ...args], {
      cwd: this.path,
      env: { TMPDIR: this.temporary, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const out = { stdout: '', stderr: '' };
    const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        out[stream] += text;
      });
    }
    const said = async (stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> => {
      for (;;) {
        const found = pattern.exec(out[stream]);
        if (found !== null) return found;
        const more = once(child[stream], 'data').then(() => true);
        const over = ended.then(() => false);
        if (!(await Promise.race([more, over])) && !pattern.test(out[stream])) {
          throw new Error(`${name} ended without saying ${pattern}: ${out.stdout}${out.stderr}`);
        }
      }
    };
    const kill = (signal: NodeJS.Signals) => {
      child.kill(signal);
      return ended;
    };
    const command = { out, said, kill, ended };
    this.#running.push(command);
    return command;
  }
}
