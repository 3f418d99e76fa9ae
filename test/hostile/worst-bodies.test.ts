import { Problem } from '@usher/contracts';
import { expect, test } from 'vitest';
import { hostileIntake } from '../support/hostile-intake.ts';
import { hostileBodies } from './worst-bodies.ts';

const headers = { Authorization: 'Bearer dev:ada', 'Content-Type': 'application/json', 'Idempotency-Key': 'key' };

/** Three fields in each of the rows that a booking may have: more bad fields than these are never made out. */
const mostErrors = 3 * 10_000;

test.each(Object.entries(hostileBodies(512 * 1024)))(
  'half a MiB of %s is refused, and not by an error for each byte',
  async (_, make) => {
    const { probe } = hostileIntake({ namesCarryIt: true });
    const { text } = await probe(
      new Request('http://127.0.0.1/v1/bookings', { method: 'POST', headers, body: make() }),
    );
    const { errors, errorCount = 0 } = Problem.assert(JSON.parse(text));
    expect(errors?.length ?? 0).toBeLessThanOrEqual(100);
    expect(errorCount).toBeLessThanOrEqual(mostErrors);
  },
);
