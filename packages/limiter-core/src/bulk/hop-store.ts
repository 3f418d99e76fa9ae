import type { ChunkKey } from './ledger.ts';

/** The claim of one pacing message on its hop. */
export interface HopClaim extends ChunkKey {
  /** The hop that the message is in: 0 for the worker's message, one more for each time that it was put back. */
  readonly hop: number;
  /** The token of the put-back that made the message. Messages of one token claim as one. */
  readonly copy: string;
  /** The instant from which the claim is kept for `retention.hopMs`: milliseconds since the Unix epoch. */
  readonly neededUntilMs: number;
}

/**
 * A store of hops. A chunk's later slots stand in one pacing message; what repeats it (a lost reply, a crash, a chunk
 * settled twice) leaves several of one hop, and each would go on by itself. Of those the first copy to claim the hop goes
 * on. It may claim again, for a crash can follow its claim; every other copy of that hop or an earlier one has lost, for
 * good. The one method is atomic.
 */
export interface HopStore {
  claim(claim: HopClaim): Promise<'won' | 'lost'>;
}
