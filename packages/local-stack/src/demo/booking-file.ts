import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { AccountId, bodyMaxBytes, bookingMaxRows, Reservation } from '@usher/contracts';
import { type } from 'arktype';
import { CsvError, parse } from 'csv-parse/sync';

/** A file of bookings cannot be used; the message names file, line and field. */
export class BookingFileError extends Error {
  override readonly name = 'BookingFileError';
}

/** What is submitted in one request. */
export interface BulkBooking {
  readonly accountId: string;
  readonly idempotencyKey: string;
  readonly reservations: readonly Reservation[];
}

const header = ['account', 'booking', 'reservation', 'cost'];

const Row = type({
  account: AccountId.describe('1 to 128 letters, digits or one of . _ @ | -'),
  booking: 'string > 0',
  reservation: Reservation.get('id'),
  cost: type(/^\d+$/).describe(Reservation.get('cost').description).pipe(Number).to(Reservation.get('cost')),
});

const Parsed = type({ record: { '[string]': 'string' }, info: { lines: 'number' } }).array();

/**
 * Reads files of rows `account,booking,reservation,cost` into bulk bookings: one per account and booking, in the order in
 * which they first appear, split where it has more rows than one submission may have.
 *
 * @throws BookingFileError
 */
export async function readBookingFiles(files: readonly string[]): Promise<BulkBooking[]> {
  const bookings = new Map<string, { accountId: string; booking: string; rows: Map<string, Reservation> }>();
  for (const file of files) {
    const records = parseFile(file, await readText(file));
    if (records.length === 0) throw new BookingFileError(`${file}: there is no row below the header ${header.join()}`);
    for (const { record, info } of records) {
      const place = `${file}:${info.lines}`;
      const row = Row(record);
      if (row instanceof type.errors) throw new BookingFileError(`${place}: ${problemOf(row)}`);
      const { account: accountId, booking, reservation: id, cost } = row;
      // An account id holds no line break, so the two cannot run into each other.
      const key = `${accountId}\n${booking}`;
      const found = bookings.get(key) ?? { accountId, booking, rows: new Map() };
      bookings.set(key, found);
      if (found.rows.has(id)) {
        throw new BookingFileError(
          `${place}: reservation must be unique within booking ${booking} of ${accountId}, and ${id} was there before`,
        );
      }
      found.rows.set(id, { id, cost });
    }
  }
  return [...bookings.values()].flatMap(({ accountId, booking, rows }) =>
    split([...rows.values()]).map((reservations, part) => ({
      accountId,
      idempotencyKey: idempotencyKeyOf(booking, part),
      reservations,
    })),
  );
}

async function readText(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (error) {
    throw new BookingFileError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parseFile(file: string, text: string): typeof Parsed.infer {
  try {
    return Parsed.assert(
      parse(text, {
        bom: true,
        info: true,
        trim: true,
        skip_empty_lines: true,
        columns: (found: string[]) => {
          if (found.length === header.length && header.every((name, i) => found[i] === name)) return found;
          throw new BookingFileError(`${file}:1: the header must be ${header.join()}`);
        },
      }),
    );
  } catch (error) {
    if (error instanceof BookingFileError) throw error;
    if (!(error instanceof CsvError)) throw error;
    const isWidth = error.code === 'CSV_RECORD_INCONSISTENT_COLUMNS';
    const problem = isWidth ? `a row must have the ${header.length} columns ${header.join()}` : error.message;
    throw new BookingFileError(`${file}:${String(error.lines)}: ${problem}`);
  }
}

function problemOf(errors: type.errors): string {
  return [...errors].map(({ path, expected }) => `${path.join('.')} must be ${expected}`).join('; ');
}

/** Cuts rows into submissions, by count and so that the body stays well below its limit. */
function split(rows: readonly Reservation[]): Reservation[][] {
  const parts: Reservation[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const size = Buffer.byteLength(JSON.stringify(row)) + 1;
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
