import { type BucketStore, boundsOf, type Take, type Taken, takeMicros } from './bucket-store.ts';

/** A bucket store in memory. A bucket that is full again is forgotten when the next one is made. */
export class MemoryBucketStore implements BucketStore {
  readonly #tats = new Map<string, number>();

  async take(request: Take): Promise<Taken> {
    const { increment, tolerance } = takeMicros(request);
    const nowMicros = request.nowMs * 1000;
    const tat = Math.max(nowMicros, this.#tats.get(request.key) ?? 0);
    const { emptyMicros, latestMicros } = boundsOf(request);
    if (tat > latestMicros) {
      this.#tats.set(request.key, emptyMicros);
      return { taken: false, tatMicros: emptyMicros };
    }
    if (tat > nowMicros + tolerance) return { taken: false, tatMicros: tat };
    if (!this.#tats.has(request.key)) this.#forgetFull(nowMicros);
    this.#tats.set(request.key, tat + increment);
    return { taken: true, tatMicros: tat + increment };
  }

  #forgetFull(nowMicros: number): void {
    for (const [key, tat] of this.#tats) if (tat < nowMicros) this.#tats.delete(key);
  }
}
