import type { Clock, Rate } from '@usher/limiter-core/bulk';
import type { Meter } from '@usher/service';
import { AccountLimit } from './account-limit.ts';
import { type IntakeMetric, intakeMetrics } from './metrics.ts';
import { type Refusal, refusal } from './refusal.ts';

/** The rates at which one account may ask one instance. */
export interface RequestRates {
  /** Requests that read. */
  readonly reads: Rate;
  /** Units of refused and repeated submissions; see {@link refusalCost} and {@link repeatCost}. */
  readonly refusals: Rate;
}

/**
 * The rates where nothing else is configured. Reads: a thousand bookings can be looked at at once. Refusals: 32 MiB of
 * refused or repeated bodies at once and one MiB a second, which leaves most of an instance's time to others.
 */
export const defaultRequestRates: RequestRates = {
  reads: { burst: 1000, refillPerSecond: 100 },
  refusals: { burst: 512, refillPerSecond: 16 },
};

const unitBytes = 65_536;
const unitFaults = 500;

/**
 * The cost of a refused submission to its sender: one unit, one for each 64 KiB that were parsed, and one for each 500
 * faults that were told apart. A fault takes as much CPU as about 130 bytes: rows that are wrong throughout would else
 * buy ten times the CPU that their bytes pay for.
 */
export function refusalCost(parsedBytes: number, faults = 0): number {
  return 1 + Math.ceil(parsedBytes / unitBytes) + Math.floor(faults / unitFaults);
}

/** The cost of a repeated submission to its sender: one unit for each whole 64 KiB, so that small repeats are free. */
export function repeatCost(parsedBytes: number): number {
  return Math.floor(parsedBytes / unitBytes);
}

/** Bounds one account's reads, and its refused and repeated submissions, so that no other account waits for them. */
export class RequestLimits {
  readonly #reads: AccountLimit;
  readonly #refusals: AccountLimit;
  readonly #meter: Meter<IntakeMetric>;

  constructor({ rates, clock, meter }: { rates: RequestRates; clock: Clock; meter: Meter<IntakeMetric> }) {
    this.#reads = new AccountLimit({ rate: rates.reads, clock });
    this.#refusals = new AccountLimit({ rate: rates.refusals, clock });
    this.#meter = meter;
  }

  /** Takes one read, or refuses it. */
  takeRead(accountId: string): Refusal | undefined {
    return this.#limited(this.#reads.take(accountId, 1), 'This account reads too often; try again later.');
  }

  /** Refuses to parse so many bytes, if the account's last submissions used its rate up. Takes nothing. */
  beforeParsing(accountId: string, bytes: number): Refusal | undefined {
    const wait = this.#refusals.waitSeconds(accountId, refusalCost(bytes));
    return this.#limited(
      wait,
      'Too much of what this account sent was refused or repeated; mend what was refused, and try again later.',
    );
  }

  /** Charges a refused submission by the bytes parsed and the faults found. */
  chargeRefusal(accountId: string, parsedBytes: number, faults = 0): void {
    this.#refusals.charge(accountId, refusalCost(parsedBytes, faults));
  }

  /** Charges a repeated submission by the bytes parsed: it is no fault, but takes as long as one. */
  chargeRepeat(accountId: string, parsedBytes: number): void {
    const cost = repeatCost(parsedBytes);
    if (cost > 0) this.#refusals.charge(accountId, cost);
  }

  #limited(waitSeconds: number, detail: string): Refusal | undefined {
    if (!(waitSeconds > 0)) return undefined;
    this.#meter.count(intakeMetrics.requestsLimited, 1);
    return refusal('request-limit-exceeded', detail, { headers: { 'Retry-After': String(waitSeconds) } });
  }
}
