import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CorruptItemError } from '../../errors.ts';
import { decodeRows, encodeRows } from './row-bytes.ts';

const deflated = (value: unknown): Uint8Array => deflateRawSync(JSON.stringify(value));

test('rows are read back as they were written, whatever their ids hold', () => {
  const ids = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ud800', 'a\nb', '"', ''));
  const rows = fc.array(fc.record({ id: ids, cost: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }) }), {
    maxLength: 110,
  });
  fc.assert(
    fc.property(rows, (list) => {
      expect(decodeRows(encodeRows(list), 'x')).toEqual(list);
    }),
  );
});

test.each([
  { bytes: Uint8Array.of(), names: 'deflated text' },
  { bytes: Uint8Array.of(1, 2, 3), names: 'deflated text' },
  { bytes: deflateRawSync('[["a"],[1]'), names: 'deflated text' },
  { bytes: deflated({}), names: 'rows' },
  { bytes: deflated([['a'], ['1']]), names: 'rows' },
  { bytes: deflated([['a'], [0]]), names: 'rows' },
  { bytes: deflated([['a'], [1, 2]]), names: 'as many ids as costs' },
])('bytes that are no rows are refused with the name of the item ($names)', ({ bytes, names }) => {
  const read = (): unknown => decodeRows(bytes, 'ledger of bk_a');
  expect(read).toThrow(CorruptItemError);
  expect(read).toThrow(names);
  expect(read).toThrow('ledger of bk_a');
});

test('bytes that inflate to more than a chunk holds are refused, and such rows are not written', () => {
  const huge = [{ id: 'x'.repeat(300 * 1024), cost: 1 }];
  expect(() => encodeRows(huge)).toThrow('at most 262144 bytes');
  expect(() => decodeRows(deflated([[huge[0]?.id], [1]]), 'x')).toThrow('at most 262144 bytes');
});
