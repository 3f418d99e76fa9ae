/** Runs `task` for every item, in order, with at most `width` of them in flight. The first failure ends it. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (const item of rest) await task(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}
