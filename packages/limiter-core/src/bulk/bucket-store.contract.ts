import { beforeEach, describe, expect, test } from 'vitest';
import { type BucketStore, clockSkewMs, intervalMicros } from './bucket-store.ts';

const rate = { refillPerSecond: 10, burst: 5 };
const nowMs = Date.parse('2026-11-29T12:00:00.000Z');
const intervalMs = 100;

/**
 * Registers the tests that every {@link BucketStore} must pass (vitest).
 *
 * @param start makes an empty store; called before each test
 */
export function bucketStoreContract(name: string, start: () => Promise<BucketStore>): void {
  describe(`${name} keeps the contract of a bucket store`, () => {
    let store: BucketStore;

    beforeEach(async () => {
      store = await start();
    });

    /** Takes cost 1 so many milliseconds after the start. */
    async function takeAt(ms: number, cost = 1, key = 'acme'): Promise<boolean> {
      return (await store.take({ key, cost, rate, nowMs: nowMs + ms })).taken;
    }

    test('a full bucket gives its burst and no more', async () => {
      const taken: boolean[] = [];
      for (let i = 0; i < 7; i++) taken.push(await takeAt(0));
      expect(taken).toEqual([true, true, true, true, true, false, false]);
    });

    test.each([3, 7, 0.3, 1111, 999_983])('a full bucket gives its whole burst at %d a second too', async (refill) => {
      const odd = { refillPerSecond: refill, burst: 20 };
      const take = async (): Promise<boolean> => (await store.take({ key: 'acme', cost: 1, rate: odd, nowMs })).taken;
      for (let i = 0; i < 20; i++) expect(await take()).toBe(true);
      expect(await take()).toBe(false);
    });

    test('refilled cost can be taken again, one interval for each unit of cost', async () => {
      expect(await takeAt(0, 5)).toBe(true);
      expect(await takeAt(intervalMs - 1)).toBe(false);
      expect(await takeAt(intervalMs)).toBe(true);
      expect(await takeAt(intervalMs)).toBe(false);
      expect(await takeAt(4 * intervalMs, 3)).toBe(true);
    });

    test('a quiet time fills the bucket to its burst and no further', async () => {
      expect(await takeAt(0, 5)).toBe(true);
      expect(await takeAt(3_600_000, 5)).toBe(true);
      expect(await takeAt(3_600_000)).toBe(false);
    });

    test('a denial takes nothing and tells the TAT as it is', async () => {
      const first = await store.take({ key: 'acme', cost: 4, rate, nowMs });
      expect(first).toEqual({ taken: true, tatMicros: nowMs * 1000 + 4 * intervalMicros(rate) });
      expect(await store.take({ key: 'acme', cost: 2, rate, nowMs })).toEqual({
        taken: false,
        tatMicros: first.tatMicros,
      });
      expect(await takeAt(0, 1)).toBe(true);
    });

    test('a clock that goes back neither fills nor empties the bucket', async () => {
      expect(await takeAt(0, 3)).toBe(true);
      expect(await takeAt(-5 * intervalMs)).toBe(false);
      expect(await takeAt(0, 2)).toBe(true);
      expect(await takeAt(0)).toBe(false);
    });

    test.each([86_400_000, clockSkewMs + 1000])(
      'a clock that was %d ms ahead leaves an empty bucket behind, which fills like any other',
      async (aheadMs) => {
        expect(await takeAt(aheadMs, 1)).toBe(true);
        const emptyMicros = nowMs * 1000 + rate.burst * intervalMicros(rate);
        expect(await store.take({ key: 'acme', cost: 1, rate, nowMs })).toEqual({
          taken: false,
          tatMicros: emptyMicros,
        });
        expect(await takeAt(0)).toBe(false);
        expect(await takeAt(intervalMs)).toBe(true);
        expect(await takeAt(intervalMs)).toBe(false);
        expect(await takeAt(rate.burst * intervalMs + intervalMs, rate.burst)).toBe(true);
      },
    );

    test('clocks that differ a little give nothing that one clock would not', async () => {
      expect(await takeAt(clockSkewMs, 5)).toBe(true);
      for (let i = 0; i < 20; i++) {
        expect(await takeAt(0)).toBe(false);
        expect(await takeAt(clockSkewMs)).toBe(false);
      }
    });

    test('a TAT of exactly now is a full bucket', async () => {
      expect(await takeAt(0, 5)).toBe(true);
      expect(await takeAt(5 * intervalMs, 5)).toBe(true);
    });

    test('keys do not share a bucket, whatever their names', async () => {
      for (const key of ['acme', '__proto__', 'constructor', 'acme#x']) {
        expect(await takeAt(0, 5, key)).toBe(true);
        expect(await takeAt(0, 1, key)).toBe(false);
      }
    });

    test('of many callers at once as many as the burst are served', async () => {
      const answers = await Promise.allSettled(
        Array.from({ length: 200 }, () => store.take({ key: 'acme', cost: 1, rate: { ...rate, burst: 20 }, nowMs })),
      );
      const taken = answers.filter((answer) => answer.status === 'fulfilled' && answer.value.taken);
      expect(taken).toHaveLength(20);
    });
  });
}
