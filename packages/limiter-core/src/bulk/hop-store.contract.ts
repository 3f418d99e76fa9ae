import { beforeEach, describe, expect, test } from 'vitest';
import type { HopStore } from './hop-store.ts';

const neededUntilMs = Date.parse('2026-11-29T12:00:00.000Z');

/**
 * Registers the tests that every {@link HopStore} must pass (vitest).
 *
 * @param start makes an empty store; called before each test
 */
export function hopStoreContract(name: string, start: () => Promise<HopStore>): void {
  describe(`${name} keeps the contract of a hop store`, () => {
    let store: HopStore;

    beforeEach(async () => {
      store = await start();
    });

    const claim = (hop: number, copy: string, chunkIndex = 0, bookingId = 'bk_a'): Promise<'won' | 'lost'> =>
      store.claim({ bookingId, chunkIndex, hop, copy, neededUntilMs });

    test('the first copy of a hop wins, and again whenever it comes back', async () => {
      expect(await claim(0, 'a')).toBe('won');
      expect(await claim(0, 'a')).toBe('won');
      expect(await claim(0, 'b')).toBe('lost');
      expect(await claim(0, 'a')).toBe('won');
    });

    test('each hop is won anew, by whichever copy comes first', async () => {
      expect(await claim(0, 'a')).toBe('won');
      expect(await claim(1, 'c')).toBe('won');
      expect(await claim(1, 'b')).toBe('lost');
      expect(await claim(2, 'b')).toBe('won');
    });

    test('a hop that has gone on is lost, also for the copy that won it', async () => {
      expect(await claim(0, 'a')).toBe('won');
      expect(await claim(1, 'b')).toBe('won');
      expect(await claim(0, 'a')).toBe('lost');
      expect(await claim(0, 'b')).toBe('lost');
      expect(await claim(1, 'b')).toBe('won');
    });

    test('a copy whose earlier hop nobody knows any more wins', async () => {
      expect(await claim(91, 'a')).toBe('won');
      expect(await claim(95, 'b')).toBe('won');
      expect(await claim(92, 'c')).toBe('lost');
    });

    test('chunks and bookings claim apart', async () => {
      expect(await claim(0, 'a', 0)).toBe('won');
      expect(await claim(0, 'b', 1)).toBe('won');
      expect(await claim(0, 'b', 0, 'bk_b')).toBe('won');
      expect(await claim(0, 'b', 0)).toBe('lost');
    });

    test('of many copies at once one wins', async () => {
      const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => claim(3, `copy-${i}`)));
      expect(answers.filter((answer) => answer === 'won')).toHaveLength(1);
    });
  });
}
