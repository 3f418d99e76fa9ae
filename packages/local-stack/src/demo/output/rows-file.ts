import { type FileHandle, open, rm } from 'node:fs/promises';
import { toRfc3339 } from '@usher/limiter-core/bulk';
import { RowsFileError } from '../../errors.ts';
import { observedReasons } from '../audit/observed.ts';
import type { FileRow } from '../input/booking-file.ts';
import type { Evidence } from '../run/evidence.ts';

/** A new file, made before the work and filled after it. */
export interface RowsFile {
  write(text: string): Promise<void>;
  /** Leaves nothing behind: for a run that came to no end. */
  discard(): Promise<void>;
}

/**
 * Makes a new file. It must not exist yet: nothing is ever overwritten.
 *
 * @throws RowsFileError
 */
export async function createRowsFile(path: string): Promise<RowsFile> {
  const handle = await openNew(path);
  return {
    write: async (text) => {
      await handle.writeFile(text);
      await handle.close();
    },
    discard: async () => {
      await handle.close();
      await rm(path, { force: true });
    },
  };
}

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const known = problems[code] ?? `it cannot be made: ${error instanceof Error ? error.message : String(error)}`;
    throw new RowsFileError(`${path}: ${known}`, { cause: error });
  }
}

const problems: Readonly<Record<string, string>> = {
  EEXIST: 'it exists already and is not overwritten; name another file or remove it',
  ENOENT: 'its folder does not exist; make it first',
  ENOTDIR: 'its folder is a file; name a folder',
  EACCES: 'it may not be made there; name another folder',
  EROFS: 'it may not be made there; name another folder',
};

const header = [
  ...['account', 'booking', 'reservation', 'cost', 'decision', 'reason'],
  ...['acceptedAt', 'decidedAt', 'dispatchAt'],
];

/**
 * Every row of the files with its decision, in the files' order, as CSV (RFC 4180). A granted row with a reason is one
 * that observe mode let pass and enforce would have rejected. `acceptedAt` decides the day and the hour that a row counts in.
 */
export function rowsAsCsv(rows: readonly FileRow[], { bookings, ledger }: Evidence): string {
  const observed = observedReasons(ledger);
  const decidedAt = decisionInstants(ledger);
  const decided = new Map(
    bookings.map(({ accountId, idempotencyKey, bookingId, acceptedAt, decisions }) => [
      `${accountId}\n${idempotencyKey}`,
      { bookingId, acceptedAt, byId: new Map(decisions.map((one) => [one.id, one])) },
    ]),
  );
  const lines = rows.map(({ accountId, booking, reservation: { id, cost }, idempotencyKey }) => {
    const own = decided.get(`${accountId}\n${idempotencyKey}`);
    const decision = own?.byId.get(id);
    const key = `${own?.bookingId}\n${id}`;
    const isRejected = decision?.decision === 'rejected';
    const reason = isRejected ? decision.reason : observed.get(key);
    const dispatchAt = decision?.decision === 'granted' ? decision.dispatchAt : '';
    const instants = [own?.acceptedAt ?? '', decidedAt.get(key) ?? '', dispatchAt];
    return [accountId, booking, id, String(cost), decision?.decision ?? '', reason ?? '', ...instants];
  });
  return [header, ...lines].map((cells) => `${cells.map(quoted).join()}\r\n`).join('');
}

/** The instants at which rows were decided, by `<bookingId>\n<id>`. */
function decisionInstants(ledger: Evidence['ledger']): ReadonlyMap<string, string> {
  const instants = new Map<string, string>();
  for (const { bookingId, rows = [], outcome } of ledger) {
    const settledAt = toRfc3339(outcome.settledAtMs);
    for (const { id } of rows) instants.set(`${bookingId}\n${id}`, settledAt);
  }
  return instants;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
