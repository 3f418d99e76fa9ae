import { describe, expect, it } from 'vitest';
import { openDatabase } from './database.ts';

describe('a transaction', () => {
  it('leaves nothing behind when its work throws, nested work included, and the next one goes on', () => {
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
