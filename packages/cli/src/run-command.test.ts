import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';

const library = pathToFileURL(join(import.meta.dirname, 'index.ts')).href;

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command whose work is the given body, in a process of its own. */
async function run(
  body: string,
  {
    options = '',
    env = {},
    meddle = () => {},
  }: { options?: string; env?: Record<string, string>; meddle?: (child: ReturnType<typeof spawn>) => void } = {},
): Promise<Ended> {
  const source = `
    import { once } from 'node:events';
    import { newCommand, readCommandLine, runCommand, UsageError } from '${library}';
    class Given extends Error {}
    class Known extends Error {}
    await runCommand(
      { name: 'try', refused: [Given], told: [Known], ending: '; all is tidied up', ${options} },
      async (args, signal) => { ${body} },
    );`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', source], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
    });
  }
  meddle(child);
  const [code, signal] = await once(child, 'close');
  return { code, signal, ...said };
}

describe('a command', () => {
  it('ends with the code that its work returns', async () => {
    expect(await run(`console.log('done'); return 7;`)).toEqual({
      code: 7,
      signal: null,
      stdout: 'done\n',
      stderr: '',
    });
  });

  it.each([
    ['what it was given', `throw new Given('The file is bad')`, 2, 'The file is bad\n'],
    ['what went wrong', `throw new Known('The port is taken')`, 1, 'The port is taken\n'],
    ['a wrong command line', `throw new UsageError('no')`, 2, 'try: no\nSee npx -y pnpm@12 try --help\n'],
    ['what nobody thought of', `null.x`, 1, /^try failed: Cannot read .* \(USHER_DEBUG=1 shows where\)\n$/],
    ['what is no error', `throw 'odd'`, 1, 'try failed: odd (USHER_DEBUG=1 shows where)\n'],
  ])('tells %s in a sentence, without a stack', async (_, body, code, sentence) => {
    const ended = await run(body);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence));
  });

  it('shows where it failed if asked to', async () => {
    expect((await run('null.x', { env: { USHER_DEBUG: '1' } })).stderr).toMatch(/\n {4}at /);
  });

  it('works in the folder of its caller', async () => {
    const here = await run('console.log(process.cwd()); return 0;', { env: { INIT_CWD: tmpdir() } });
    expect(here.stdout).toBe(`${tmpdir()}\n`);
    const gone = join(tmpdir(), 'usher-no-such-folder');
    expect(await run('return 0;', { env: { INIT_CWD: gone } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`the folder in INIT_CWD, ${gone}, cannot be gone to`),
    });
  });

  it('ends at once on a signal that it does not heed, and in its own time where it does', async () => {
    const meddle = (child: ReturnType<typeof spawn>): void => {
      child.stdout?.once('data', () => child.kill('SIGINT'));
    };
    const waiting = `console.log('waiting'); setInterval(() => {}, 1000);`;
    const told = { code: 130, stderr: 'Interrupted; all is tidied up.\n' };
    expect(await run(`${waiting} await new Promise(() => {});`, { meddle })).toMatchObject(told);
    const heeding = `console.log('waiting'); const timer = setInterval(() => {}, 1000);
      await once(signal, 'abort'); clearInterval(timer); console.log('tidied'); signal.throwIfAborted();`;
    expect(await run(heeding, { meddle, options: 'heedsSignal: true' })).toMatchObject({
      ...told,
      stdout: 'waiting\ntidied\n',
    });
  });

  it('ends in one line once nobody reads what it writes', async () => {
    const ended = await run(`setInterval(() => console.log('more'), 5); await new Promise(() => {});`, {
      meddle: (child) => child.stdout?.once('data', () => child.stdout?.destroy()),
    });
    expect(ended).toMatchObject({ code: 141, stderr: 'Nobody reads the output of try any more; all is tidied up.\n' });
  });

  it('fails where its result cannot be written', async () => {
    const late = `setTimeout(() => process.stdout.emit('error', Object.assign(new Error('no space'), { code: 'ENOSPC' })), 1);
      return 0;`;
    expect(await run(late, { options: 'heedsSignal: true' })).toMatchObject({
      code: 1,
      stderr: 'try failed: no space (USHER_DEBUG=1 shows where)\n',
    });
  });
});
