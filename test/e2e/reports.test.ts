import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { bookingKeyOf, dayIndexKeys, HeaderItem } from '@usher/contracts';
import { systemRetry, toRfc3339 } from '@usher/limiter-core/bulk';
import { keys, tableDefinition } from '@usher/limiter-core/bulk/dynamodb';
import { localClientConfig } from '@usher/loopback';
import { beginReports } from '@usher/report';
import { DynamoDbEventFacts, DynamoDbRuns } from '@usher/report/dynamodb';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { acceptedOf, submit } from './api.ts';
import { endpoint, operator, outputs } from './deployment.ts';
import { aws } from './harness/emulator.ts';

const Closing = type('string.json.parse').to({ told: type({ date: 'string', timezone: 'string' }).array() });

const runs = new DynamoDbRuns({ client: operator.dynamoDb, tableName: outputs.ReportTableName });
const facts = new DynamoDbEventFacts({
  client: operator.dynamoDb,
  tableName: outputs.ReportTableName,
  retry: systemRetry,
});

test('a decided chunk is a fact of reports, and the closer reports of days that are over', async () => {
  const { bookingId, window } = acceptedOf(await submit('reported', 'one', { reservations: [{ id: 'a', cost: 2 }] }));
  const [fact] = await until('the usage event is kept', async () => {
    const kept = await facts.usage('reported', window.date);
    return kept.length > 0 ? kept : undefined;
  });
  expect(fact?.event.data).toMatchObject({ bookingId, chunk: 0, granted: { count: 1, cost: 2 } });

  const { date, timezone, startsAt } = await moveToTheDayBefore(bookingId);
  // Reports begin with the dates that end after the first start; whether the day before is one depends on the hour.
  await beginReports(runs, Date.parse(startsAt));
  // The emulator starts no schedule. The day before is over, and nothing is decided of the booking that lies there.
  const lambda = new LambdaClient({
    ...localClientConfig(endpoint),
    region: aws.region,
    credentials: aws.credentials,
    requestHandler: { requestTimeout: 60_000 },
  });
  const answer = await lambda.send(new InvokeCommand({ FunctionName: outputs.CloserFunctionName }));
  lambda.destroy();
  const text = new TextDecoder().decode(answer.Payload);
  expect(answer.FunctionError, text).toBeUndefined();
  expect(Closing.assert(text).told).toEqual(expect.arrayContaining([{ date, timezone: 'all' }]));
  const { sealed } = await runs.read({ date, timezone });
  expect(sealed).toMatchObject({ state: 'provisional', isPublished: true });
});

/** Moves a booking, so that the closer reads headers, the ledger and accounts with its own role. */
async function moveToTheDayBefore(bookingId: string): Promise<typeof HeaderItem.infer.window> {
  const Key = { ...keys.header(bookingKeyOf(bookingId)) };
  const { Item } = await operator.dynamoDb.send(new GetCommand({ TableName: outputs.TableName, Key }));
  const { accountId, window } = HeaderItem.assert(Item);
  const startsAtMs = Date.parse(window.startsAt) - 86_400_000;
  const before = {
    ...window,
    date: toRfc3339(Date.parse(window.date) - 86_400_000).slice(0, 10),
    startsAt: toRfc3339(startsAtMs),
    resetsAt: window.startsAt,
  };
  const { partitionKey } = tableDefinition.byDay;
  await operator.dynamoDb.send(
    new UpdateCommand({
      TableName: outputs.TableName,
      Key,
      UpdateExpression: 'SET #window = :window, #day = :day',
      ExpressionAttributeNames: { '#window': 'window', '#day': partitionKey },
      ExpressionAttributeValues: {
        ':window': before,
        ':day': dayIndexKeys.header({ accountId, bookingId, window: before }).partition,
      },
    }),
  );
  return before;
}
