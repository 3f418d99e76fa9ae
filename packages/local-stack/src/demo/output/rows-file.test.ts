import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RowsFileError } from '../../errors.ts';
import type { FileRow } from '../input/booking-file.ts';
import { at, balancedEvidence } from '../testing/evidence.ts';
import { createRowsFile, rowsAsCsv } from './rows-file.ts';

const row = (accountId: string, idempotencyKey: string, id: string, cost: number, booking = 'x'): FileRow => ({
  accountId,
  booking,
  reservation: { id, cost },
  idempotencyKey,
});

const header = 'account,booking,reservation,cost,decision,reason,acceptedAt,decidedAt,dispatchAt';
const instants = `${at(-250)},${at(0)}`;

describe('rows with their decisions', () => {
  test('stand in the order of the files; a granted one with a reason is what observe mode let pass', () => {
    const rows = [
      row('alpha', 'a-1', 'r3', 1),
      row('beta', 'b-1', 'r1', 9),
      row('alpha', 'a-1', 'r1', 2),
      row('alpha', 'a-1', 'r2', 5),
    ];
    expect(rowsAsCsv(rows, balancedEvidence).split('\r\n')).toEqual([
      header,
      `alpha,x,r3,1,granted,,${instants},${at(100)}`,
      `beta,x,r1,9,granted,exceeds_limit,${instants},${at(0)}`,
      `alpha,x,r1,2,granted,,${instants},${at(0)}`,
      `alpha,x,r2,5,rejected,exceeds_limit,${instants},`,
      '',
    ]);
  });

  test('keep every character of their names', () => {
    const names = ['a,b', '"', '""', 'line\nbreak', 'line\r\nbreak', "=cmd|' /C calc'!A0", 'Größe 😀', "'"];
    const text = rowsAsCsv(
      names.map((name) => row('alpha', 'a-1', name, 1, name)),
      balancedEvidence,
    );
    const read: string[][] = parse(text);
    expect(read.slice(1).map(([, booking, id]) => [booking, id])).toEqual(names.map((name) => [name, name]));
  });
});

describe('the file for the rows', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'usher-rows-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('is there from the beginning, and filled or gone in the end', async () => {
    const path = join(folder, 'out.csv');
    const file = await createRowsFile(path);
    expect(await readFile(path, 'utf8')).toBe('');
    await file.write('text');
    expect(await readFile(path, 'utf8')).toBe('text');
    const other = await createRowsFile(join(folder, 'other.csv'));
    await other.discard();
    expect(await readdir(folder)).toEqual(['out.csv']);
  });

  test('is refused where something is, or where it cannot be', async () => {
    const path = join(folder, 'out.csv');
    await writeFile(path, 'mine');
    await expect(createRowsFile(path)).rejects.toThrow(RowsFileError);
    await expect(createRowsFile(path)).rejects.toThrow(`${path}: it exists already and is not overwritten`);
    expect(await readFile(path, 'utf8')).toBe('mine');
    await expect(createRowsFile(join(folder, 'no/out.csv'))).rejects.toThrow(
      'its folder does not exist; make it first',
    );
    await expect(createRowsFile(join(path, 'out.csv'))).rejects.toThrow('its folder is a file; name a folder');
    await expect(createRowsFile(join(folder, 'a\0b'))).rejects.toThrow(RowsFileError);
  });
});
