import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type } from 'arktype';
import { CorruptItemError } from '../../errors.ts';
import type { ChunkRow } from '../ledger.ts';

/** The most bytes that rows take as text: what SQS carries in a message of 256 KiB, and more than a chunk holds. */
const maxTextBytes = 256 * 1024;
/** A window of 8 KiB reaches back over a hundred ids; more makes no smaller item, and costs more to begin. */
const deflateOptions = { level: 6, memLevel: 5, windowBits: 13 } as const;

const Rows = type(['string[]', '(1 <= number.integer <= 9007199254740991)[]']);

/** Writes rows as deflated text; ids are alike, so a hundred take some hundred bytes. */
export function encodeRows(rows: readonly ChunkRow[]): Uint8Array {
  const text = Buffer.from(JSON.stringify([rows.map(({ id }) => id), rows.map(({ cost }) => cost)]));
  if (text.byteLength > maxTextBytes) throw new RangeError(`a chunk's rows must take at most ${maxTextBytes} bytes`);
  return deflateRawSync(text, deflateOptions);
}

/**
 * Reads the bytes of {@link encodeRows}. Corrupt ones ask for no more memory than a chunk's rows take.
 *
 * @param item the item's name, for the error where the bytes are not rows
 * @throws CorruptItemError
 */
export function decodeRows(bytes: Uint8Array, item: string): ChunkRow[] {
  const [ids, costs] = readRows(bytes, item);
  if (ids.length !== costs.length) throw new CorruptItemError(item, 'rows must have as many ids as costs');
  return ids.map((id, row) => ({ id, cost: costs[row] ?? 0 }));
}

function readRows(bytes: Uint8Array, item: string): typeof Rows.infer {
  let parsed: unknown;
  try {
    parsed = JSON.parse(inflateRawSync(bytes, { maxOutputLength: maxTextBytes }).toString());
  } catch {
    throw new CorruptItemError(item, `rows must be deflated text of at most ${maxTextBytes} bytes`);
  }
  const rows = Rows(parsed);
  if (rows instanceof type.errors) throw new CorruptItemError(item, `rows: ${rows.summary}`);
  return rows;
}
