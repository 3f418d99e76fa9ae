import type { LimitStore } from '../store.ts';

/** A store, and the calls that reach it: `take 3`, `giveBack`. */
export function counted(inner: LimitStore): { readonly store: LimitStore; readonly calls: string[] } {
  const calls: string[] = [];
  const told = <T>(call: string, answer: T): T => {
    calls.push(call);
    return answer;
  };
  return {
    calls,
    store: {
      take: (limits, cost) => told(`take ${cost}`, inner.take(limits, cost)),
      peek: (limits) => told('peek', inner.peek(limits)),
      charge: (limits, cost) => told(`charge ${cost}`, inner.charge(limits, cost)),
      giveBack: (...args) => told('giveBack', inner.giveBack(...args)),
      block: (...args) => told('block', inner.block(...args)),
      delete: (limits) => told('delete', inner.delete(limits)),
    },
  };
}
