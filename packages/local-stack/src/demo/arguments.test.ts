import { UsageError } from '@usher/cli';
import { describe, expect, it } from 'vitest';
import { readArguments } from './arguments.ts';

describe('the arguments of the demo', () => {
  it('are all optional', () => {
    expect(readArguments([])).toEqual({ files: [], policies: undefined, json: false, all: false });
  });

  it('are read in any order, files between options', () => {
    expect(readArguments(['a.csv', '--json', '--policies', 'p.json', 'b.csv', '--all'])).toEqual({
      files: ['a.csv', 'b.csv'],
      policies: 'p.json',
      json: true,
      all: true,
    });
  });

  it('are refused where one is not known', () => {
    expect(() => readArguments(['--polices', 'x'])).toThrow(
      new UsageError("unknown option '--polices' (did you mean --policies?)"),
    );
  });
});
