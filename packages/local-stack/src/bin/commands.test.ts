import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BookingList, Quota } from '@usher/contracts';
import type { type } from 'arktype';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { authorization } from '../demo/run/submit.ts';
import { openDatabase } from '../endpoints/database.ts';

interface Command {
  /** All that it has written so far. */
  readonly out: { stdout: string; stderr: string };
  /** Resolves once it has written what matches. */
  said(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

describe('the command', () => {
  let folder: string;
  let temporary: string;
  let running: Command[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'usher-commands-'));
    temporary = join(folder, 'tmp');
    await mkdir(temporary);
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((command) => command.kill('SIGKILL')));
    await rm(folder, { recursive: true });
  });

  /** Runs a command as a process of its own, with nothing in its environment but what is given. */
  function run(name: 'demo' | 'start', args: readonly string[] = [], env: Record<string, string> = {}): Command {
    const script = join(import.meta.dirname, `${name}.ts`);
    const child = spawn(process.execPath, [script, ...args], {
      cwd: folder,
      env: { TMPDIR: temporary, ...env },
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
    running.push(command);
    return command;
  }

  async function file(name: string, content: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  }

  describe('demo', () => {
    test('runs the examples, and tells the facts on the last line of stdout', async () => {
      const policies = await file(
        'p.json',
        '{"default":{"dailyLimit":100},"accounts":{"coach-operator":{"dailyLimit":0}}}',
      );
      const demo = run('demo', ['--policies', policies, '--json']);
      expect(await demo.ended).toBe(0);
      const facts: unknown = JSON.parse(demo.out.stdout.trimEnd().split('\n').at(-1) ?? '');
      expect(facts).toEqual({
        accounts: [
          expect.objectContaining({ accountId: 'festival-agency', limit: 100, used: 100, grantedCost: 100 }),
          expect.objectContaining({ accountId: 'city-tours', grantedCost: 100, rejectedCost: 307 }),
          expect.objectContaining({
            accountId: 'coach-operator',
            limit: 0,
            used: 0,
            granted: 0,
            grantedCost: 0,
            rejected: 181,
            rejectedCost: 3560,
            mode: 'enforce',
          }),
        ],
        events: expect.objectContaining({ 'Quota Usage Recorded': expect.any(Number) }),
        dispatch: { messages: expect.any(Number), conforms: true },
        balanced: true,
        seconds: expect.any(Number),
      });
      expect(demo.out.stderr).toMatch(/^submitting: 731 rows\ndeciding: 731 rows\nhanding on: \d+ rows\n$/);
      expect(await readdir(temporary)).toEqual([]);
    });

    test('runs the files given, shows a table, and writes every row', async () => {
      const input = '\ufeffAccount;Booking;Reservation;Cost\r\na;"b;x";r1;5\r\na;"b;x";r2;1001\r\n;;;\r\n';
      await file('b.csv', input);
      const demo = run('demo', ['b.csv', '--rows', 'out.csv'], { INIT_CWD: folder });
      expect(await demo.ended).toBe(0);
      expect(demo.out.stdout).toMatch(/^account .*\n─+\na +1000 +5 +0\.5 +1 +1 +1001 /);
      expect(demo.out.stdout).toContain('Books balance');
      // A pipe is no terminal.
      expect(demo.out.stdout).not.toContain('hand-off');
      expect(demo.out.stderr).toMatch(/^submitting: 2 rows\ndeciding: 2 rows\nhanding on: 1 rows\n$/);
      expect(await readFile(join(folder, 'out.csv'), 'utf8')).toMatch(
        /^account,booking,reservation,cost,decision,reason,dispatchAt\r\na,b;x,r1,5,granted,,[-\d]+T[:.\d]+Z\r\na,b;x,r2,1001,rejected,exceeds_limit,\r\n$/,
      );
    });

    test.each([
      [
        'a malformed row',
        ['{csv}'],
        /^.*b\.csv:2: cost must be a whole number from 1 to 10000, in digits alone, not "none"\n$/,
      ],
      ['a missing file', ['missing.csv'], /^missing\.csv: there is no such file; it was looked for at \/.*\n$/],
      ['a folder', ['.'], /^\.: it is a folder; name the files in it\n$/],
      ['a file for the rows that exists', ['{good}', '--rows', '{csv}'], /^.*b\.csv: it exists already .*\n$/],
      [
        'an unknown option',
        ['--polices', 'x'],
        /^demo: unknown option '--polices' \(did you mean --policies\?\)\nSee .*--help\n$/,
      ],
    ])('refuses %s with exit code 2 before it starts anything', async (_, args, message) => {
      const csv = await file('b.csv', 'account,booking,reservation,cost\na,b,c,none\n');
      const good = await file('good.csv', 'account,booking,reservation,cost\na,b,c,1\n');
      const demo = run(
        'demo',
        args.map((arg) => arg.replace('{csv}', csv).replace('{good}', good)),
      );
      expect(await demo.ended).toBe(2);
      expect(demo.out.stdout).toBe('');
      expect(demo.out.stderr).toMatch(message);
      expect(await readdir(temporary)).toEqual([]);
    });

    test('ends on Ctrl-C and takes its folder with it', async () => {
      const demo = run('demo', ['--json', '--rows', 'out.csv']);
      await demo.said('stderr', /deciding/);
      expect(await readdir(temporary)).toEqual([expect.stringMatching(/^usher-demo-/)]);
      expect(await readdir(folder)).toContain('out.csv');
      expect(await demo.kill('SIGINT')).toBe(130);
      expect(demo.out.stderr).toMatch(/Interrupted; the stack is stopped and its temporary folder removed\.\n$/);
      expect(demo.out.stdout).toBe('');
      expect(await readdir(temporary)).toEqual([]);
      expect(await readdir(folder)).not.toContain('out.csv');
    });
  });

  describe('start', () => {
    const startStack = (env: Record<string, string> = {}): Command => run('start', [], { PORT: '0', ...env });

    async function urlOf(command: Command): Promise<string> {
      const [, url = ''] = await command.said('stdout', /^Usher is at (\S+) .*\n[\s\S]*events at +http.*\n/m);
      return url;
    }

    /** Runs the first of the curl lines printed, as a shell would; the answer with its headers. */
    async function curlBooking(command: Command): Promise<string> {
      const [line = ''] = await command.said('stdout', /curl -i (.*\\\n)*.*\n/);
      const shell = spawn('sh', ['-c', line], { stdio: ['ignore', 'pipe', 'ignore'] });
      let answer = '';
      shell.stdout.setEncoding('utf8').on('data', (text: string) => {
        answer += text;
      });
      const [code] = await once(shell, 'close');
      expect(code).toBe(0);
      return answer;
    }

    async function get<T extends type>(url: string, path: string, schema: T): Promise<T['infer']> {
      const answer = await fetch(`${url}${path}`, { headers: authorization('demo-agency') });
      return schema.assert(await answer.json());
    }

    async function untilAllDecided(url: string): Promise<number> {
      for (;;) {
        const { bookings } = await get(url, '/v1/bookings', BookingList);
        if (bookings.every(({ status }) => status === 'decided')) return bookings.length;
      }
    }

    test('prints a booking to try, stops on Ctrl-C, and resumes after any kind of stop', async () => {
      const policies = await file('p.json', '{"accounts":{"demo-agency":{"dailyLimit":50}}}');
      const first = startStack({ USHER_POLICIES: policies });
      const firstUrl = await urlOf(first);
      expect(first.out.stdout).toContain(`data in ${join(folder, '.usher')}`);
      expect(first.out.stdout).toContain(`Policies of ${policies}: 1 (demo-agency) set, none kept, none removed.`);
      const answer = await curlBooking(first);
      expect(answer).toMatch(/^HTTP\/1\.1 202 /);
      expect(answer).toMatch(/^location: \/v1\/bookings\/bk_/im);
      expect(await untilAllDecided(firstUrl)).toBe(1);
      expect(await first.kill('SIGINT')).toBe(0);
      expect(first.out.stderr).toBe('Stopping. A second Ctrl-C ends it at once; nothing is lost either way.\n');

      const second = startStack({ USHER_POLICIES: policies });
      const secondUrl = await urlOf(second);
      expect(second.out.stdout).toContain(`Policies of ${policies}: none set, 1 (demo-agency) kept, none removed.`);
      expect(await curlBooking(second)).toMatch(/^idempotency-replayed: true/im);
      const posted = await fetch(`${secondUrl}/v1/bookings`, {
        method: 'POST',
        headers: { ...authorization('demo-agency'), 'Content-Type': 'application/json', 'Idempotency-Key': 'k2' },
        body: JSON.stringify({ reservations: Array.from({ length: 250 }, (_, i) => ({ id: `r${i}`, cost: 1 })) }),
      });
      expect(posted.status).toBe(202);
      expect(await second.kill('SIGKILL')).toBe('SIGKILL');

      const third = startStack();
      const thirdUrl = await urlOf(third);
      expect(third.out.stdout).toContain('1 (demo-agency) of an earlier policy file stay in force.');
      expect(await untilAllDecided(thirdUrl)).toBe(2);
      expect(await get(thirdUrl, '/v1/quota', Quota)).toMatchObject({ limit: 50, used: 50, rejected: 206 });
      expect(await third.kill('SIGTERM')).toBe(0);
      expect(third.out.stderr).not.toContain('rror');
    });

    test.each([
      ['a port that is no number', { PORT: 'http' }, 2, /^start: .* 'http' from env 'PORT' is invalid\. .*\nSee .*\n$/],
      ['a missing policy file', { USHER_POLICIES: 'p.json' }, 2, /^Policy file p\.json: there is no such file; .*\n$/],
      [
        'a folder in use',
        { USHER_DATA: 'held' },
        1,
        /^The data folder .*\/held is in use by another running stack; .*\n$/,
      ],
      ['a port in use', { PORT: '{taken}' }, 1, /^Port \d+ of 127\.0\.0\.1 is in use; .*\n$/],
    ])('refuses %s with one sentence', async (_, env, exitCode, message) => {
      const held = openDatabase(join(folder, 'held'));
      const taken = createServer().listen(0, '127.0.0.1');
      await once(taken, 'listening');
      const address = taken.address();
      const port = typeof address === 'object' ? String(address?.port) : '';
      const command = startStack(
        Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace('{taken}', port)])),
      );
      const code = await command.ended;
      held.close();
      taken.close();
      expect(command.out).toEqual({ stdout: '', stderr: expect.stringMatching(message) });
      expect(code).toBe(exitCode);
    });
  });
});
