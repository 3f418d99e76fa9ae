import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBookingFiles } from '@usher/local-stack/testing';
import { expect, test } from 'vitest';
import { faultsOf, pathOfInput, readInput } from '../support/booking-input.ts';

test('case 40: a quote opened in row 2 and never closed is pointed to where it opens', async () => {
  expect(await faultsOf(readInput('unclosed-quote.csv'))).toEqual([
    "unclosed-quote.csv:2: a quote opens here and is never closed: '\"HT-1,2'; close it where its cell ends, or remove it",
  ]);
});

test('case 40: every wrong row is told, up to 20, and then how many more', async () => {
  const faults = await faultsOf(readInput('every-row-wrong.csv'));
  expect(faults).toEqual(
    ['1.5', '2.5', '3.5', '4.5', '5.5'].map(
      (cost, i) =>
        `every-row-wrong.csv:${i + 2}: cost must be a whole number from 1 to 10000, in digits alone, not "${cost}"`,
    ),
  );

  const [header = '', ...rows] = readFileSync(pathOfInput('every-row-wrong.csv'), 'utf8').trimEnd().split('\n');
  const folder = await mkdtemp(join(tmpdir(), 'usher-case-'));
  try {
    const file = join(folder, 'b.csv');
    await writeFile(file, [header, ...Array.from({ length: 9 }, () => rows).flat()].join('\n'));
    const told = await faultsOf(readBookingFiles([file]));
    expect(told).toHaveLength(21);
    expect(told.slice(-2)).toEqual([expect.stringContaining(`${file}:21: cost`), '… and 25 more']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
