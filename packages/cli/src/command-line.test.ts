import { Option } from '@commander-js/extra-typings';
import { afterEach, describe, expect, it, vi } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { aPath, newCommand, positiveNumber, readCommandLine, wholeNumber } from './command-line.ts';
import { AnsweredError, UsageError } from './errors.ts';

function newTry() {
  return newCommand('try', 'Tries.')
    .usage('[files] [options]')
    .argument('[files...]')
    .addOption(new Option('--port <number>').env('TRY_PORT').default(8787).argParser(wholeNumber(0, 65_535)))
    .option('--policies <file>', 'a file', aPath)
    .option('--minutes <number>', 'how long', positiveNumber(60))
    .option('--json');
}

function read(...args: string[]): string[] {
  return readCommandLine(newTry(), args).args;
}

function optionsOf(...args: string[]) {
  const command = newTry();
  readCommandLine(command, args);
  return command.opts();
}

describe('a command line', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it('is read in any order', () => {
    expect(read('a.csv', '--json', '--policies', 'p.json', 'b.csv')).toEqual(['a.csv', 'b.csv']);
    expect(optionsOf('a.csv', '--json', '--policies=p.json')).toEqual({ port: 8787, json: true, policies: 'p.json' });
  });

  it('may begin with the two dashes that pnpm hands on, and have files like options after others', () => {
    expect(optionsOf('--', '--json')).toMatchObject({ json: true });
    expect(read('--', '--', '--odd.csv')).toEqual(['--odd.csv']);
    expect(read('a.csv', '--', '--odd.csv')).toEqual(['a.csv', '--odd.csv']);
  });

  it('wins over the environment, where an empty variable is none', () => {
    vi.stubEnv('TRY_PORT', '1');
    expect(optionsOf().port).toBe(1);
    expect(optionsOf('--port', '2').port).toBe(2);
    vi.stubEnv('TRY_PORT', 'http');
    expect(() => optionsOf()).toThrow("option '--port <number>' value 'http' from env 'TRY_PORT' is invalid.");
    expect(optionsOf('--port', '2').port).toBe(2);
    vi.stubEnv('TRY_PORT', '');
    expect(optionsOf().port).toBe(8787);
  });

  it.each([
    [['--polices', 'x'], "unknown option '--polices' (did you mean --policies?)"],
    [['--json=yes'], "unknown option '--json=yes'"],
    [['-x'], "unknown option '-x'"],
    [['--policies'], "option '--policies <file>' argument missing"],
    [['--policies='], 'It must be a path.'],
    [['--port', '1', '--json', '--port=2'], "option '--port' is given twice"],
    [['--json', '--json'], "option '--json' is given twice"],
    [['--policies', '--json'], 'It must be a path; one that begins with dashes is written ./--…'],
    [
      ['--port', '65536'],
      "option '--port <number>' argument '65536' is invalid. It must be a whole number from 0 to 65535.",
    ],
    [['--port', '-1'], 'It must be a whole number from 0 to 65535.'],
    [['--port', '1e3'], 'It must be a whole number from 0 to 65535.'],
    [['--port', ''], 'It must be a whole number from 0 to 65535.'],
    [['--minutes', '0'], 'It must be a number above 0, at most 60.'],
    [['--minutes', '60.1'], 'It must be a number above 0, at most 60.'],
    [['--minutes', 'Infinity'], 'It must be a number above 0, at most 60.'],
  ])('%j is refused with what is wrong, on one line', (args, problem) => {
    const reading = () => read(...args);
    expect(reading).toThrow(UsageError);
    expect(reading).toThrow(problem);
    expect(reading).not.toThrow(/\n|^error/);
  });

  it('has its bounds included', () => {
    expect(optionsOf('--port', '0', '--minutes', '60')).toMatchObject({ port: 0, minutes: 60 });
    expect(optionsOf('--port', '65535', '--minutes', '0.5')).toMatchObject({ port: 65_535, minutes: 0.5 });
    expect(wholeNumber(1)('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => wholeNumber(1)('9007199254740992')).toThrow('It must be a whole number from 1.');
  });

  it('refuses more than it takes', () => {
    expect(() => readCommandLine(newCommand('none', 'Takes nothing.'), ['extra'])).toThrow(UsageError);
  });

  it.each([
    ['--help', /^Usage: npx -y pnpm@12 try \[files\] \[options\]\n\nTries\.\n/],
    ['-h', /--port <number> /],
    ['--version', new RegExp(`^${manifest.version}\n$`)],
  ])('with %s is answered on stdout', (flag, answer) => {
    let said = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      said += String(text);
      return true;
    });
    vi.stubEnv('TRY_PORT', 'http');
    expect(() => read(flag)).toThrow(AnsweredError);
    expect(said).toMatch(answer);
    for (const line of said.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});
