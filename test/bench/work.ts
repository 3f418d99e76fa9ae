/** A contender's work: the reservations of some accounts under one limit. Every reservation costs 1. */
export interface Work {
  readonly accounts: readonly AccountWork[];
  /** The reservations of each account that must be granted, no more and no fewer. */
  readonly limit: number;
}

export interface AccountWork {
  readonly accountId: string;
  readonly reservationIds: readonly string[];
}

/** The limit as a share of the costs asked for: below 1, so that every contender must also refuse. */
const grantedShare = 0.95;

/**
 * Makes the work of one run. Accounts are new in every run; ids look like a flight's, 16 characters.
 *
 * @param run names the run: its accounts are its own
 */
export function makeWork(run: string, accounts: number, reservationsPerAccount: number): Work {
  return {
    limit: Math.floor(reservationsPerAccount * grantedShare),
    accounts: Array.from({ length: accounts }, (_, account) => ({
      accountId: `partner-${run}-${account}`,
      reservationIds: Array.from({ length: reservationsPerAccount }, (_, row) => `HNLSFO-0101-${pad4(row)}`),
    })),
  };
}

/** So many reservations of an account, asked for in one call. */
export interface Batch {
  readonly accountId: string;
  readonly reservations: number;
}

/** The work in the order in which independent callers ask: every account in turn, each time for a batch. */
export function inBatches({ accounts }: Work, size: number): Batch[] {
  const longest = Math.max(0, ...accounts.map(({ reservationIds }) => reservationIds.length));
  return Array.from({ length: Math.ceil(longest / size) }, (_, batch) =>
    accounts.flatMap(({ accountId, reservationIds }) => {
      const reservations = Math.min(size, reservationIds.length - batch * size);
      return reservations > 0 ? [{ accountId, reservations }] : [];
    }),
  ).flat();
}

/** The number of reservations in the work. */
export function sizeOf({ accounts }: Work): number {
  return accounts.reduce((total, { reservationIds }) => total + reservationIds.length, 0);
}

function pad4(row: number): string {
  return String(row).padStart(4, '0');
}
