import { newCommand, readCommandLine, runCommand } from '@usher/cli';
import { RedisStartError, startRedis } from '@usher/loopback/testing';
import { bounds } from './bounds.ts';
import { countCallsTable } from './calls-table.ts';
import { newClient } from './client.ts';
import { contendersOn } from './contenders.ts';
import { missedCostBounds } from './costs.ts';
import { countedElsewhere } from './counted-elsewhere.ts';
import { measureCosts } from './measure-costs.ts';
import { runRounds } from './rounds.ts';
import { startDynaliteProcess } from './start-dynalite-process.ts';
import { missedBounds, missingBounds, summarise } from './summary.ts';
import { toCallsTable, toCostTable, toTable } from './table.ts';
import { createTables } from './tables.ts';

/** Far more asks than the limit, so that the last of it is contended for, too. */
const contention = { callers: 64, processes: 4, asksPerCaller: 5, limit: 100 } as const;

await runCommand({ name: 'bench', told: [RedisStartError] }, main);

async function main(args: readonly string[]): Promise<number> {
  const command = newCommand(
    'bench',
    'Measures limiters in memory, on a DynamoDB and on a Redis of its own; exit code 1 where a bound is missed.',
  ).option('--quick', 'a quarter of the time, for a first look');
  readCommandLine(command, args);
  const size = sizeOf(command.opts());
  await using stack = new AsyncDisposableStack();
  const redis = await startRedis();
  stack.defer(redis.stop);
  const server = await startDynaliteProcess();
  stack.defer(server.stop);
  const admin = newClient(server.endpoint);
  await createTables(admin);
  admin.destroy();
  const contenders = await contendersOn({ dynamoDb: server.endpoint, redis: redis.url }, size.perRound);
  for (const contender of contenders) stack.defer(async () => contender.close());
  const startedAt = performance.now();
  const measured = await runRounds(contenders, {
    ...size,
    contention,
    missing: (soFar) => missingBounds(summarise(soFar), bounds),
    onProgress: (line) => console.error(line),
  });
  const lines = [...summarise(measured), ...countedElsewhere];
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`Node ${process.version}, ${measured[0]?.rates.length} rounds, ${seconds} s\n\n${toTable(lines)}\n`);
  const costs = await measureCosts(server.endpoint);
  console.log(`${toCostTable(costs)}\n`);
  console.log(`${toCallsTable(await countCallsTable(size.checks))}\n`);
  const missed = [
    ...lines.flatMap((line) => missedBounds(line, bounds.get(line.key))),
    ...costs.flatMap(missedCostBounds),
  ];
  console.log(missed.length === 0 ? 'All bounds kept; every contender allowed exactly the limit.' : missed.join('\n'));
  return missed.length === 0 ? 0 : 1;
}

function sizeOf({ quick }: { quick?: true }) {
  return quick
    ? {
        rounds: 3,
        budgetMs: 45_000,
        trialShare: 0.35,
        searchPasses: 1,
        checks: 200,
        perRound: { memory: 200_000, consume: 30, redis: 200, batch: 400, settle: 2_000, settleSingle: 300 },
      }
    : {
        rounds: 7,
        budgetMs: 180_000,
        trialShare: 0.5,
        searchPasses: 2,
        checks: 2_000,
        perRound: { memory: 400_000, consume: 60, redis: 400, batch: 1_200, settle: 4_000, settleSingle: 500 },
      };
}
