import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsv } from './csv-text.ts';

const columns = ['name', 'text'] as const;

describe('a table', () => {
  test('gives back every cell, whatever the separator and the line breaks', () => {
    // What is invisible around a cell is no part of it.
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '|', '\n', 'ä', '😀') });
    const cells = fc.array(fc.tuple(cell, cell), { maxLength: 6 });
    fc.assert(
      fc.property(cells, fc.constantFrom(',', ';', '\t', '|'), fc.constantFrom('\n', '\r\n', '\r'), (rows, by, end) => {
        const kept = rows.map(([name, text]) => [`<${name}>`, `<${text}>`] as const);
        const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`;
        const lines = [columns, ...kept].map((row) => row.map(quoted).join(by));
        const { rows: read, faults } = readCsv(lines.join(end), columns);
        expect(faults).toEqual([]);
        expect(read.map(({ cells: own }) => [own.name, own.text])).toEqual(kept);
        // Each row begins on the line after the breaks of those above it.
        const breaks = kept.map((row) => row.join('').split('\n').length);
        expect(read.map(({ line }) => line)).toEqual(
          kept.map((_, i) => breaks.slice(0, i).reduce((sum, own) => sum + own, 2)),
        );
      }),
    );
  });

  test.each(['\n', '\r\n', '\r'])('tells lines as an editor counts them where they end in %j', (end) => {
    const text = ['sep=;', '', 'name;text', 'a;"x', 'y"', ';', '', 'b;"1";2', 'c;"z'].join(end);
    const { rows, faults } = readCsv(text, columns);
    expect(rows.map(({ line }) => line)).toEqual([4]);
    expect(faults.map(({ line }) => line)).toEqual([8, 9]);
  });

  test('has at most 100,000 rows', () => {
    const lines = (count: number): string => `name,text\n${'a,b\n'.repeat(count)}`;
    expect(readCsv(lines(100_000), columns)).toMatchObject({ faults: [] });
    const { rows, faults } = readCsv(lines(100_001), columns);
    expect(rows).toHaveLength(100_000);
    expect(faults).toEqual([{ line: 100_002, problem: 'more than 100000 rows; split the file' }]);
  });

  test.each([
    ['"a"x,b', 'a quote opens here and is closed inside its cell'],
    ['a"x,b', 'a quote stands inside a cell that does not begin with one'],
    ['a,"b', 'a quote opens here and is never closed'],
    ['a,"b""', 'a quote opens here and is never closed'],
  ])('is read up to a wrong quote, %s, and no further', (row, problem) => {
    const { rows, faults } = readCsv(`name,text\nfirst,row\n${row}\nlast,row,3\n`, columns);
    expect(rows.map(({ cells }) => cells.name)).toEqual(['first']);
    expect(faults).toEqual([{ line: 3, problem: expect.stringContaining(problem) }]);
  });
});
