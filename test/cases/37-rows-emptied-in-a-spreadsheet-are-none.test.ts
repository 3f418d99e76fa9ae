import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBookingFiles } from '@usher/local-stack/testing';
import { expect, test } from 'vitest';
import { readInput } from '../support/booking-input.ts';

test.each([
  ['trailing-empty-rows.csv', [2, 3]],
  ['trailing-empty-rows-crlf-spaces.csv', [2]],
])('case 37: the emptied rows at the end of %s are ignored', async (name, costs) => {
  const { bookings } = await readInput(name);
  expect(bookings).toEqual([
    {
      accountId: 'harbour-tours',
      idempotencyKey: 'easter',
      reservations: costs.map((cost, i) => ({ id: `HT-${i + 1}`, cost })),
    },
  ]);
});

test('case 37: so are emptied rows above and between others, and emptied columns beside them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'usher-case-'));
  try {
    const file = join(folder, 'b.csv');
    await writeFile(file, ',,,,\naccount,booking,reservation,cost,,\na,x,r1,1,,\n,,,,,\n\ufeff,\u00a0,,\na,x,r2,2\n');
    const { rows } = await readBookingFiles([file]);
    expect(rows.map(({ reservation }) => reservation)).toEqual([
      { id: 'r1', cost: 1 },
      { id: 'r2', cost: 2 },
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
