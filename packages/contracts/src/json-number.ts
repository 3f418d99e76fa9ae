/**
 * Stands where a JSON text held a number that no double keeps as written, such as 9007199254740993 or 1e400. It is no
 * number, so every schema refuses it, at its own place and with its own pointer.
 */
export class InexactNumber {
  readonly kind = 'inexact';
}

/** The longest text of a number that is looked at; a double's full decimal expansion has at most 1,077 characters. */
export const numberMaxLength = 1100;

/** Any decimal number of so many digits is kept by a double of ordinary size (IEEE 754: DBL_DIG). */
const keptDigits = 15;
const ordinary = { from: 1e-300, to: 1e300 };

/**
 * True where a double keeps a JSON number as it is written. The text is then the double's own value, rounded to as many
 * significant digits as the text has (at a tie either way), or the shortest text that reads as this double. Taken are
 * the shortest text (`29.95`), all 17 digits (`29.949999999999999`, PHP's `serialize_precision=17`), the full expansion,
 * and anything of up to 15 digits. Refused are `9007199254740993`, `2.00000000000000000001`, `1e400`, `1e-400`, and any
 * text longer than {@link numberMaxLength}. Zeros in front of a number and behind it are no digits of it.
 *
 * @param source a number in the grammar of RFC 8259
 */
export function isExactNumber(source: string): boolean {
  if (source.length > numberMaxLength) return false;
  const value = Math.abs(Number(source));
  if (value === Number.POSITIVE_INFINITY) return false;
  const { digits, exponent } = decimalOf(source);
  if (value === 0 || digits === '') return digits === '';
  if (digits.length <= keptDigits && value >= ordinary.from && value <= ordinary.to) return true;
  const shortest = decimalOf(String(value));
  return (digits === shortest.digits && exponent === shortest.exponent) || isRounded(BigInt(digits), exponent, value);
}

/** A decimal number as its significant digits, without zeros at either end, and the power of ten that follows them. */
function decimalOf(source: string): { readonly digits: string; readonly exponent: number } {
  const mantissaEnd = indexOrEnd(source, source.search(/[eE]/));
  const point = indexOrEnd(source, source.indexOf('.'), mantissaEnd);
  const whole = source.slice(source.startsWith('-') ? 1 : 0, point);
  const fraction = source.slice(point + 1, mantissaEnd);
  const all = whole + fraction;
  let from = 0;
  let to = all.length;
  while (from < to && all[from] === '0') from++;
  while (to > from && all[to - 1] === '0') to--;
  const power = Number(source.slice(mantissaEnd + 1));
  return { digits: all.slice(from, to), exponent: power - fraction.length + all.length - to };
}

function indexOrEnd(source: string, index: number, end = source.length): number {
  return index < 0 ? end : index;
}

/** True where digits · 10^exponent is a double's value within half a unit of the last of its digits. */
function isRounded(digits: bigint, exponent: number, value: number): boolean {
  const { mantissa, power } = binaryOf(value);
  const tens = powerOfTen(Math.abs(exponent));
  const twos = 1n << BigInt(Math.abs(power));
  // Both sides times 10^-exponent and 2^-power where those are fractions, so that all of it is whole.
  const unit = (exponent > 0 ? tens : 1n) * (power < 0 ? twos : 1n);
  const exact = mantissa * (exponent < 0 ? tens : 1n) * (power > 0 ? twos : 1n);
  const error = digits * unit - exact;
  return 2n * (error < 0n ? -error : error) <= unit;
}

/** Powers of ten that were needed before: with a finite double there are some 1,500 of them at most. */
const powersOfTen: bigint[] = [];

function powerOfTen(exponent: number): bigint {
  powersOfTen[exponent] ??= 10n ** BigInt(exponent);
  return powersOfTen[exponent];
}

const bits = new DataView(new ArrayBuffer(8));

/** A finite double > 0 as mantissa · 2^power, both whole (IEEE 754, binary64). */
function binaryOf(value: number): { readonly mantissa: bigint; readonly power: number } {
  bits.setFloat64(0, value);
  const raw = bits.getBigUint64(0);
  const biased = Number(raw >> 52n);
  const fraction = raw & 0xf_ffff_ffff_ffffn;
  return biased === 0
    ? { mantissa: fraction, power: -1074 }
    : { mantissa: fraction | 0x10_0000_0000_0000n, power: biased - 1075 };
}
