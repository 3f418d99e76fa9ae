import { type Chunk, chunkDigest } from '@usher/contracts';
import { expect, test } from 'vitest';
import { decodeChunk } from './decode.ts';
import { chunkOf, deliveryOf, noon, rowsOf, secret } from './testing/messages.ts';

const decoded = (body: Chunk | string, groupId?: string) =>
  decodeChunk(deliveryOf(body, 'm', groupId), Date.parse(noon));

function digest(body: Chunk | string): string {
  const result = decoded(body);
  return 'chunk' in result ? result.chunk.digest : `bad: ${result.problem}`;
}

/** The problem of a chunk whose JSON is changed by hand. */
function problemOf(fields: Record<string, unknown>): string {
  const result = decoded(JSON.stringify({ ...chunkOf(), ...fields }));
  return 'reason' in result ? `${result.reason}: ${result.problem}` : 'taken';
}

test('a chunk comes out with all that settling, its events and its dispatches need', () => {
  const message = chunkOf({ chunk: 3, reservations: rowsOf([2, 5]) });
  const result = decoded(message);
  expect(result).toMatchObject({ accountId: 'ada', delivery: { messageId: 'm', body: JSON.stringify(message) } });
  expect('chunk' in result && result.chunk).toEqual({
    accountId: 'ada',
    bookingId: message.bookingId,
    chunkIndex: 3,
    digest: chunkDigest(message),
    acceptedAtMs: Date.parse('2026-11-29T12:00:00.000Z'),
    date: '2026-11-29',
    window: message.window,
    bookingMode: 'partial',
    rows: rowsOf([2, 5]),
  });
});

test.each(['{', '', 'undefined', '[1,', '{"v":1}trailing'])('the body %j is bad: no JSON', (body) => {
  expect(decoded(body)).toMatchObject({
    reason: 'invalid_json',
    problem: expect.stringMatching(/^the body must be JSON: at line 1, column \d+ /),
  });
});

test.each(['null', '[]', '"text"', '7', '{}'])('the JSON %s is bad: no chunk', (body) => {
  expect(decoded(body)).toMatchObject({ reason: 'invalid_message' });
});

test.each<[string, Record<string, unknown>]>([
  ['/v', { v: 2 }],
  ['/kind', { kind: 'refund' }],
  ['/bookingId', { bookingId: 'bk_short' }],
  ['/chunk', { chunk: -1 }],
  ['/chunk', { chunk: 5, chunks: 5 }],
  ['/chunks', { chunks: 0.5 }],
  ['/accountId', { accountId: 'a#b' }],
  ['/acceptedAt', { acceptedAt: '2026-02-30T00:00:00.000Z' }],
  ['/window/date', { window: { ...chunkOf().window, date: '29.11.2026' } }],
  ['/window', { window: { ...chunkOf().window, resetsAt: chunkOf().window.startsAt } }],
  ['/mode', { mode: 'some' }],
  ['/reservations', { reservations: [] }],
  ['/reservations', { reservations: Array.from({ length: 101 }, (_, i) => ({ id: `r-${i}`, cost: 1 })) }],
  ['/reservations/0/cost', { reservations: [{ id: 'x', cost: 0 }] }],
  ['/reservations/0/id', { reservations: [{ id: '', cost: 1 }] }],
  ['/reservations/1/id', { reservations: [chunkOf().reservations[0], chunkOf().reservations[0]] }],
  ['/reservations/0/details', { reservations: [{ id: 'x', cost: 1, details: [] }] }],
  ['/surplus', { surplus: true }],
])('a bad %s is bad, by name (%#)', (field, fields) => {
  const text = problemOf(fields);
  expect(text).toMatch(/^invalid_message: /);
  expect(text.split(/: |; /).some((problem) => problem.startsWith(`${field} must `))).toBe(true);
});

test('a problem names several fields one after another', () => {
  expect(problemOf({ v: 2, kind: 'refund' })).toMatch(/^invalid_message: \/\S+ must [^;]+; \/\S+ must [^;]+$/);
});

test('a problem names fields but never repeats a value', () => {
  expect(problemOf({ mode: secret, reservations: [{ id: `${secret}\n`, cost: secret }] })).not.toContain(secret);
});

test('an unknown field whose name SQS would refuse is not repeated, or quarantine could not be sent', () => {
  expect(problemOf({ '\uffff': 1 })).toBe('invalid_message: must have no such field');
});

test('a number that no double holds is bad, and does not make the digest fail', () => {
  const body = JSON.stringify(chunkOf({ reservations: [{ id: 'x', cost: 1, details: { n: 5 } }] }));
  expect(decoded(body.replace('"n":5', '"n":1e400'))).toMatchObject({
    reason: 'invalid_message',
    problem: expect.stringContaining('/reservations/0/details/n'),
  });
});

test('a body nested too deep to walk is bad', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  expect(decoded(JSON.stringify(chunkOf()).replace('"r-0"', deep))).toMatchObject({
    reason: 'invalid_message',
    problem: 'the body must not be nested that deep',
  });
});

const day = 86_400_000;
const acceptedAtMs = (ms: number): Chunk => chunkOf({ acceptedAt: new Date(ms).toISOString() });

test.each([0, day, 2 * day])('an acceptance %i ms ahead of this clock is taken: clocks differ', (aheadMs) => {
  expect(decoded(acceptedAtMs(Date.parse(noon) + aheadMs))).toHaveProperty('chunk');
});

test('an acceptance that no clock can have shown yet is bad, and not waited for', () => {
  expect(decoded(acceptedAtMs(Date.parse(noon) + 2 * day + 1))).toMatchObject({
    reason: 'invalid_message',
    problem: '/acceptedAt must be no more than two days ahead',
  });
});

test("a message of another account's group is bad on behalf of the group", () => {
  expect(decoded(chunkOf({ accountId: 'ada' }), 'bob')).toMatchObject({
    reason: 'group_mismatch',
    problem: 'the message group must be the account',
    accountId: 'bob',
  });
});

test('a group that is no account id is not named as one', () => {
  expect(decoded(chunkOf(), 'a#b')).not.toHaveProperty('accountId');
});

test('a delivery without a group is taken by its account', () => {
  const delivery = deliveryOf(chunkOf(), 'm');
  const { MessageGroupId: _, ...attributes } = delivery.attributes;
  expect(decodeChunk({ ...delivery, attributes }, Date.parse(noon))).toHaveProperty('chunk');
});

test('the digest is of the meaning: the order of keys and white space do not change it', () => {
  const message = chunkOf({ reservations: [{ id: 'x', cost: 1, details: { a: 1, b: { c: 2, d: 3 } } }] });
  const reordered = JSON.stringify(
    {
      ...Object.fromEntries(Object.entries(message).reverse()),
      reservations: [{ details: { b: { d: 3, c: 2 }, a: 1 }, cost: 1, id: 'x' }],
    },
    null,
    2,
  );
  expect(digest(reordered)).toBe(digest(message));
  expect(digest(message)).toMatch(/^[0-9a-f]{32}$/);
});

test.each<[string, Partial<Chunk>]>([
  ['account', { accountId: 'bob' }],
  ['/chunk', { chunk: 1 }],
  ['/mode', { mode: 'all-or-nothing' }],
  ['row id', { reservations: [{ id: 'y', cost: 1 }] }],
  ['cost', { reservations: [{ id: 'r-0', cost: 2 }] }],
  ['details', { reservations: [{ id: 'r-0', cost: 1, details: {} }] }],
])('another %s makes another digest', (_, fields) => {
  expect(digest(chunkOf(fields))).not.toBe(digest(chunkOf()));
});

test.each(['__proto__', 'constructor', 'toString'])('%s is an account as any other', (accountId) => {
  expect(decoded(chunkOf({ accountId }))).toMatchObject({ accountId, chunk: { accountId } });
});
