import { UsageError } from '@usher/cli';
import { describe, expect, test } from 'vitest';
import { readArguments } from './arguments.ts';

describe('the arguments of the demo', () => {
  test('are all optional', () => {
    expect(readArguments([])).toEqual({
      files: [],
      policies: undefined,
      json: false,
      all: false,
      rows: undefined,
      pictures: undefined,
    });
  });

  test('are read in any order, files between options', () => {
    expect(readArguments(['a.csv', '--json', '--policies', 'p.json', 'b.csv', '--all', '--rows', 'o.csv'])).toEqual({
      files: ['a.csv', 'b.csv'],
      policies: 'p.json',
      json: true,
      all: true,
      rows: 'o.csv',
      pictures: undefined,
    });
    expect(readArguments(['--pictures']).pictures).toBe(true);
    expect(readArguments(['--no-pictures']).pictures).toBe(false);
  });

  test('are refused where one is not known', () => {
    expect(() => readArguments(['--polices', 'x'])).toThrow(
      new UsageError("unknown option '--polices' (did you mean --policies?)"),
    );
  });
});
