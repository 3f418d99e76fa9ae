import { readFileSync } from 'node:fs';
import { canonicalTimezone, InvalidPolicyError, readPolicyFile, windowAt } from '@usher/limiter-core/bulk';
import { expect, test } from 'vitest';
import { expectBalance, finish } from '../support/books.ts';
import { acceptedBy, settleAll } from '../support/case.ts';
import { openIntake } from '../support/open-intake.ts';
import { noon, startWorld } from '../support/world.ts';

const file: unknown = JSON.parse(readFileSync(new URL('inputs/zone-in-lower-case.json', import.meta.url), 'utf8'));

test('case 42: a zone in lower case has its canonical name in answers and events', async () => {
  const accounts = Object.fromEntries(readPolicyFile(file).overrides);
  const world = await startWorld(accounts);
  const accountId = 'harbour-tours';
  const answer = await openIntake(world).post(accountId, 'key', { reservations: [{ id: 'key-0' }] });
  const { bookingId, window } = await acceptedBy(answer);
  expect(window).toEqual(windowAt(Date.parse(noon), 'Europe/Berlin'));
  await settleAll(world);
  const books = await finish(world);
  expectBalance(books, [{ accountId, key: 'key', costs: [1], bookingId }]);
  const windows = [...books.events.values()].map(({ detail }) => JSON.stringify(detail));
  expect(windows.length).toBeGreaterThan(0);
  for (const detail of windows) expect(detail).toContain('"timezone":"Europe/Berlin"');
});

test.each(['PST', 'IST', 'CST', 'JST', 'ACT', '+05:00', 'Mars/Olympus', 'Europe', '', 'Europe/Berlin '])(
  'case 42: no window can be made of %j, and no policy has it',
  (timezone) => {
    expect(() => readPolicyFile({ accounts: { ada: { timezone } } })).toThrow(InvalidPolicyError);
    expect(() => readPolicyFile({ default: { timezone } })).toThrow('timezone must be an IANA time zone name');
  },
);

test.each([
  ['EUROPE/BERLIN', 'Europe/Berlin'],
  ['america/port-au-prince', 'America/Port-au-Prince'],
  ['asia/kolkata', 'Asia/Kolkata'],
  ['utc', 'UTC'],
  ['etc/gmt+5', 'Etc/GMT+5'],
  ['est5edt', 'EST5EDT'],
])('case 42: %s is %s', (name, canonical) => {
  expect(canonicalTimezone(name)).toBe(canonical);
  expect(windowAt(0, canonical).timezone).toBe(canonical);
});

test('case 42: every zone that this machine knows makes windows under its own name', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  expect(zones.filter((zone) => canonicalTimezone(zone) === undefined)).toEqual([]);
  for (const zone of zones)
    expect(windowAt(Date.parse(noon), canonicalTimezone(zone) ?? '').date).toMatch(/^2026-11-(29|30)$/);
});

test('case 42: our own tools store no policy with such a zone', async () => {
  await expect(startWorld({ ada: { timezone: 'PST' } })).rejects.toThrow(InvalidPolicyError);
});
