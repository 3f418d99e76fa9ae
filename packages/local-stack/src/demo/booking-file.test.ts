import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BookingRequest, bodyMaxBytes, bookingMaxRows, IdempotencyKey } from '@usher/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BookingFileError, type BulkBooking, readBookingFiles } from './booking-file.ts';

const header = 'account,booking,reservation,cost';

describe('booking files', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'usher-files-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function file(name: string, content: string | Buffer): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  }

  const read = async (...lines: string[]): Promise<BulkBooking[]> =>
    readBookingFiles([await file('b.csv', [header, ...lines].join('\n'))]);

  describe('that are well formed', () => {
    it('become one bulk booking per account and booking, in order of appearance, over all files', async () => {
      const first = await file('1.csv', `${header}\na,x,r1,1\nb,x,r1,2\na,y,r1,3\na,x,r2,4\n`);
      const second = await file('2.csv', `${header}\na,x,r3,5\nc,x,r1,6\n`);
      const row = (id: string, cost: number) => ({ id, cost });
      expect(await readBookingFiles([first, second])).toEqual([
        { accountId: 'a', idempotencyKey: 'x', reservations: [row('r1', 1), row('r2', 4), row('r3', 5)] },
        { accountId: 'b', idempotencyKey: 'x', reservations: [row('r1', 2)] },
        { accountId: 'a', idempotencyKey: 'y', reservations: [row('r1', 3)] },
        { accountId: 'c', idempotencyKey: 'x', reservations: [row('r1', 6)] },
      ]);
    });

    it.each([
      ['a byte order mark', `\uFEFF${header}\na,x,r,1\n`],
      ['CRLF', `${header}\r\na,x,r,1\r\n`],
      ['quoted fields', `"account","booking","reservation","cost"\n"a","x","r","1"\n`],
      ['spaces around fields', ` account , booking,reservation,cost\n a , x ,r , 1 \n`],
      ['empty lines and no last line break', `${header}\n\na,x,r,1\n\n`],
    ])('may have %s', async (_, text) => {
      expect(await readBookingFiles([await file('b.csv', text)])).toEqual([
        { accountId: 'a', idempotencyKey: 'x', reservations: [{ id: 'r', cost: 1 }] },
      ]);
    });

    it('keep commas and quotes inside quoted fields', async () => {
      const [booking] = await read('a,x,"r,""1""",7');
      expect(booking?.reservations).toEqual([{ id: 'r,"1"', cost: 7 }]);
    });

    it('may name accounts and bookings like properties of objects', async () => {
      const bookings = await read('__proto__,constructor,__proto__,1', 'constructor,__proto__,toString,1');
      expect(bookings.map(({ accountId, idempotencyKey }) => [accountId, idempotencyKey])).toEqual([
        ['__proto__', 'constructor'],
        ['constructor', '__proto__'],
      ]);
    });
  });

  describe('with bookings too large for one submission', () => {
    it('are split by rows, under keys of their own', async () => {
      const rows = Array.from({ length: 2 * bookingMaxRows + 1 }, (_, i) => `a,x,r${i},1`);
      const parts = await read(...rows);
      expect(parts.map(({ idempotencyKey, reservations }) => [idempotencyKey, reservations.length])).toEqual([
        ['x', bookingMaxRows],
        ['x/1', bookingMaxRows],
        ['x/2', 1],
      ]);
      expect(parts.flatMap(({ reservations }) => reservations.map(({ id }) => id))).toEqual(
        rows.map((_, i) => `r${i}`),
      );
    });

    it('are split by the bytes of their bodies, each of which the API takes', async () => {
      const wide = '😀'.repeat(122);
      const rows = Array.from({ length: bookingMaxRows }, (_, i) => `a,x,${wide}${i},10000`);
      const parts = await read(...rows);
      const bodies = parts.map(({ reservations }) => JSON.stringify({ reservations }));
      expect(parts.length).toBe(2);
      for (const body of bodies) {
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(bodyMaxBytes);
        BookingRequest.assert(JSON.parse(body));
      }
      expect(parts.reduce((sum, { reservations }) => sum + reservations.length, 0)).toBe(bookingMaxRows);
    });
  });

  it('give every booking of an account a key that the API takes and no other booking has', async () => {
    const names = [
      'x',
      'x/1',
      'x%2F1',
      'Flug ✈ München',
      'ä'.repeat(33),
      'ä'.repeat(34),
      'ä'.repeat(35),
      'long '.repeat(100),
      '😀',
      `"a\nb"`,
      '"a,b"',
      'sha256:0',
    ];
    const keys = (await read(...names.map((name, i) => `a,${name},r${i},1`))).map((booking) => booking.idempotencyKey);
    expect(new Set(keys).size).toBe(names.length);
    for (const key of keys) IdempotencyKey.assert(key);
  });

  describe('that are malformed', () => {
    const costRule = 'cost must be a whole number from 1 to 10000';
    const idRule = 'reservation must be a string of 1 to 128 characters, free of control characters';

    it.each([
      ['a malformed account', 'a b,x,r,1', 'account must be 1 to 128 letters, digits or one of . _ @ | -'],
      ['an account too long', `${'a'.repeat(129)},x,r,1`, 'account must be 1 to 128'],
      ['no account', ',x,r,1', 'account must be'],
      ['no booking', 'a,,r,1', 'booking must be non-empty'],
      ['a booking of spaces', 'a,  ,r,1', 'booking must be non-empty'],
      ['no reservation', 'a,x,,1', idRule],
      ['a control character in the reservation', 'a,x,r\u0007r,1', idRule],
      ['a reservation too long', `a,x,${'r'.repeat(129)},1`, idRule],
      ['no cost', 'a,x,r,', costRule],
      ['cost 0', 'a,x,r,0', costRule],
      ['a negative cost', 'a,x,r,-1', costRule],
      ['a fraction', 'a,x,r,1.5', costRule],
      ['a cost too high', 'a,x,r,10001', costRule],
      ['a cost in words', 'a,x,r,two', costRule],
      ['a cost in hexadecimal', 'a,x,r,0x10', costRule],
      ['a cost with an exponent', 'a,x,r,1e3', costRule],
      ['a column too few', 'a,x,r', 'a row must have the 4 columns account,booking,reservation,cost'],
      ['a column too many', 'a,x,r,1,2', 'a row must have the 4 columns account,booking,reservation,cost'],
      ['an open quote', 'a,x,"r,1', 'Quote Not Closed'],
    ])('by %s are refused by file, line and field', async (_, line, problem) => {
      const reading = read('a,x,first,1', line);
      await expect(reading).rejects.toThrow(BookingFileError);
      await expect(reading).rejects.toThrow(`${join(folder, 'b.csv')}:3: ${problem}`);
    });

    it('tell every field of a row that is wrong', async () => {
      await expect(read('a b,,r,0')).rejects.toThrow(/^.*b\.csv:2: account must .*; booking must .*; cost must .*$/);
    });

    it('are refused where a reservation is repeated in its booking, also in another file', async () => {
      const problem = 'reservation must be unique within booking x of a, and r was there before';
      await expect(read('a,x,r,1', 'a,y,r,1', 'b,x,r,1', 'a,x,r,2')).rejects.toThrow(`b.csv:5: ${problem}`);
      const first = await file('1.csv', `${header}\na,x,r,1\n`);
      const second = await file('2.csv', `${header}\na,x,s,1\na,x,r,1\n`);
      await expect(readBookingFiles([first, second])).rejects.toThrow(`${second}:3: ${problem}`);
    });

    it.each([
      'account,booking,reservation',
      'account,booking,cost,reservation',
      'Account,booking,reservation,cost',
      'account,booking,reservation,cost,note',
      '"account,booking",reservation,cost',
      'a,x,r,1',
    ])('are refused for the header %s', async (wrong) => {
      const path = await file('b.csv', `${wrong}\na,x,r,1\n`);
      await expect(readBookingFiles([path])).rejects.toThrow(`${path}:1: the header must be ${header}`);
    });

    it.each([
      ['is empty', ''],
      ['has a header only', `${header}\n`],
    ])('are refused where one of them %s', async (_, text) => {
      const good = await file('good.csv', `${header}\na,x,r,1\n`);
      const bad = await file('bad.csv', text);
      await expect(readBookingFiles([good, bad])).rejects.toThrow(
        new BookingFileError(`${bad}: there is no row below the header ${header}`),
      );
    });

    it('are refused where they are not UTF-8, or not there', async () => {
      const latin1 = await file('latin1.csv', Buffer.from(`${header}\na,x,M\u00fcnchen,1\n`, 'latin1'));
      await expect(readBookingFiles([latin1])).rejects.toThrow(`${latin1} cannot be read: `);
      const missing = join(folder, 'missing.csv');
      await expect(readBookingFiles([missing])).rejects.toThrow(`${missing} cannot be read: ENOENT`);
      await expect(readBookingFiles([missing])).rejects.toThrow(BookingFileError);
    });
  });
});
