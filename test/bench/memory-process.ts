import { type DecideInMemory, memoryLimiters } from './memory-limiters.ts';
import { MemoryProcessArguments, type MemoryRoundAnswer, MemoryRoundRequest } from './memory-messages.ts';

/**
 * The body of the process in which a limiter decides in its memory: each contender has one of its own, so that nobody's
 * garbage is another's. It fills the memory with keys, says so, answers each message with a round's figures, and lives
 * until its parent disconnects.
 */
const { limiter, liveKeys } = MemoryProcessArguments.assert(process.argv[2]);
/** Far above the rounds' decisions: nothing is refused. */
const limit = 1_000_000_000;
/** Decisions that are timed one by one, apart from those that give the rate: reading the clock takes about as long. */
const timedDecisions = 2_000;

const keys = Array.from({ length: liveKeys }, (_, i) => `partner-${i}`);
const decide: DecideInMemory = memoryLimiters[limiter](limit);
await decide(keys);
// What filling left behind is nobody's decision: some collect it while they fill, others in their first rounds.
globalThis.gc?.();
let random = 1;

process.on('message', async (message) => {
  const { decisions } = MemoryRoundRequest.assert(message);
  const asked = Array.from({ length: decisions }, anyKey);
  const before = process.cpuUsage();
  const allowed = await decide(asked);
  // Seconds of processor, garbage collection included: what else the machine does counts against nobody.
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1_000_000;
  process.send?.({ allowed, seconds, latenciesMs: await timeEach() } satisfies MemoryRoundAnswer);
});
process.once('disconnect', () => process.exit(0));
process.send?.('filled');

async function timeEach(): Promise<number[]> {
  const latenciesMs: number[] = [];
  for (let i = 0; i < timedDecisions; i++) {
    const one = [anyKey()];
    const startedAt = performance.now();
    const answer = decide(one);
    if (typeof answer !== 'number') await answer;
    latenciesMs.push(performance.now() - startedAt);
  }
  return latenciesMs;
}

/** A key by a linear congruential generator: any of them, in the same order for every limiter. */
function anyKey(): string {
  random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
  return keys[Math.floor((random / 2 ** 32) * liveKeys)] ?? '';
}
