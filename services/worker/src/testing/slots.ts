import { type Rate, schedule } from '@usher/limiter-core/bulk';
import { type ChunkSlots, slotsOf } from '../slots.ts';
import { bookingIdOf, noon, outcomeOf, rowsOf } from './messages.ts';

export interface InTurn {
  readonly chunks: readonly (readonly number[])[];
  readonly rate: Rate;
  readonly accountId?: string;
  /** The bucket's debt before the first chunk: whole microseconds. @default 0 */
  readonly debtMicros?: number;
}

/** The slots of chunks of one account that were all granted at noon, one after another, from the costs of their rows. */
export function settledInTurn({ chunks, rate, accountId = 'ada', debtMicros = 0 }: InTurn): ChunkSlots[] {
  const nowMs = Date.parse(noon);
  let owed = debtMicros;
  return chunks.map((costs, chunkIndex) => {
    const outcome = outcomeOf(costs, { ...rate, debtMicros: owed });
    owed = schedule({ nowMs, debtMicros: owed }, rate, costs).debtMicros;
    return {
      delivery: { messageId: `m-${chunkIndex}` },
      accountId,
      bookingId: bookingIdOf(1),
      chunkIndex,
      nextHop: 0,
      settledAtMs: nowMs,
      ...rate,
      slots: slotsOf(rowsOf(costs), outcome),
    };
  });
}
