const scaleOffset = 0x70;
const asText = 0xff;

/** Appends small values to a growing run of bytes. */
export class ByteWriter {
  readonly #bytes: number[] = [];

  byte(value: number): void {
    this.#bytes.push(value);
  }

  /** A whole number up to 2⁵³ − 1, seven bits a byte, low bits first (LEB128). */
  uint(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not a whole number ≥ 0`);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes.push((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes.push(rest);
  }

  /** A number > 0 as its shortest decimal form, digits and exponent, from which a double is read back exactly. */
  decimal(value: number): void {
    const match = /^(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(value.toExponential());
    if (match === null || value === 0) throw new RangeError(`${value} is not a finite number > 0`);
    const [, lead = '', fraction = '', exponent = ''] = match;
    const digits = Number(lead + fraction);
    const scale = Number(exponent) - fraction.length + scaleOffset;
    // Seventeen digits can pass 2⁵³, and a tiny number the byte of its scale; such a value is kept as text.
    if (!Number.isSafeInteger(digits) || scale < 0 || scale >= asText) {
      this.byte(asText);
      this.text(String(value));
      return;
    }
    this.byte(scale);
    this.uint(digits);
  }

  /** An even number of hexadecimal digits. */
  hex(digits: string): void {
    for (let i = 0; i < digits.length; i += 2) this.#bytes.push(Number.parseInt(digits.slice(i, i + 2), 16));
  }

  /** A text of any characters, in UTF-8. */
  text(text: string): void {
    const bytes = Buffer.from(text);
    this.uint(bytes.length);
    for (const byte of bytes) this.byte(byte);
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

/** Reads back what {@link ByteWriter} wrote; throws RangeError where the bytes end early or go on. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    const value = this.#bytes[this.#at++];
    if (value === undefined) throw new RangeError('its bytes end early');
    return value;
  }

  uint(): number {
    let value = 0;
    let factor = 1;
    for (;;) {
      const next = this.byte();
      value += (next & 0x7f) * factor;
      if (!Number.isSafeInteger(value)) throw new RangeError('a number in it is too large');
      if (next < 0x80) return value;
      factor *= 0x80;
    }
  }

  decimal(): number {
    const scale = this.byte();
    const value = Number(scale === asText ? this.text() : `${this.uint()}e${scale - scaleOffset}`);
    if (!(Number.isFinite(value) && value > 0)) throw new RangeError('a number in it is not finite and > 0');
    return value;
  }

  hex(byteCount: number): string {
    return Array.from({ length: byteCount }, () => this.byte().toString(16).padStart(2, '0')).join('');
  }

  text(): string {
    const end = this.uint() + this.#at;
    if (end > this.#bytes.length) throw new RangeError('its bytes end early');
    const text = Buffer.from(this.#bytes.subarray(this.#at, end)).toString();
    this.#at = end;
    return text;
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new RangeError('its bytes go on after the end');
  }
}
