import { CorruptItemError } from '../../errors.ts';
import type { Outcome } from '../outcome.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { readReasons, writeReasons } from './reason-bytes.ts';

const version = 2;
const dayMs = 86_400_000;

/** The part of an outcome that all outcomes of one write have in common. */
export type Terms = Pick<Outcome, 'settledAtMs' | 'limit' | 'refillPerSecond' | 'burst' | 'policyMode' | 'thresholds'>;
/** The part of an outcome that is its chunk's own. */
export type Verdict = Omit<Outcome, keyof Terms>;

/** Writes an outcome as bytes, about sixty for a usual chunk. */
export function encodeOutcome(outcome: Outcome): Uint8Array {
  const out = new ByteWriter();
  out.byte(version);
  writeTerms(out, outcome);
  writeVerdict(out, outcome);
  return out.bytes();
}

/**
 * Reads the bytes of {@link encodeOutcome}.
 *
 * @param item the item's name, for the error where the bytes are not an outcome
 * @throws CorruptItemError
 */
export function decodeOutcome(bytes: Uint8Array, item: string): Outcome {
  return decoded(bytes, { item, what: 'outcome', version }, (input) => ({
    ...readTerms(input),
    ...readVerdict(input),
  }));
}

/**
 * Reads bytes that begin with a version, to their end.
 *
 * @throws CorruptItemError naming the item
 */
export function decoded<T>(
  bytes: Uint8Array,
  { item, what, version }: { item: string; what: string; version: number },
  read: (input: ByteReader) => T,
): T {
  try {
    const input = new ByteReader(bytes);
    const found = input.byte();
    if (found !== version) throw new RangeError(`${what} version ${found} is not known`);
    const value = read(input);
    input.end();
    return value;
  } catch (error) {
    throw new CorruptItemError(item, error instanceof Error ? error.message : String(error));
  }
}

export function writeTerms(out: ByteWriter, terms: Terms): void {
  out.uint(terms.settledAtMs);
  out.uint(terms.limit);
  out.decimal(terms.refillPerSecond);
  out.uint(terms.burst);
  out.byte(terms.policyMode === 'observe' ? 1 : 0);
  out.uint(terms.thresholds.length);
  for (const threshold of terms.thresholds) out.decimal(threshold);
}

export function readTerms(input: ByteReader): Terms {
  return {
    settledAtMs: input.uint(),
    limit: input.uint(),
    refillPerSecond: input.decimal(),
    burst: input.uint(),
    policyMode: readMode(input),
    thresholds: Array.from({ length: input.uint() }, () => input.decimal()),
  };
}

export function writeVerdict(out: ByteWriter, verdict: Verdict): void {
  if (!/^[0-9a-f]{32}$/.test(verdict.digest)) throw new RangeError('a digest must be 32 hexadecimal digits');
  out.hex(verdict.digest);
  out.uint(dayOf(verdict.date));
  out.uint(verdict.usedBefore);
  out.uint(verdict.grantedCost);
  out.uint(verdict.rejectedCost);
  out.uint(verdict.limitBefore === null ? 0 : verdict.limitBefore + 1);
  out.uint(verdict.debtMicros);
  writeReasons(out, verdict.reasons);
}

export function readVerdict(input: ByteReader): Verdict {
  const digest = input.hex(16);
  const date = dateOfDay(input.uint());
  const usedBefore = input.uint();
  const grantedCost = input.uint();
  const rejectedCost = input.uint();
  const limitBefore = input.uint();
  return {
    digest,
    date,
    usedBefore,
    grantedCost,
    rejectedCost,
    limitBefore: limitBefore === 0 ? null : limitBefore - 1,
    debtMicros: input.uint(),
    reasons: readReasons(input),
  };
}

/**
 * A date, `YYYY-MM-DD`, as its days since 1970.
 *
 * @throws RangeError for any other text, which would be read back as another date or as none
 */
export function dayOf(date: string): number {
  const day = Date.parse(date) / dayMs;
  if (!Number.isInteger(day) || dateOfDay(day) !== date) throw new RangeError('a date must be a day, YYYY-MM-DD');
  return day;
}

/** The date of a day since 1970, `YYYY-MM-DD`. */
export function dateOfDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

function readMode(input: ByteReader): Outcome['policyMode'] {
  const code = input.byte();
  if (code > 1) throw new RangeError(`mode ${code} is not known`);
  return code === 1 ? 'observe' : 'enforce';
}
