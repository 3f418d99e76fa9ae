import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DataFolderUnusableError } from '../errors.ts';
import { openDatabase } from './database.ts';

describe('a transaction', () => {
  test('leaves nothing behind when its work throws, nested work included, and the next one goes on', () => {
    const database = openDatabase(undefined);
    const addBus = (name: string) => database.sql.prepare('INSERT INTO buses VALUES (?)').run(name);
    const failing = () =>
      database.transaction(() => {
        addBus('outer');
        database.transaction(() => addBus('inner'));
        throw new Error('broken');
      });
    expect(failing).toThrow('broken');
    database.transaction(() => addBus('next'));
    expect(database.sql.prepare('SELECT name FROM buses').all()).toEqual([{ name: 'next' }]);
    database.close();
  });
});

describe('a data folder', () => {
  test('that cannot be used is refused by its name', () => {
    const folder = mkdtempSync(join(tmpdir(), 'usher-database-'));
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => openDatabase(file)).toThrow(DataFolderUnusableError);
    expect(() => openDatabase(file)).toThrow(`The data folder ${file} cannot be used: EEXIST`);
    writeFileSync(join(folder, 'queues-and-events.sqlite'), 'no database, but a text that is long enough. '.repeat(99));
    expect(() => openDatabase(folder)).toThrow(`The data folder ${folder} cannot be used: file is not a database`);
    // Where nothing can be made: /proc says that the folder is not there, however often one tries.
    expect(() => openDatabase('/proc/usher/data')).toThrow('The data folder /proc/usher/data cannot be used: ');
    expect(() => openDatabase(join(file, 'below'))).toThrow(DataFolderUnusableError);
    rmSync(folder, { recursive: true });
  });
});
