import type { HopClaim, HopStore } from './hop-store.ts';
import { chunkIdOf } from './ledger.ts';

/** A hop store in memory: for tests, and for a single process that may forget. */
export class MemoryHopStore implements HopStore {
  readonly #claims = new Map<string, { readonly nextHop: number; readonly copy: string }>();

  async claim(claim: HopClaim): Promise<'won' | 'lost'> {
    const id = chunkIdOf(claim);
    const known = this.#claims.get(id);
    const isOwn = known?.nextHop === claim.hop + 1 && known.copy === claim.copy;
    if (known !== undefined && known.nextHop > claim.hop && !isOwn) return 'lost';
    this.#claims.set(id, { nextHop: claim.hop + 1, copy: claim.copy });
    return 'won';
  }
}
