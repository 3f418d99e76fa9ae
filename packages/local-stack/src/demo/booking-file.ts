import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { AccountId, bodyMaxBytes, bookingMaxRows, Reservation } from '@usher/contracts';
import { type } from 'arktype';
import { parse } from 'csv-parse/sync';

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
  account: AccountId,
  booking: 'string > 0',
  reservation: Reservation.get('id'),
  cost: type(/^\d+$/).pipe(Number).to(Reservation.get('cost')),
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
    for (const { record, info } of parseFile(file, await readText(file))) {
      const place = `${file}:${info.lines}`;
      const row = Row(record);
      if (row instanceof type.errors) throw new BookingFileError(`${place}: ${problemOf(row)}`);
      const { account: accountId, booking, reservation: id, cost } = row;
      // An account id holds no line break, so the two cannot run into each other.
      const key = `${accountId}\n${booking}`;
      const found = bookings.get(key) ?? { accountId, booking, rows: new Map() };
      bookings.set(key, found);
      if (found.rows.has(id)) {
        throw new BookingFileError(`${place}: reservation must be unique within booking ${booking} of ${accountId}`);
      }
      found.rows.set(id, { id, cost });
    }
  }
  if (bookings.size === 0) throw new BookingFileError(`${files.join(', ')}: there is no row below the header`);
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
          if (found.join() === header.join()) return found;
          throw new BookingFileError(`${file}:1: the header must be ${header.join()}`);
        },
      }),
    );
  } catch (error) {
    if (error instanceof BookingFileError) throw error;
    throw new BookingFileError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
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
  const short = name.length <= 200 ? name : createHash('sha256').update(booking).digest('hex');
  return part === 0 ? short : `${short}/${part}`;
}
