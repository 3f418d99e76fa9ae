import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BookingRequest, bodyMaxBytes, bookingMaxRows, IdempotencyKey } from '@usher/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BookingFileError } from '../../errors.ts';
import { type BulkBooking, readBookingFiles } from './booking-file.ts';

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

  const read = async (...lines: string[]): Promise<readonly BulkBooking[]> =>
    (await readBookingFiles([await file('b.csv', [header, ...lines].join('\n'))])).bookings;

  describe('that are well formed', () => {
    test('become one bulk booking per account and booking, in order of appearance, over all files', async () => {
      const first = await file('1.csv', `${header}\na,x,r1,1\nb,x,r1,2\na,y,r1,3\na,x,r2,4\n`);
      const second = await file('2.csv', `${header}\na,x,r3,5\nc,x,r1,6\n`);
      const row = (id: string, cost: number) => ({ id, cost });
      expect((await readBookingFiles([first, second])).bookings).toEqual([
        { accountId: 'a', idempotencyKey: 'x', reservations: [row('r1', 1), row('r2', 4), row('r3', 5)] },
        { accountId: 'b', idempotencyKey: 'x', reservations: [row('r1', 2)] },
        { accountId: 'a', idempotencyKey: 'y', reservations: [row('r1', 3)] },
        { accountId: 'c', idempotencyKey: 'x', reservations: [row('r1', 6)] },
      ]);
    });

    test.each([
      ['a byte order mark', `\uFEFF${header}\na,x,r,1\n`],
      ['CRLF', `${header}\r\na,x,r,1\r\n`],
      ['quoted fields', `"account","booking","reservation","cost"\n"a","x","r","1"\n`],
      ['spaces around fields', ` account , booking,reservation,cost\n a , x ,r , 1 \n`],
      ['empty lines and no last line break', `${header}\n\na,x,r,1\n\n`],
      ['an empty line above the header', `\n${header}\na,x,r,1\n`],
      ['the line breaks of old Macs', `${header}\ra,x,r,1\r`],
      ['columns in another order', 'cost,account,reservation,booking\n1,a,r,x\n'],
      ['empty columns at the end', `${header},,\na,x,r,1,,\n,,,,,\n`],
      ['bars between columns', 'account|booking|reservation|cost\na|x|r|1\n'],
      ['tabs and quotes', 'account\tbooking\treservation\tcost\n"a"\t x\tr\t1\n'],
      ['a line that declares tabs', 'sep=\t\naccount\tbooking\treservation\tcost\na\tx\tr\t1\n'],
      ['invisible characters around cells', `${header}\n\u200ba,\u00a0x\u00a0,r\ufeff,\u200e1\n`],
      ['decimals that say nothing', `${header}\na,x,r,1.0\n`],
      ['a decimal comma that says nothing', 'account;booking;reservation;cost\na;x;r;1,00\n'],
    ])('may have %s', async (_, text) => {
      expect((await readBookingFiles([await file('b.csv', text)])).bookings).toEqual([
        { accountId: 'a', idempotencyKey: 'x', reservations: [{ id: 'r', cost: 1 }] },
      ]);
    });

    test('keep commas and quotes inside quoted fields', async () => {
      const [booking] = await read('a,x,"r,""1""",7');
      expect(booking?.reservations).toEqual([{ id: 'r,"1"', cost: 7 }]);
    });

    test('may name accounts and bookings like properties of objects', async () => {
      const bookings = await read('__proto__,constructor,__proto__,1', 'constructor,__proto__,toString,1');
      expect(bookings.map(({ accountId, idempotencyKey }) => [accountId, idempotencyKey])).toEqual([
        ['__proto__', 'constructor'],
        ['constructor', '__proto__'],
      ]);
    });
  });

  describe('with bookings too large for one submission', () => {
    test('are split by rows, under keys of their own', async () => {
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

    test('are split by the bytes of their bodies, each of which the API takes', async () => {
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

  test('give every booking of an account a key that the API takes and no other booking has', async () => {
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

    test.each([
      ['a malformed account', 'a b,x,r,1', 'account must be 1 to 128 letters, digits or one of . _ @ | -, not "a b"'],
      ['an account too long', `${'a'.repeat(129)},x,r,1`, 'account must be 1 to 128'],
      ['no account', ',x,r,1', 'account must be'],
      ['no booking', 'a,,r,1', 'booking must be filled in, not empty'],
      ['a booking of spaces', 'a,  ,r,1', 'booking must be filled in, not empty'],
      ['no reservation', 'a,x,,1', idRule],
      ['a control character in the reservation', 'a,x,r\u0007r,1', `${idRule}.*, not "r\\u{7}r"`],
      ['a reservation too long', `a,x,${'r'.repeat(129)},1`, idRule],
      ['no cost', 'a,x,r,', `${costRule}, in digits alone, not empty`],
      ['cost 0', 'a,x,r,0', `${costRule}, not "0"`],
      ['a negative cost', 'a,x,r,-1', costRule],
      ['a fraction', 'a,x,r,1.5', costRule],
      ['a cost too high', 'a,x,r,10001', `${costRule}, not "10001"`],
      ['a cost in words', 'a,x,r,two', `${costRule}, in digits alone, not "two"`],
      ['a cost in hexadecimal', 'a,x,r,0x10', costRule],
      ['a cost with an exponent', 'a,x,r,1e3', costRule],
      ['a cost with a unit', 'a,x,r,2 €', `${costRule}, in digits alone, not "2 €"`],
      ['a cost that may be 1 or 1000', 'a,x,r,1.000', costRule],
      ['a column too few', 'a,x,r', 'a row must have the 4 columns account,booking,reservation,cost, not 3 cells'],
      ['a column too many', 'a,x,r,1,2', 'a row must have the 4 columns account,booking,reservation,cost, not 5 cells'],
      ['another separator', 'a;x;r;1', 'a row must have the 4 columns .*, not 1 cell, "a;x;r;1"'],
      ['an open quote', 'a,x,"r,1', "a quote opens here and is never closed: '\"r,1'"],
    ])('by %s are refused by file, line and field', async (_, line, problem) => {
      const reading = read('a,x,first,1', line);
      await expect(reading).rejects.toThrow(BookingFileError);
      const [before, after = ''] = problem.split('.*');
      await expect(reading).rejects.toThrow(`${join(folder, 'b.csv')}:3: ${before}`);
      await expect(reading).rejects.toThrow(after);
    });

    test('tell every field of a row that is wrong', async () => {
      await expect(read('a b,,r,0')).rejects.toThrow(/^.*b\.csv:2: account must .*; booking must .*; cost must .*$/);
    });

    test('are refused where a reservation is repeated in its booking, also in another file', async () => {
      const problem = (before: string) => `reservation "r" stands in ${before} already, in booking "x" of a; give each`;
      const path = join(folder, 'b.csv');
      await expect(read('a,x,r,1', 'a,y,r,1', 'b,x,r,1', 'a,x,r,2')).rejects.toThrow(
        `${path}:5: ${problem(`${path}:2`)}`,
      );
      const first = await file('1.csv', `${header}\na,x,r,1\n`);
      const second = await file('2.csv', `${header}\na,x,s,1\na,x,r,1\n`);
      await expect(readBookingFiles([first, second])).rejects.toThrow(`${second}:3: ${problem(`${first}:2`)}`);
    });

    test.each([
      'account,booking,reservation',
      'account,booking,account,cost',
      'account;booking,reservation;cost',
      'account,booking,reservation,cost,note',
      '"account,booking",reservation,cost',
      'a,x,r,1',
    ])('are refused for the header %s', async (wrong) => {
      const path = await file('b.csv', `${wrong}\na,x,r,1\n`);
      await expect(readBookingFiles([path])).rejects.toThrow(`${path}:1: the header must be ${header}, not `);
    });

    test.each([
      ['is empty', '', `there is nothing in it; write the header ${header} and rows below it`],
      ['has a header only', `${header}\n`, `there is no row below the header ${header}; add some`],
      ['has a header and emptied rows', `${header}\n,,,\n`, `there is no row below the header ${header}; add some`],
    ])('are refused where one of them %s', async (_, text, problem) => {
      const good = await file('good.csv', `${header}\na,x,r,1\n`);
      const bad = await file('bad.csv', text);
      await expect(readBookingFiles([good, bad])).rejects.toThrow(new BookingFileError(`${bad}:1: ${problem}`));
    });

    test('tell what cannot be read beside what is wrong in others, in the order of the files', async () => {
      const wrong = await file('wrong.csv', `${header}\na,x,r,0\na,x,"r,1\n`);
      const missing = join(folder, 'missing.csv');
      const reading = readBookingFiles([missing, wrong, folder]);
      await expect(reading).rejects.toThrow(BookingFileError);
      const { message }: Error = await reading.then(
        () => new Error('read'),
        (error: Error) => error,
      );
      expect(message.split('\n')).toEqual([
        `${missing}: there is no such file`,
        expect.stringContaining(`${wrong}:2: cost must be`),
        expect.stringContaining(`${wrong}:3: a quote opens here`),
        `${folder}: it is a folder; name the files in it`,
      ]);
    });

    test('tell the first 20 faults, and how many more there are', async () => {
      const lines = (count: number) => Array.from({ length: count }, (_, i) => `a,x,r${i},0`);
      const told = async (count: number): Promise<string[]> => {
        const { message }: Error = await read(...lines(count)).then(
          () => new Error('read'),
          (error: Error) => error,
        );
        return message.split('\n');
      };
      expect(await told(20)).toHaveLength(20);
      expect((await told(23)).slice(19)).toEqual([expect.stringContaining('b.csv:21: cost'), '… and 3 more']);
    });
  });

  test('tell their rows in the order of the lines, each with the submission that it is in', async () => {
    const first = await file('1.csv', `${header}\na,x,r1,1\nb,x,r1,2\na,y,r1,3\n`);
    const second = await file('2.csv', `${header}\na,x,r2,4\n`);
    const { rows } = await readBookingFiles([first, second]);
    expect(rows).toEqual([
      { accountId: 'a', booking: 'x', reservation: { id: 'r1', cost: 1 }, idempotencyKey: 'x' },
      { accountId: 'b', booking: 'x', reservation: { id: 'r1', cost: 2 }, idempotencyKey: 'x' },
      { accountId: 'a', booking: 'y', reservation: { id: 'r1', cost: 3 }, idempotencyKey: 'y' },
      { accountId: 'a', booking: 'x', reservation: { id: 'r2', cost: 4 }, idempotencyKey: 'x' },
    ]);
    const many = Array.from({ length: bookingMaxRows + 1 }, (_, i) => `a,x,r${i},1`);
    const split = await readBookingFiles([await file('b.csv', [header, ...many].join('\n'))]);
    expect(split.rows.map(({ reservation }) => reservation.id)).toEqual(many.map((_, i) => `r${i}`));
    expect(split.rows.at(-1)?.idempotencyKey).toBe('x/1');
  });
});
