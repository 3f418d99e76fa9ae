import type { HeaderItem } from '@usher/contracts';
import { CorruptItemError, type DecidedCounts, type LedgerReader } from '@usher/limiter-core';
import { errorFields, type Log } from '@usher/service';
import { reach } from './errors.ts';
import type { HeaderStore } from './header-store.ts';

export interface CountPorts {
  readonly headers: HeaderStore;
  readonly ledger: LedgerReader;
  readonly log: Log;
}

/**
 * Rows granted and rejected of a booking that is decided; null while it is not. The ledger of a booking is counted once:
 * from then on its header holds the counts.
 *
 * @throws CorruptItemError
 */
export async function countsOf(ports: CountPorts, header: HeaderItem, nowMs: number): Promise<DecidedCounts | null> {
  if (header.counts !== undefined) return header.counts;
  const counts = await reach('The table', () => ports.ledger.countDecided(header, nowMs));
  if (counts !== null) await keepCounts(ports, header, counts);
  return counts;
}

/**
 * Writes the counts of a decided booking to its header, unless they are there. Verdicts never change, so two writers
 * write the same. A write that fails is logged, and the next reader counts again.
 *
 * @throws CorruptItemError where the ledger has more or fewer rows than the booking
 */
export async function keepCounts(
  { headers, log }: Pick<CountPorts, 'headers' | 'log'>,
  header: HeaderItem,
  counts: DecidedCounts,
): Promise<void> {
  const { bookingId, accountId, total } = header;
  const rows = counts.granted + counts.rejected;
  if (rows !== total) throw new CorruptItemError(`ledger of ${bookingId}`, `it has ${rows} rows, the booking ${total}`);
  if (header.counts !== undefined) return;
  try {
    await headers.keepCounts(header, counts);
  } catch (error) {
    log.warn('counts not kept', { accountId, bookingId, ...errorFields(error) });
  }
}
