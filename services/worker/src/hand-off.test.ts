import { Dispatch, Pacing } from '@usher/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type HandOff, handOff } from './hand-off.ts';
import { releaseTimes } from './release-times.ts';
import { chunksInTurn } from './testing/arbitraries.ts';
import { bookingIdOf, noon, rowsOf } from './testing/messages.ts';
import { type InTurn, settledInTurn } from './testing/slots.ts';

const settledAtMs = Date.parse(noon);
const rate = { refillPerSecond: 1, burst: 1 };

/** The messages that hand on a chunk of the given costs, sent `lateMs` after it was settled. */
function handoff(inTurn: InTurn, lateMs = 0) {
  const [chunk] = settledInTurn(inTurn);
  if (chunk === undefined) throw new Error('no chunk');
  const nowMs = settledAtMs + lateMs;
  const releaseAt = releaseTimes([chunk], nowMs);
  return { chunk, releaseAt, sent: handOff(chunk, { releaseAt, nowMs, copy: 'c-1' }) };
}

const dispatchesOf = ({ dispatches }: HandOff): Dispatch[] =>
  dispatches.map(({ body }) => Dispatch.assert(JSON.parse(body)));
const pacingOf = ({ pacing }: HandOff): Pacing => Pacing.assert(JSON.parse(pacing?.body ?? 'null'));
const delaysOf = ({ dispatches }: HandOff): unknown[] => dispatches.map(({ delaySeconds }) => delaySeconds);

test('a slot becomes one dispatch, named by booking, chunk and slot, with its rows and their details', () => {
  const { sent } = handoff({ chunks: [[1, 1]], rate });
  expect(dispatchesOf(sent)).toEqual([
    {
      v: 1,
      dispatchId: `${bookingIdOf(1)}#0#0`,
      bookingId: bookingIdOf(1),
      accountId: 'ada',
      dispatchAt: noon,
      reservations: rowsOf([1, 1]).slice(0, 1),
    },
    {
      v: 1,
      dispatchId: `${bookingIdOf(1)}#0#1`,
      bookingId: bookingIdOf(1),
      accountId: 'ada',
      dispatchAt: '2026-11-29T12:00:01.000Z',
      reservations: rowsOf([1, 1]).slice(1),
    },
  ]);
  expect(sent.pacing).toBeUndefined();
});

test('messages are grouped by account, so that one account cannot crowd out another', () => {
  const { sent } = handoff({ chunks: [[1, 2000]], rate });
  expect([...sent.dispatches, sent.pacing].map((message) => message?.groupId)).toEqual(['ada', 'ada']);
});

test('some milliseconds between settling and sending do not change a delay', () => {
  const inTurn = { chunks: [Array<number>(30).fill(1)], rate };
  expect(delaysOf(handoff(inTurn, 37).sent)).toEqual(delaysOf(handoff(inTurn).sent));
});

test('what is due in 900 seconds goes to dispatch, what is due in 901 to pacing', () => {
  const { sent } = handoff({ chunks: [[1, 900, 1]], rate });
  expect(delaysOf(sent)).toEqual([0, 900]);
  expect(pacingOf(sent).reservations).toMatchObject([{ id: 'r-2', dispatchAt: '2026-11-29T12:15:01.000Z' }]);
});

test('a slot goes whole: no row of it goes to dispatch while another goes to pacing', () => {
  fc.assert(
    fc.property(chunksInTurn, fc.nat(2_000_000), (inTurn, lateMs) => {
      const { chunk, sent } = handoff({ ...inTurn, rate: { ...inTurn.rate, refillPerSecond: 0.1 } }, lateMs);
      const near = dispatchesOf(sent).map(({ reservations }) => reservations.map(({ id }) => id));
      const far = sent.pacing === undefined ? [] : pacingOf(sent).reservations.map(({ id }) => id);
      const slots = chunk.slots.map(({ rows }) => rows.map(({ id }) => id));
      expect(near).toEqual(slots.slice(0, near.length));
      expect(far).toEqual(slots.slice(near.length).flat());
    }),
    { numRuns: 100 },
  );
});

test('no message asks for more than 900 seconds, and none arrives early', () => {
  fc.assert(
    fc.property(chunksInTurn, fc.nat(2_000_000), (inTurn, lateMs) => {
      const slow = { ...inTurn, rate: { ...inTurn.rate, refillPerSecond: inTurn.rate.refillPerSecond / 100 } };
      const { chunk, sent, releaseAt } = handoff(slow, lateMs);
      const arrivalMs = (delaySeconds = Number.NaN): number => settledAtMs + lateMs + delaySeconds * 1000;
      for (const [i, { delaySeconds }] of sent.dispatches.entries()) {
        expect(delaySeconds).toSatisfy((delay: number) => Number.isInteger(delay) && delay >= 0 && delay <= 900);
        expect(arrivalMs(delaySeconds)).toBeGreaterThanOrEqual(chunk.slots[i]?.dueAtMs ?? Number.NaN);
      }
      if (sent.pacing === undefined) return;
      const { delaySeconds } = sent.pacing;
      expect(delaySeconds).toSatisfy((delay: number) => Number.isInteger(delay) && delay >= 1 && delay <= 900);
      const [first] = chunk.slots.slice(sent.dispatches.length).map((slot) => releaseAt.get(slot) ?? 0);
      expect(arrivalMs(delaySeconds)).toBeLessThanOrEqual(first ?? Number.NaN);
    }),
    { numRuns: 200 },
  );
});

test('a pacing message carries what slots are counted from and how fast overdue ones may go', () => {
  const { sent } = handoff({ chunks: [[1, 1500]], rate });
  expect(pacingOf(sent)).toEqual({
    v: 1,
    bookingId: bookingIdOf(1),
    chunk: 0,
    accountId: 'ada',
    settledAt: noon,
    refillPerSecond: 1,
    burst: 1,
    hop: 0,
    copy: 'c-1',
    reservations: [{ ...rowsOf([1, 1500])[1], dispatchAt: '2026-11-29T12:25:00.000Z' }],
  });
});

test('a pacing message comes back when its last slot is within reach', () => {
  const { sent } = handoff({ chunks: [[1, 1000, 1, 100]], rate });
  expect(delaysOf(sent)).toEqual([0]);
  expect(sent.pacing?.delaySeconds).toBe(1101 - 900);
});

test('a pacing message comes back five minutes before its first slot is due, at the latest', () => {
  expect(handoff({ chunks: [[1, 901, 800]], rate }).sent.pacing?.delaySeconds).toBe(901 - 300);
});

test('a pacing message waits no longer than 900 seconds a hop', () => {
  expect(handoff({ chunks: [[1, 7200]], rate }).sent.pacing?.delaySeconds).toBe(900);
});
