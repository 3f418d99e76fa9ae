import { newCommand, readCommandLine, runCommand } from '@usher/cli';
import { newClient } from './client.ts';
import type { Contender } from './contender.ts';
import { missedCostBounds } from './costs.ts';
import { measureCosts } from './measure-costs.ts';
import { rateLimiterFlexible, rateLimiterName } from './rate-limiter-flexible.ts';
import { readThenPut } from './read-then-put.ts';
import { runRounds } from './rounds.ts';
import { startDynaliteProcess } from './start-dynalite-process.ts';
import { type Bounds, missedBounds, summarise } from './summary.ts';
import { toCostTable, toTable } from './table.ts';
import { createTables } from './tables.ts';
import { usherSettle } from './usher-settle.ts';

const bestShape = 'Usher settle, 10 chunks of an account';
const tenAccounts = 'Usher settle, 1 chunk of each of 10 accounts';

/**
 * The bounds of settle in the timed rounds, ledger included. A ratio of rates depends on the machine, so it is bounded well
 * below its usual; a call that the SDK repeats on a busy machine counts too. {@link measureCosts} bounds calls exactly.
 */
const bounds: ReadonlyMap<string, Bounds> = new Map([
  [bestShape, { minRatio: 100, maxCallsPer1000: 4.1, maxWriteUnitsPer1000: 14 }],
  [tenAccounts, { minRatio: 45, maxCallsPer1000: 13.2, maxWriteUnitsPer1000: 22 }],
]);
const accounts = 20;

await runCommand({ name: 'bench' }, main);

async function main(args: readonly string[]): Promise<number> {
  const command = newCommand(
    'bench',
    'Measures Usher beside one limiter call per reservation, on a DynamoDB of its own; exit code 1 where a bound is missed.',
  ).option('--quick', 'a quarter of the time, for a first look');
  readCommandLine(command, args);
  const size = sizeOf(command.opts());
  const server = await startDynaliteProcess();
  const contenders = contendersOn(server.endpoint, size);
  try {
    const admin = newClient(server.endpoint);
    await createTables(admin);
    admin.destroy();
    const startedAt = performance.now();
    const measured = await runRounds(contenders, {
      accounts,
      rounds: size.rounds,
      budgetMs: size.budgetMs,
      trialShare: size.trialShare,
      onProgress: (line) => console.error(line),
    });
    const lines = summarise(measured, rateLimiterName);
    const rounds = measured[0]?.rates.length;
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    console.log(`Node ${process.version}, ${accounts} accounts, ${rounds} rounds, ${seconds} s\n\n${toTable(lines)}\n`);
    const costs = await measureCosts(server.endpoint);
    console.log(`${toCostTable(costs)}\n`);
    const missed = [
      ...lines.flatMap((line) => missedBounds(line, bounds.get(line.name))),
      ...costs.flatMap(missedCostBounds),
    ];
    console.log(
      missed.length === 0 ? 'All bounds kept; every contender granted exactly the limit.' : missed.join('\n'),
    );
    return missed.length === 0 ? 0 : 1;
  } finally {
    for (const contender of contenders) contender.close();
    await server.stop();
  }
}

function sizeOf({ quick }: { quick?: true }) {
  return quick
    ? { rounds: 3, budgetMs: 15_000, perConsume: 30, perSettle: 3000, perSingle: 400, trialShare: 0.35 }
    : { rounds: 7, budgetMs: 70_000, perConsume: 60, perSettle: 4000, perSingle: 500, trialShare: 0.5 };
}

function contendersOn(endpoint: string, size: ReturnType<typeof sizeOf>): Contender[] {
  return [
    usherSettle(endpoint, {
      name: bestShape,
      shape: { accounts: 1, chunksPerAccount: 10 },
      reservationsPerAccount: size.perSettle,
    }),
    rateLimiterFlexible(endpoint, size.perConsume),
    readThenPut(endpoint, size.perConsume),
    usherSettle(endpoint, {
      name: tenAccounts,
      shape: { accounts: 10, chunksPerAccount: 1 },
      reservationsPerAccount: size.perSettle,
    }),
    usherSettle(endpoint, {
      name: 'Usher settle, 1 chunk',
      shape: { accounts: 1, chunksPerAccount: 1 },
      reservationsPerAccount: size.perSingle,
    }),
  ];
}
