import type { Pacing } from '@usher/contracts';
import { toPacing } from '../hand-off.ts';
import { type Arrival, PacingQueue } from './pacing-queue.ts';
import { type InTurn, settledInTurn } from './slots.ts';
import { TestWorker } from './test-worker.ts';

export const rate = { refillPerSecond: 1, burst: 1 };
export const minutes = 60_000;
export const ones = (count: number): number[] => Array<number>(count).fill(1);

/** A worker whose pacing queue holds these chunks, settled at noon. */
export function paced(inTurn: InTurn): { worker: TestWorker; queue: PacingQueue } {
  const worker = new TestWorker();
  const queue = new PacingQueue(worker);
  for (const chunk of settledInTurn(inTurn)) queue.put(JSON.stringify(toPacing(chunk, 'settled')));
  return { worker, queue };
}

export function pacingBody(fields: Partial<Pacing> = {}, costs: readonly number[] = [1]): string {
  const [chunk] = settledInTurn({ chunks: [costs], rate });
  if (chunk === undefined) throw new Error('no chunk');
  return JSON.stringify({ ...toPacing(chunk, 'settled'), ...fields });
}

export const idsOf = (arrivals: readonly Arrival[]): string[] => arrivals.map(({ dispatch }) => dispatch.dispatchId);
export const lateBy = ({ dispatch, atMs }: Arrival): number => atMs - Date.parse(dispatch.dispatchAt);

/** The ids of all dispatches of chunks settled in turn. */
export function expectedIds(inTurn: InTurn): string[] {
  return settledInTurn(inTurn).flatMap(({ bookingId, chunkIndex, slots }) =>
    slots.map(({ slot }) => `${bookingId}#${chunkIndex}#${slot}`),
  );
}
