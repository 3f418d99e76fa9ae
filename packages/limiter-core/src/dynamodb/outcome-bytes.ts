import { CorruptItemError } from '../errors.ts';
import { type Outcome, type RejectReason, rejectReasons } from '../outcome.ts';
import { ByteReader, ByteWriter } from './bytes.ts';

const version = 1;
const dayMs = 86_400_000;
/** Each reason's code is its place. Two bits a row hold four: a fifth needs another form, under another version. */
const reasonCodes = [null, ...rejectReasons] as const;
const mixed = reasonCodes.length;

/** Far more rows than a chunk has; corrupt bytes must not ask for more memory than there is. */
const maxRows = 1_000_000;

/**
 * Writes an outcome as bytes, about sixty for a usual chunk: ten receipts and their names fit the 1 KB that one
 * DynamoDB write unit covers. Two bits a row tell its reason; rows all alike take one byte together.
 */
export function encodeOutcome(outcome: Outcome): Uint8Array {
  const out = new ByteWriter();
  if (!/^[0-9a-f]{32}$/.test(outcome.digest)) throw new RangeError('a digest must be 32 hexadecimal digits');
  out.byte(version);
  out.hex(outcome.digest);
  out.uint(Date.parse(outcome.date) / dayMs);
  out.uint(outcome.settledAtMs);
  out.uint(outcome.usedBefore);
  out.uint(outcome.grantedCost);
  out.uint(outcome.rejectedCost);
  out.uint(outcome.limit);
  out.uint(outcome.limitBefore === null ? 0 : outcome.limitBefore + 1);
  out.uint(outcome.debtMicros);
  out.decimal(outcome.refillPerSecond);
  out.uint(outcome.burst);
  out.byte(outcome.policyMode === 'observe' ? 1 : 0);
  out.uint(outcome.thresholds.length);
  for (const threshold of outcome.thresholds) out.decimal(threshold);
  writeReasons(out, outcome.reasons);
  return out.bytes();
}

/**
 * Reads the bytes of {@link encodeOutcome}.
 *
 * @param item the item's name, for the error where the bytes are not an outcome
 * @throws CorruptItemError
 */
export function decodeOutcome(bytes: Uint8Array, item: string): Outcome {
  try {
    return readOutcome(new ByteReader(bytes));
  } catch (error) {
    throw new CorruptItemError(item, error instanceof Error ? error.message : String(error));
  }
}

function readOutcome(input: ByteReader): Outcome {
  const found = input.byte();
  if (found !== version) throw new RangeError(`outcome version ${found} is not known`);
  const digest = input.hex(16);
  const date = new Date(input.uint() * dayMs).toISOString().slice(0, 10);
  const settledAtMs = input.uint();
  const usedBefore = input.uint();
  const grantedCost = input.uint();
  const rejectedCost = input.uint();
  const limit = input.uint();
  const limitBefore = input.uint();
  const outcome = {
    digest,
    date,
    settledAtMs,
    usedBefore,
    grantedCost,
    rejectedCost,
    limit,
    limitBefore: limitBefore === 0 ? null : limitBefore - 1,
    debtMicros: input.uint(),
    refillPerSecond: input.decimal(),
    burst: input.uint(),
    policyMode: readMode(input),
    thresholds: Array.from({ length: input.uint() }, () => input.decimal()),
    reasons: readReasons(input),
  };
  input.end();
  return outcome;
}

function readMode(input: ByteReader): Outcome['policyMode'] {
  const code = input.byte();
  if (code > 1) throw new RangeError(`mode ${code} is not known`);
  return code === 1 ? 'observe' : 'enforce';
}

function writeReasons(out: ByteWriter, reasons: Outcome['reasons']): void {
  const codes = reasons.map((reason) => reasonCodes.indexOf(reason));
  const first = codes[0] ?? 0;
  if (codes.length > maxRows) throw new RangeError(`an outcome must have at most ${maxRows} rows`);
  out.uint(codes.length);
  if (codes.every((code) => code === first)) {
    out.byte(first);
    return;
  }
  out.byte(mixed);
  for (let row = 0; row < codes.length; row += 4) {
    out.byte(codes.slice(row, row + 4).reduce((packed, code, i) => packed | (code << (2 * i)), 0));
  }
}

function readReasons(input: ByteReader): (RejectReason | null)[] {
  const length = input.uint();
  if (length > maxRows) throw new RangeError(`${length} rows are more than an outcome has`);
  const form = input.byte();
  if (form < mixed) return new Array<RejectReason | null>(length).fill(reasonCodes[form] ?? null);
  if (form > mixed) throw new RangeError(`form of reasons ${form} is not known`);
  const packed = Array.from({ length: Math.ceil(length / 4) }, () => input.byte());
  return Array.from({ length }, (_, row) => {
    const four = packed[Math.floor(row / 4)] ?? 0;
    return reasonCodes[(four >> (2 * (row % 4))) & 3] ?? null;
  });
}
