import { expect, test } from 'vitest';
import { faultsOf, readInput } from '../support/booking-input.ts';

test('case 39: UTF-16 with tabs, as a spreadsheet saves "Unicode text", is read', async () => {
  const { bookings } = await readInput('utf-16.csv');
  expect(bookings).toEqual([
    { accountId: 'harbour-tours', idempotencyKey: 'Ostern', reservations: [{ id: 'HT-1', cost: 2 }] },
  ]);
});

test('case 39: Windows-1252 is no guess: the line, the byte and what to do are told', async () => {
  expect(await faultsOf(readInput('windows-1252.csv'))).toEqual([
    'windows-1252.csv:2: the byte 0x96 after "ours,Hafenrundfahrt " is no UTF-8; ' +
      'save it as UTF-8 (in a spreadsheet: "CSV UTF-8")',
  ]);
});
