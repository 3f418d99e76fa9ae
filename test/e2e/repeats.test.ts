import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { acceptedOf, callAs, readStatus, submit } from './api.ts';

const body = { reservations: [{ id: 'a', cost: 2, details: { seat: '12A' } }, { id: 'b' }] };

test('a booking submitted twice under one key is answered the same and counted once', async () => {
  const first = await submit('repeater', 'same-key', body);
  const again = await submit('repeater', 'same-key', body);
  expect(acceptedOf(again)).toEqual(acceptedOf(first));
  expect(first.headers['idempotency-replayed']).toBeUndefined();
  expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true', location: first.headers.location });

  const { bookingId } = acceptedOf(first);
  await until('the booking is decided', async () => {
    const { status } = await readStatus('repeater', bookingId);
    return status === 'decided' ? true : undefined;
  });
  expect(JSON.parse((await callAs('repeater', '/v1/quota')).body)).toMatchObject({ used: 3, rejected: 0 });
});

test('a key used again for another booking is answered 422', async () => {
  acceptedOf(await submit('careless', 'same-key', body));
  const other = await submit('careless', 'same-key', { reservations: [{ id: 'a', cost: 3 }] });
  expect(other.status).toBe(422);
  expect(JSON.parse(other.body)).toMatchObject({ type: expect.stringContaining('idempotency-key-reused') });
});
