import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { systemRetry } from '@usher/limiter-core/bulk';
import { localClientConfig } from '@usher/loopback';
import { DynamoDbEventFacts } from '@usher/report/dynamodb';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { acceptedOf, submit } from './api.ts';
import { endpoint, operator, outputs } from './deployment.ts';
import { aws } from './harness/emulator.ts';

const Closing = type('string.json.parse').to({ told: type({ date: 'string', timezone: 'string' }).array() });

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

  // The emulator starts no schedule. Of the day before, which is over, the account has a day without use.
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
  const zones = Closing.assert(text).told.map(({ timezone }) => timezone);
  expect(zones).toContain('all');
});
