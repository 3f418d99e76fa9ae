import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { installRedis } from './redis-program.ts';

/** A Redis server as it is to be started. */
export interface RedisLaunch {
  readonly program: string;
  /** The port that is tried first; where another has it, or none is named, the system names a free one. */
  readonly preferredPort?: number;
}

/** A Redis server that answers on 127.0.0.1. */
export interface LaunchedRedis {
  readonly port: number;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
}

type RedisChild = ChildProcessByStdio<null, Readable, null>;

/** A port that the system named may be taken before Redis binds it: very rarely once, never so often. */
const maxAttempts = 20;
const portTaken = 'Address already in use';

/**
 * Starts a Redis that reads no configuration file and saves nothing. An abort of the signal ends it as `kill -9` does.
 *
 * @param folder its working folder
 */
export async function launchRedis(
  { program, preferredPort }: RedisLaunch,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<LaunchedRedis> {
  for (let attempt = 1; ; attempt++) {
    const port = attempt === 1 && preferredPort !== undefined ? preferredPort : await freePort();
    const server = spawn(program, argumentsFor(port, folder), {
      stdio: ['ignore', 'pipe', 'inherit'],
      signal,
      killSignal: 'SIGKILL',
    });
    const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
    const problem = await problemAtStart(server, program);
    if (problem === undefined) return { port, ended };
    if (!problem.includes(portTaken) || attempt === maxAttempts) throw new Error(problem);
  }
}

function argumentsFor(port: number, folder: string): string[] {
  const options = {
    bind: '127.0.0.1',
    port: String(port),
    'protected-mode': 'yes',
    dir: folder,
    save: '',
    appendonly: 'no',
    daemonize: 'no',
  };
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
}

/** Waits until the server says that it answers, or has ended. */
async function problemAtStart(server: RedisChild, program: string): Promise<string | undefined> {
  const lines: string[] = [];
  return await new Promise((resolve) => {
    // An abort comes as an error, too, at whatever time.
    server.on('error', (error) => {
      const isAbsent = 'code' in error && error.code === 'ENOENT';
      resolve(isAbsent ? `There is no ${program} on this machine; ${installRedis}.` : error.message);
    });
    // After the last of its output, which tells the reason.
    server.once('close', (code) => resolve(`${program} ended at its start, with code ${code}: ${lines.join('\n')}`));
    createInterface(server.stdout).on('line', (line) => {
      lines.push(line);
      if (line.includes('Ready to accept connections')) resolve(undefined);
    });
  });
}

async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const address = holder.address();
  if (address === null || typeof address === 'string') throw new Error('The system named no port.');
  holder.close();
  await once(holder, 'close');
  return address.port;
}
