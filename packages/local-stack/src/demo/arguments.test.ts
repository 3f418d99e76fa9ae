import { describe, expect, it } from 'vitest';
import { readArguments, UsageError, usage } from './arguments.ts';

describe('the arguments of the demo', () => {
  it('are all optional', () => {
    expect(readArguments([])).toEqual({ files: [], policies: undefined, json: false, all: false, help: false });
  });

  it('are read in any order, files between options', () => {
    expect(readArguments(['a.csv', '--json', '--policies', 'p.json', 'b.csv', '--all'])).toEqual({
      files: ['a.csv', 'b.csv'],
      policies: 'p.json',
      json: true,
      all: true,
      help: false,
    });
    expect(readArguments(['--policies=p.json']).policies).toBe('p.json');
    expect(readArguments(['-h']).help).toBe(true);
    expect(readArguments(['--', '--odd.csv']).files).toEqual(['--odd.csv']);
  });

  it.each([
    [['--polices', 'x'], "Unknown option '--polices'"],
    [['--policies'], "Option '--policies <value>' argument missing"],
    [['--json=yes'], "Option '--json' does not take an argument"],
  ])('%j are refused with what is wrong, and the usage', (args, problem) => {
    const reading = () => readArguments(args);
    expect(reading).toThrow(UsageError);
    expect(reading).toThrow(`${problem}\n\n${usage}`);
  });
});
