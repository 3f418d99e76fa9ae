import { type RejectReason, rejectReasons } from '../outcome.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';

/** The reason of each code. A code is a reason's place in `rejectReasons`, which therefore only grows at its end. */
const reasonOfCode: readonly (RejectReason | null)[] = [null, ...rejectReasons];
const codeOfReason = new Map(reasonOfCode.map((reason, code) => [reason, code]));

/** The forms of a list of reasons: one byte for all rows together, or some bits for each row. */
const form = { alike: 0, mixed: 1 } as const;
/** Three bits tell null and seven reasons; another one needs more, under another version. */
const bitsARow = 3;

/** Far more rows than a chunk has; corrupt bytes must not ask for more memory than there is. */
const maxRows = 1_000_000;

/** Writes the reason of each row, or null: 2 to 4 bytes where all rows have the same, else three bits a row more. */
export function writeReasons(out: ByteWriter, reasons: readonly (RejectReason | null)[]): void {
  if (reasons.length > maxRows) throw new RangeError(`an outcome must have at most ${maxRows} rows`);
  const [first = null] = reasons;
  out.uint(reasons.length);
  if (reasons.every((reason) => reason === first)) {
    out.byte(form.alike);
    out.byte(codeOf(first));
    return;
  }
  out.byte(form.mixed);
  let bits = 0;
  let pending = 0;
  for (const reason of reasons) {
    pending |= codeOf(reason) << bits;
    bits += bitsARow;
    if (bits < 8) continue;
    out.byte(pending & 0xff);
    pending >>= 8;
    bits -= 8;
  }
  if (bits > 0) out.byte(pending);
}

/** Reads what {@link writeReasons} wrote; throws RangeError where it is not that. */
export function readReasons(input: ByteReader): (RejectReason | null)[] {
  const length = input.uint();
  if (length > maxRows) throw new RangeError(`${length} rows are more than an outcome has`);
  const found = input.byte();
  if (found === form.alike) return new Array<RejectReason | null>(length).fill(reasonOf(input.byte()));
  if (found !== form.mixed) throw new RangeError(`form of reasons ${found} is not known`);
  let bits = 0;
  let pending = 0;
  return Array.from({ length }, () => {
    if (bits < bitsARow) {
      pending |= input.byte() << bits;
      bits += 8;
    }
    const code = pending & ((1 << bitsARow) - 1);
    pending >>= bitsARow;
    bits -= bitsARow;
    return reasonOf(code);
  });
}

function codeOf(reason: RejectReason | null): number {
  const code = codeOfReason.get(reason);
  if (code === undefined || code >= 1 << bitsARow) throw new RangeError(`the reason ${reason} has no code`);
  return code;
}

// A code that is not known must not pass for null, which is a grant.
function reasonOf(code: number): RejectReason | null {
  const reason = reasonOfCode[code];
  if (reason === undefined) throw new RangeError(`the code ${code} of a reason is not known`);
  return reason;
}
