import { createHash } from 'node:crypto';
import { excerpt } from '@usher/cli';
import { AccountId, bodyMaxBytes, bookingMaxRows, Reservation } from '@usher/contracts';
import { type } from 'arktype';
import { BookingFileError, TextFileError } from '../../errors.ts';
import { readTextFile } from '../../text-file.ts';
import { CostText } from './cost-text.ts';
import { readCsv } from './csv-text.ts';

/** The rows submitted in one request. */
export interface BulkBooking {
  readonly accountId: string;
  readonly idempotencyKey: string;
  readonly reservations: readonly Reservation[];
}

/** A row of a file, and the submission that it is part of. */
export interface FileRow {
  readonly accountId: string;
  readonly booking: string;
  readonly reservation: Reservation;
  readonly idempotencyKey: string;
}

/** The bookings of all files, and their rows. */
export interface FileBookings {
  readonly bookings: readonly BulkBooking[];
  /** In the order of the files and of their lines. */
  readonly rows: readonly FileRow[];
}

const columns = ['account', 'booking', 'reservation', 'cost'] as const;
const shownFaults = 20;

const Row = type({
  account: AccountId.describe('1 to 128 letters, digits or one of . _ @ | -'),
  booking: type('string > 0').describe('filled in'),
  reservation: Reservation.get('id'),
  cost: CostText,
});

/** A row as it was read; `place` tells where, `position` in which order. */
interface ReadRow extends Omit<FileRow, 'idempotencyKey'> {
  readonly place: string;
  readonly position: number;
}

/**
 * Reads files of rows `account,booking,reservation,cost` into bulk bookings: one per account and booking, in the order in
 * which they first appear, split where it has more rows than one submission may have.
 *
 * @throws BookingFileError names the first 20 faults of all the files, and how many there are more
 */
export async function readBookingFiles(files: readonly string[]): Promise<FileBookings> {
  const faults = new Faults();
  // An account id holds no line break, so the two names that make a key cannot run into each other.
  const bookings = new Map<string, Map<string, ReadRow>>();
  let position = 0;
  for (const file of files) {
    for (const row of await readFile(file, faults)) {
      const { accountId, booking, reservation, place } = row;
      const key = `${accountId}\n${booking}`;
      const own = bookings.get(key) ?? new Map<string, ReadRow>();
      bookings.set(key, own);
      const before = own.get(reservation.id);
      if (before === undefined) own.set(reservation.id, { ...row, position: position++ });
      else faults.add(`${place}: ${repeated(row, before)}`);
    }
  }
  faults.throwAny();
  return submissions([...bookings.values()].map((rows) => [...rows.values()]));
}

/** The rows of a file that can be used; the faults of the others are added, in the order of their lines. */
async function readFile(file: string, faults: Faults): Promise<Omit<ReadRow, 'position'>[]> {
  let text: string;
  try {
    text = await readTextFile(file);
  } catch (error) {
    if (!(error instanceof TextFileError)) throw error;
    faults.add(error.message);
    return [];
  }
  const table = readCsv(text, columns);
  const found = [...table.faults];
  const rows: Omit<ReadRow, 'position'>[] = [];
  for (const { line, cells } of table.rows) {
    const row = Row(cells);
    if (row instanceof type.errors) {
      found.push({ line, problem: problemOf(row, cells) });
    } else {
      const { account: accountId, booking, reservation: id, cost } = row;
      rows.push({ accountId, booking, reservation: { id, cost }, place: `${file}:${line}` });
    }
  }
  if (rows.length === 0 && found.length === 0) {
    found.push({ line: 1, problem: `there is no row below the header ${columns.join()}; add some` });
  }
  for (const { line, problem } of found.sort((a, b) => a.line - b.line)) faults.add(`${file}:${line}: ${problem}`);
  return rows;
}

function repeated({ accountId, booking, reservation }: Omit<ReadRow, 'position'>, before: ReadRow): string {
  return (
    `reservation ${excerpt(reservation.id)} stands in ${before.place} already, in booking ${excerpt(booking)} of ` +
    `${accountId}; give each reservation of a booking its own id`
  );
}

function problemOf(errors: type.errors, cells: Readonly<Record<string, string>>): string {
  return [...errors]
    .map(({ path: [name], expected }) => {
      const found = cells[String(name)] ?? '';
      return `${String(name)} must be ${expected}, not ${found === '' ? 'empty' : excerpt(found)}`;
    })
    .join('; ');
}

/** Faults as they are found: the first ones kept, the others counted. */
class Faults {
  readonly #shown: string[] = [];
  #count = 0;

  add(fault: string): void {
    this.#count += 1;
    if (this.#shown.length < shownFaults) this.#shown.push(fault);
  }

  /** @throws BookingFileError where there is any */
  throwAny(): void {
    if (this.#count === 0) return;
    const more = this.#count - this.#shown.length;
    throw new BookingFileError([...this.#shown, ...(more === 0 ? [] : [`… and ${more} more`])].join('\n'));
  }
}

function submissions(bookings: readonly (readonly ReadRow[])[]): FileBookings {
  const parts = bookings.flatMap((rows) =>
    split(rows).map((part, i) => ({ part, idempotencyKey: idempotencyKeyOf(rows[0]?.booking ?? '', i) })),
  );
  return {
    bookings: parts.map(({ part, idempotencyKey }) => ({
      accountId: part[0]?.accountId ?? '',
      idempotencyKey,
      reservations: part.map(({ reservation }) => reservation),
    })),
    rows: parts
      .flatMap(({ part, idempotencyKey }) => part.map((row) => ({ ...row, idempotencyKey })))
      .sort((a, b) => a.position - b.position)
      .map(({ accountId, booking, reservation, idempotencyKey }) => ({
        accountId,
        booking,
        reservation,
        idempotencyKey,
      })),
  };
}

/** Cuts rows into submissions, by count and so that the body stays well below its limit. */
function split(rows: readonly ReadRow[]): ReadRow[][] {
  const parts: ReadRow[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const size = Buffer.byteLength(JSON.stringify(row.reservation)) + 1;
    const part = parts.at(-1);
    if (part === undefined || part.length === bookingMaxRows || bytes + size > bodyMaxBytes - 1024) {
      parts.push([row]);
      bytes = size;
    } else {
      part.push(row);
      bytes += size;
    }
  }
  return parts;
}

/** The booking's own name where an Idempotency-Key can hold it, else its digest; the parts of a split one numbered. */
function idempotencyKeyOf(booking: string, part: number): string {
  const name = encodeURIComponent(booking);
  // An encoded name holds neither colon nor slash, so that no two bookings share a key.
  const short = name.length <= 200 ? name : `sha256:${createHash('sha256').update(booking).digest('hex')}`;
  return part === 0 ? short : `${short}/${part}`;
}
