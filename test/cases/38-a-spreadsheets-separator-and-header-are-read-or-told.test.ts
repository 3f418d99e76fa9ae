import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBookingFiles } from '@usher/local-stack/testing';
import { expect, test } from 'vitest';
import { faultsOf, readInput } from '../support/booking-input.ts';

test.each([
  ['semicolon.csv', 'Ostern', [2, 3]],
  ['sep-line.csv', 'easter', [2]],
  ['header-case.csv', 'easter', [2]],
  ['zero-width-header.csv', 'easter', [2]],
])('case 38: %s is read as what it means', async (name, booking, costs) => {
  const { bookings } = await readInput(name);
  expect(bookings).toEqual([
    {
      accountId: 'harbour-tours',
      idempotencyKey: booking,
      reservations: costs.map((cost, i) => ({ id: `HT-${i + 1}`, cost })),
    },
  ]);
});

test.each([
  [
    'Konto;Buchung;Reservierung;Kosten\na;x;r;1\n',
    ':1: the header must be account,booking,reservation,cost, not "Konto;Buchung;Reservierung;Kosten"; write it above the rows',
  ],
  [
    'sep=;\naccount,booking,reservation,cost\na,x,r,1\n',
    ':2: the header must be account,booking,reservation,cost, not "account,booking,reservation,cost"; write it above the rows',
  ],
  [
    'account;booking;reservation;cost\na;x;r;1,5\n',
    ':2: cost must be a whole number from 1 to 10000, in digits alone, not "1,5"',
  ],
  [
    'account;booking;reservation;cost\na;x;r;1.000\n',
    ':2: cost must be a whole number from 1 to 10000, in digits alone, not "1.000"',
  ],
])('case 38: what is not certain is told with its line, what was found and what to do', async (text, fault) => {
  const folder = await mkdtemp(join(tmpdir(), 'usher-case-'));
  try {
    const file = join(folder, 'b.csv');
    await writeFile(file, text);
    expect(await faultsOf(readBookingFiles([file]))).toEqual([`${file}${fault}`]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
