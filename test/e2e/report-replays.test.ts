import { StartReplayCommand } from '@aws-sdk/client-eventbridge';
import { builtInPolicy, systemRetry, type Window } from '@usher/limiter-core/bulk';
import { type DayReport, makeReport } from '@usher/report';
import { DynamoDbDays, DynamoDbEventFacts } from '@usher/report/dynamodb';
import { MemoryReportFiles, MemoryRuns } from '@usher/report/testing';
import { silentMeter } from '@usher/service';
import { expect, test } from 'vitest';
import { silentLog } from '../support/silent-log.ts';
import { until, untilTrue } from '../support/until.ts';
import { acceptedOf, submit } from './api.ts';
import { operator, outputs } from './deployment.ts';

const { dynamoDb: client } = operator;
const facts = new DynamoDbEventFacts({ client, tableName: outputs.ReportTableName, retry: systemRetry });

/** Submits one booking and waits for its usage events; answers the window they are in. */
async function booked(accountId: string, costs: readonly number[]): Promise<Window> {
  const reservations = costs.map((cost, row) => ({ id: `r${row}`, cost }));
  const { bookingId, window } = acceptedOf(await submit(accountId, 'one', { reservations }));
  const kept = await until('the usage events are kept', async () => {
    const found = await facts.usage(accountId, window.date);
    return found.length > 0 ? found : undefined;
  });
  expect(kept.map(({ event }) => event.data.bookingId)).toEqual([bookingId]);
  return window;
}

test('two replays of the archive to the rule of reports change no number', async () => {
  const accountId = 'replayed';
  const limit = builtInPolicy.dailyLimit;
  const window = await booked(accountId, [3, limit, limit + 1, 4]);
  const before = await accountReport(accountId, window);
  expect(before).toMatchObject([
    {
      used: 7,
      granted: 2,
      rejectedByReason: {
        daily_quota_exceeded: { count: 1, cost: limit },
        exceeds_limit: { count: 1, cost: limit + 1 },
      },
      repeats: 0,
      reconciliation: { state: 'agrees' },
    },
  ]);
  for (const name of ['first', 'second']) {
    await replay(name);
    await untilTrue(`the replay ${name} is kept`, async () =>
      (await facts.usage(accountId, window.date)).some(({ delivery }) => delivery.id === `replay/${name}`),
    );
    expect(await accountReport(accountId, window)).toEqual(before);
  }
});

/** Replays the archive as the runbook's command does. The emulator replays to all rules of the bus, whatever rule is asked for. */
async function replay(ReplayName: string): Promise<void> {
  const hourMs = 3_600_000;
  const now = Date.now();
  await operator.eventBridge.send(
    new StartReplayCommand({
      ReplayName,
      EventSourceArn: outputs.EventArchiveArn,
      EventStartTime: new Date(now - hourMs),
      EventEndTime: new Date(now + hourMs),
      Destination: { Arn: outputs.EventBusArn, FilterArns: [outputs.ReportRuleArn] },
    }),
  );
}

/** An account's day as a closer would tell it once the day is over. */
async function accountReport(accountId: string, { date, timezone, resetsAt }: Window): Promise<DayReport['accounts']> {
  const nowMs = Date.parse(resetsAt);
  const ports = {
    facts,
    days: new DynamoDbDays({
      client,
      tableName: outputs.TableName,
      defaultPolicy: builtInPolicy,
      retry: systemRetry,
      log: silentLog,
    }),
    files: new MemoryReportFiles(),
    runs: new MemoryRuns(),
    publish: async () => undefined,
    deadLetters: async () => [],
    defaultPolicy: builtInPolicy,
    clock: () => nowMs,
    randomId: () => 'e2e',
    log: silentLog,
    meter: silentMeter,
  };
  const { accounts } = await makeReport(ports, { date, timezone }, { run: 1, nowMs, deadLetters: [], carries: [] });
  return accounts.filter((account) => account.accountId === accountId);
}
