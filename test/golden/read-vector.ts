import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A golden vector by its name, with bytes as bytes; in the file they are `{"hex": "…"}`. */
export function readVector(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, `${name}.json`), 'utf8'), (_, value: unknown) =>
    isHex(value) ? Uint8Array.from(Buffer.from(value.hex, 'hex')) : value,
  );
}

function isHex(value: unknown): value is { readonly hex: string } {
  return typeof value === 'object' && value !== null && 'hex' in value && typeof value.hex === 'string';
}
