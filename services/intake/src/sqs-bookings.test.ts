import { chunkMaxBytes, utf8Bytes } from '@usher/contracts';
import { expect, test } from 'vitest';
import { takeAll } from './testing/scripted-queue.ts';
import { rows, startIntake } from './testing/start-intake.ts';

const large = { reservations: rows(1000) };
const chunkNumbers = (count: number) => Array.from({ length: count }, (_, chunk) => chunk);

test('case 8: of ten entries one is named as failed: only it is sent again, and the booking is accepted', async () => {
  const intake = await startIntake();
  intake.queue.answer((ids, call) =>
    call === 1 ? { taken: ids.filter((id) => id !== '3'), failed: ['3'] } : { taken: ids },
  );
  expect((await intake.submit(large)).status).toBe(202);
  expect(intake.queue.calls.map((entries) => entries.length)).toEqual([10, 1]);
  expect(intake.queue.chunks().map(({ chunk }) => chunk)).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9, 3]);
});

test('case 8: where it cannot be sent the answer is 503, and the same key goes through at once', async () => {
  const intake = await startIntake();
  intake.queue.answer((ids) => ({ taken: ids.filter((id) => id !== '3'), failed: ['3'] }));
  const response = await intake.submit(large);
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  intake.queue.answer(takeAll);
  expect((await intake.submit(large)).status).toBe(202);
  const numbers = new Set(intake.queue.chunks().map(({ chunk }) => chunk));
  expect([...numbers].sort((a, b) => a - b)).toEqual(chunkNumbers(10));
  expect(intake.counts.get('QueueFailures')).toBeGreaterThan(0);
});

test('case 9: an entry that the answer does not mention counts as failed', async () => {
  const intake = await startIntake();
  intake.queue.answer((ids) => ({ taken: ids.filter((id) => id !== '9') }));
  expect((await intake.submit(large)).status).toBe(503);
  intake.queue.answer((ids, call) => (call === 1 ? { taken: ids.slice(0, 9) } : { taken: ids }));
  expect((await intake.submit(large)).status).toBe(202);
});

test('cases 11 and 12: calls are cut by UTF-8 bytes as well as by count', async () => {
  const intake = await startIntake();
  const details = { note: '𝄞'.repeat(800) };
  const reservations = rows(600).map(({ id }) => ({ id, details }));
  expect((await intake.submit({ reservations })).status).toBe(202);
  const sizes = intake.queue.calls.map((entries) =>
    entries.reduce((sum, { MessageBody = '' }) => sum + utf8Bytes(MessageBody), 0),
  );
  expect(sizes.length).toBeGreaterThan(1);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1_048_576);
  const chunks = intake.queue.chunks();
  for (const { reservations: slice } of chunks) {
    expect(utf8Bytes(JSON.stringify(slice))).toBeLessThanOrEqual(chunkMaxBytes);
  }
  expect(chunks.flatMap((chunk) => chunk.reservations.map(({ id }) => id))).toEqual(rows(600).map(({ id }) => id));
});

test('no call is made after one that was given up, so that later chunks never come first', async () => {
  const intake = await startIntake();
  intake.queue.answer((ids) => (ids.includes('10') ? new Error('down') : { taken: ids }));
  expect((await intake.submit({ reservations: rows(3000) })).status).toBe(503);
  expect(intake.queue.chunks().map(({ chunk }) => chunk)).toEqual(chunkNumbers(10));
});

test('an attempt stops sending before its lease ends', async () => {
  const intake = await startIntake();
  intake.queue.answer((ids) => {
    intake.clock.advance(26_000);
    return { taken: ids };
  });
  expect((await intake.submit({ reservations: rows(3000) })).status).toBe(503);
  expect(intake.queue.calls.length).toBe(1);
});
