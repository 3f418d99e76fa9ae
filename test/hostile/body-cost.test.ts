import { bookingMaxRows } from '@usher/contracts';
import { beforeAll, expect, test } from 'vitest';
import { costOf } from './cost-of.ts';
import { hostileBodies, validBodies } from './worst-bodies.ts';

/**
 * No body costs more CPU per byte than so many times the plainest one. What is linear stays far below, on any machine;
 * an expression that backtracks, or an error for each byte, is a hundred times above at this size.
 */
const maxFactor = 40;
const maxBytes = 512 * 1024;
/**
 * The least bytes of a row: a body of many tiny rows, each with its own fault, is compared with bookings of as many.
 */
const leastBytesPerRow = 20;

let plainestMsPerByte = 0;

async function msPerByte(body: string): Promise<number> {
  return (await costOf(body)).cpuMs / Math.max(Buffer.byteLength(body), bookingMaxRows * leastBytesPerRow);
}

beforeAll(async () => {
  const plainest = validBodies(maxBytes)['text in details']?.() ?? '';
  plainestMsPerByte = await msPerByte(plainest);
});

const smallBodies = hostileBodies(maxBytes / 8);

test.each(Object.entries(hostileBodies(maxBytes)))(
  '%s costs at most a fixed factor of the plainest body',
  async (name, make) => {
    // A small one first: what is quadratic fails on it in seconds, where the large one would take minutes.
    for (const body of [smallBodies[name]?.() ?? '', make()]) {
      expect((await msPerByte(body)) / plainestMsPerByte).toBeLessThan(maxFactor);
    }
  },
);
