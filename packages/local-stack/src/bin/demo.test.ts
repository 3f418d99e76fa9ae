import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CommandFolder } from './testing/command-folder.ts';

describe('the command demo', () => {
  let folder: CommandFolder;

  beforeEach(async () => {
    folder = await CommandFolder.make();
  });
  afterEach(() => folder.close());

  test('runs the examples, and tells the facts as JSON, and nothing else, on stdout', async () => {
    const policies = await folder.file(
      'p.json',
      '{"default":{"dailyLimit":100},"accounts":{"coach-operator":{"dailyLimit":0}}}',
    );
    const demo = folder.run('demo', ['--policies', policies, '--json']);
    expect(await demo.ended).toBe(0);
    const facts: unknown = JSON.parse(demo.out.stdout);
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
      reports: ['report.json', 'billing.csv', 'report.html'].map((name) =>
        expect.stringMatching(new RegExp(`^${folder.path}/\\.usher/demo-reports/[-0-9a-f]{36}/.*/all/run-1/${name}$`)),
      ),
    });
    expect(demo.out.stderr).toMatch(
      /^submitting: 731 rows\ndeciding: 731 rows\nhanding on: \d+ rows\nThe day's report\n(\/.*\n){3}$/,
    );
    expect(await readdir(folder.temporary)).toEqual([]);
  });

  test('runs the files given, shows a table, and writes every row', async () => {
    const input = '\ufeffAccount;Booking;Reservation;Cost\r\na;"b;x";r1;5\r\na;"b;x";r2;1001\r\n;;;\r\n';
    await folder.file('b.csv', input);
    const demo = folder.run('demo', ['b.csv', '--rows', 'out.csv'], { INIT_CWD: folder.path });
    expect(await demo.ended).toBe(0);
    expect(demo.out.stdout).toMatch(/^account .*\n─+\na +1000 +5 +0\.5 +1 +1 +1001 /);
    expect(demo.out.stdout).toContain('Books balance');
    // A pipe is no terminal.
    expect(demo.out.stdout).not.toContain('hand-off');
    expect(demo.out.stderr).toMatch(/^submitting: 2 rows\ndeciding: 2 rows\nhanding on: 1 rows\n$/);
    expect(await readFile(join(folder.path, 'out.csv'), 'utf8')).toMatch(
      /^account,booking,reservation,cost,decision,reason,acceptedAt,decidedAt,dispatchAt\r\na,b;x,r1,5,granted,(,[-\d]+T[:.\d]+Z){3}\r\na,b;x,r2,1001,rejected,exceeds_limit(,[-\d]+T[:.\d]+Z){2},\r\n$/,
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
      'a file for the reports',
      ['{good}', '--reports', '{csv}'],
      /^.*b\.csv: it is a file or lies in one; name a folder\n$/,
    ],
    [
      'a folder for the reports that holds something',
      ['{good}', '--reports', '.', '--rows', 'rows.csv'],
      /^\/.*: it holds files already, and nothing is overwritten; name a new or empty folder\n$/,
    ],
    [
      'an unknown option',
      ['--polices', 'x'],
      /^demo: unknown option '--polices' \(did you mean --policies\?\)\nSee .*--help\n$/,
    ],
  ])('refuses %s with exit code 2 before it starts anything', async (_, args, message) => {
    const csv = await folder.file('b.csv', 'account,booking,reservation,cost\na,b,c,none\n');
    const good = await folder.file('good.csv', 'account,booking,reservation,cost\na,b,c,1\n');
    const demo = folder.run(
      'demo',
      args.map((arg) => arg.replace('{csv}', csv).replace('{good}', good)),
    );
    expect(await demo.ended).toBe(2);
    expect(demo.out.stdout).toBe('');
    expect(demo.out.stderr).toMatch(message);
    expect(await readdir(folder.temporary)).toEqual([]);
    expect((await readdir(folder.path)).sort()).toEqual(['b.csv', 'good.csv', 'tmp']);
  });

  test('ends on Ctrl-C and takes its folder with it', async () => {
    // More bookings of one account than it may submit within a minute: however late the signal is, it ends a run.
    const bookings = Array.from({ length: 2_000 }, (_, i) => `acme,b${i},r,1\n`).join('');
    const csv = await folder.file('many.csv', `account,booking,reservation,cost\n${bookings}`);
    const demo = folder.run('demo', [csv, '--json', '--rows', 'out.csv']);
    await demo.said('stderr', /submitting: 2000 rows/);
    expect(await readdir(folder.temporary)).toEqual([expect.stringMatching(/^usher-demo-/)]);
    expect(await readdir(folder.path)).toContain('out.csv');
    expect(await demo.kill('SIGINT')).toBe(130);
    expect(demo.out.stderr).toMatch(/Interrupted; the stack is stopped and its temporary folder removed\.\n$/);
    expect(demo.out.stdout).toBe('');
    expect(await readdir(folder.temporary)).toEqual([]);
    expect(await readdir(folder.path)).not.toContain('out.csv');
    expect(await readdir(join(folder.path, '.usher', 'demo-reports'))).toEqual([]);
  });
});
