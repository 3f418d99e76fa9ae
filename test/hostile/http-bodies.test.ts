import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostileIntake } from '../support/hostile-intake.ts';
import { canary, hostileName, hostileText, hostileValue, ownFields, textMutation } from '../support/hostile-values.ts';

/** A field's values: mostly the given ones, sometimes hostile ones, sometimes none. */
function almost(name: string, good: fc.Arbitrary<unknown>): fc.Arbitrary<readonly [string, unknown][]> {
  return fc.oneof(
    { weight: 12, arbitrary: good.map((value): [string, unknown][] => [[name, value]]) },
    { weight: 1, arbitrary: hostileValue.map((value): [string, unknown][] => [[name, value]]) },
    { weight: 1, arbitrary: fc.constant([]) },
  );
}

const surplus = fc.oneof(
  { weight: 12, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(fc.tuple(hostileName, hostileValue), { minLength: 1, maxLength: 2 }) },
);

const object = (...fields: fc.Arbitrary<readonly (readonly [string, unknown])[]>[]) =>
  fc.tuple(...fields, surplus).map((parts) => ownFields(parts.flat()));

const details = object(almost('note', hostileText), almost('n', hostileValue));
const row = object(
  almost('id', fc.stringMatching(/^[a-z]{1,3}$/)),
  almost('cost', fc.integer({ min: 1, max: 9 })),
  almost('details', details),
);
const rows = fc.oneof(
  { weight: 40, arbitrary: fc.array(row, { minLength: 1, maxLength: 3 }) },
  // Two chunks, which may not be asked for as all or nothing.
  { weight: 1, arbitrary: fc.constant(Array.from({ length: 101 }, (_, n) => ({ id: `r${n}` }))) },
);
const booking = object(almost('mode', fc.constantFrom('partial', 'all-or-nothing')), almost('reservations', rows));

const headers = { Authorization: 'Bearer dev:ada', 'Content-Type': 'application/json', 'Idempotency-Key': canary };
const submission = (body: string | Uint8Array<ArrayBuffer>): Request =>
  new Request('http://127.0.0.1/v1/bookings', { method: 'POST', headers, body });

/** Eight tests of an eighth each: none takes long, however slow the machine is. */
const rounds = [1, 2, 3, 4, 5, 6, 7, 8];

test.each(rounds)(
  '16,000 bodies that are almost a booking are taken or refused by name, and nothing of them is seen again: part %d',
  async () => {
    const { probe, statuses } = hostileIntake();
    const property = fc.asyncProperty(booking, async (body) => void (await probe(submission(JSON.stringify(body)))));
    await fc.assert(property, { numRuns: 2_000 });
    // Both sides of the border were visited.
    expect(statuses.get(202)).toBeGreaterThan(60);
    expect(statuses.get(422)).toBeGreaterThan(60);
  },
);

test.each(rounds)('12,000 bodies that are almost JSON, too: part %d', async () => {
  const { probe, statuses } = hostileIntake({ namesCarryIt: true });
  const text = fc
    .tuple(booking, fc.array(textMutation, { minLength: 1, maxLength: 3 }))
    .map(([body, mutations]) => mutations.reduce((text, mutate) => mutate(text), JSON.stringify(body)));
  await fc.assert(
    fc.asyncProperty(text, async (body) => void (await probe(submission(body)))),
    { numRuns: 1_500 },
  );
  expect(statuses.get(400)).toBeGreaterThan(60);
  expect(statuses.get(422)).toBeGreaterThan(10);
});

test('4,000 bodies of raw bytes, too', async () => {
  const { probe } = hostileIntake();
  const bytes = fc.uint8Array({ maxLength: 60 }).map((some) => new Uint8Array(some));
  await fc.assert(
    fc.asyncProperty(bytes, async (body) => void (await probe(submission(body)))),
    { numRuns: 4_000 },
  );
});
