/** Does work on each of many, some at a time; the first failure ends it, after what is under way. */
export async function inLanes<T>(of: Iterable<T>, lanes: number, work: (one: T) => Promise<void>): Promise<void> {
  const iterator = of[Symbol.iterator]();
  let hasFailed = false;
  const lane = async (): Promise<void> => {
    while (!hasFailed) {
      const next = iterator.next();
      if (next.done === true) return;
      try {
        await work(next.value);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: lanes }, lane));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
