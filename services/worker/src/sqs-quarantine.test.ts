import { type Chunk, chunkMaxBytes, cutChunks } from '@usher/contracts';
import { expect, test } from 'vitest';
import { quarantineMessage } from './sqs-quarantine.ts';
import { chunkOf, deliveryOf, noon } from './testing/messages.ts';
import { Quarantined } from './testing/test-worker.ts';

const quarantined = (body: string, problem = 'why') => {
  const message = quarantineMessage({ delivery: deliveryOf(body, 'm-1'), reason: 'invalid_message', problem });
  return { bytes: Buffer.byteLength(message.body), content: Quarantined.assert(message.body) };
};

test('the original body is kept as it was, with the reason and when it was sent', () => {
  expect(quarantined('{"v":1,').content).toEqual({
    v: 1,
    reason: 'invalid_message',
    problem: 'why',
    messageId: 'm-1',
    sentTimestamp: String(Date.parse(noon)),
    body: '{"v":1,',
    truncated: false,
  });
});

test('of a long problem the first 4000 characters are kept', () => {
  expect(quarantined('{', 'p'.repeat(4_001)).content.problem).toBe('p'.repeat(4_000));
});

test('the account is named where it is known', () => {
  const delivery = deliveryOf('{', 'm-1');
  const { body } = quarantineMessage({ delivery, reason: 'too_old', problem: '', accountId: 'ada' });
  expect(Quarantined.assert(body).accountId).toBe('ada');
});

test.each([
  ['line feeds', '\n'],
  ['control characters', '\u0001'],
  ['four-byte characters', '𝄞'],
  ['three-byte characters', '漢'],
  ['quotes', '"'],
])('the largest body of %s that SQS carries fits 1 MiB again, cut and flagged', (_, unit) => {
  const body = unit.repeat(1_048_576 / Buffer.byteLength(unit));
  const { bytes, content } = quarantined(body, unit.repeat(10_000));
  expect(bytes).toBeLessThanOrEqual(1_048_576);
  expect(content.truncated).toBe(true);
  expect(body.startsWith(content.body)).toBe(true);
});

test.each([
  ['letters', 'x'],
  ['quotes', '"'],
  ['backslashes', '\\'],
  ['three-byte characters', '漢'],
])('the largest chunk that intake sends is kept whole, its rows full of %s: an operator sends it again', (_, unit) => {
  const of = (text: string) =>
    Array.from({ length: 100 }, (_row, row): Chunk['reservations'][number] => ({
      id: `${unit.repeat(120)}${row}`,
      cost: 1,
      details: { text },
    }));
  const room = (chunkMaxBytes - Buffer.byteLength(JSON.stringify(of('')))) / 100;
  const text = unit.repeat(Math.floor(room / Buffer.byteLength(JSON.stringify(unit).slice(1, -1))));
  expect(cutChunks(of(text))).toHaveLength(1);
  const body = JSON.stringify(chunkOf({ reservations: of(text) }));
  expect(Buffer.byteLength(body)).toBeGreaterThan(0.99 * chunkMaxBytes);
  expect(quarantined(body).content).toMatchObject({ body, truncated: false });
});

test('a cut through a surrogate pair leaves no lone surrogate, which SQS would refuse', () => {
  const { content } = quarantined(`x${'𝄞'.repeat(200_000)}`);
  expect(content.body.isWellFormed()).toBe(true);
});
