import type { LimitStore, Limits } from '../store.ts';

type Key = Omit<Limits, 'policies'>;

/** A store that has to be waited for: another one, without its answers at once. `before` runs before each call. */
export function remoteStore(store: LimitStore, before: (key: Key) => Promise<unknown> = async () => {}): LimitStore {
  const after = async <T>(key: Key, call: () => Promise<T>): Promise<T> => {
    await before(key);
    return call();
  };
  return {
    take: (limits, cost) => after(limits, () => store.take(limits, cost)),
    peek: (limits) => after(limits, () => store.peek(limits)),
    charge: (limits, cost) => after(limits, () => store.charge(limits, cost)),
    giveBack: (limits, cost, taken) => after(limits, () => store.giveBack(limits, cost, taken)),
    block: (key, untilMs) => after(key, () => store.block(key, untilMs)),
    delete: (key) => after(key, () => store.delete(key)),
  };
}

/** A store of which every call fails alike. */
export function brokenStore(error: Error): LimitStore {
  const fail = async (): Promise<never> => {
    throw error;
  };
  return { take: fail, peek: fail, charge: fail, giveBack: fail, block: fail, delete: fail };
}
